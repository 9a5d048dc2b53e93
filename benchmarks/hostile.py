"""1 MB of one thing again and again: how long each renderer takes with it, and each way out.

`python -m benchmarks.hostile`
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

import unspool
from benchmarks.budgets import Figure, table
from benchmarks.clocks import once
from benchmarks.hostile_texts import TEXTS
from unspool.cli import main
from unspool.demo import Transcript
from unspool.engine.search.snippets import patterns, snippet
from unspool.model.api import SearchResult
from unspool.model.document import SessionDocument
from unspool.model.search import MatchedSessions, SessionMatches
from unspool.redact import Redactor
from unspool.show.export.markdown_text import rewrite_markdown
from unspool.show.html.highlight import Highlighter
from unspool.show.html.links import LiveLinks
from unspool.show.html.passages import passages
from unspool.show.html.prose import prose
from unspool.show.html.render import load_templates, render, render_macro
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.search_page import SearchContext, SearchPageQuery, search_page
from unspool.show.html.session_page import (
    PageWindow,
    SessionPage,
    frame_fields,
    location_of,
    session_overview,
    step_part,
)
from unspool.show.html.shell import Shell
from unspool.show.text.layout import Frame
from unspool.show.text.search_results import search_lines
from unspool.show.tools import registry
from unspool.show.tools.details import DetailBuilder
from unspool.show.tools.values import pretty_json

Work: TypeAlias = Callable[[], object]

_SIZE: Final = 1_000_000
_CODE: Final = 16_000  # longer code is plain
_MUST: Final = 1.0
_AGAIN: Final = 2  # more runs where the first was too slow
_LINKS, _SHELL = LiveLinks(), Shell(title="Title")
_READER, _WHOLE = ReaderOptions(now=0), ReaderOptions(now=0, is_whole=True)
_LANGUAGES: Final = ("python", "c", "diff", "typescript", "yaml", "java")


class Worst(NamedTuple):
    """The longest that something took, and with what."""

    seconds: float
    text: str


def measured(place: Path) -> list[Figure]:
    """The worst text of each renderer and of each way out of a session that holds it."""
    load_templates()
    worst: dict[str, Worst] = {}
    for name, make in TEXTS.items():
        text = make(_SIZE)
        for work, run in _renderers(text):
            _measure(worst, f"renderer, {work}", name, run)
        for holder, session in _sessions(place, text).items():
            for work, run in _exits(place, session):
                _measure(worst, f"exit, {work}", f"{name}, as {holder}", run)
    return [
        Figure(f"1 MB hostile: {work}", slowest.seconds, "s", _MUST, note=slowest.text)
        for work, slowest in worst.items()
    ]


def _measure(worst: dict[str, Worst], work: str, name: str, run: Work) -> None:
    prose.cache_clear()
    seconds = once(run).cpu
    for _ in range(_AGAIN if seconds > _MUST else 0):
        prose.cache_clear()
        seconds = min(seconds, once(run).cpu)
    worst[work] = max(worst.get(work, Worst(0, "")), Worst(seconds, name))


def _renderers(text: str) -> Iterator[tuple[str, Work]]:
    whole = DetailBuilder(is_whole=True)
    change = _change(text)
    yield "Markdown", lambda: prose.__wrapped__(text)
    yield "Markdown to Markdown", lambda: rewrite_markdown(text)
    for language in _LANGUAGES:
        yield "code", partial(_highlight, text[:_CODE], language)
    fences = "\n".join(f"```{name}\n{text[:4_000]}\n```" for name in _LANGUAGES * 10)
    yield "fences", lambda: prose.__wrapped__(fences)
    yield "terminal output", lambda: render_macro("parts/text.html", "ansi", text)
    yield "diff", lambda: registry.details("Edit", change, None, whole)
    yield "JSON", lambda: pretty_json({text: [text.split("\n")]}, 200_000)
    yield "search snippet", lambda: _searched(text)


def _highlight(text: str, language: str) -> None:
    Highlighter().highlight(text, language)


def _change(text: str) -> dict[str, str]:
    """An edit of half of it into half of it, in which no line stays in its place."""
    half = text[: len(text) // 2]
    return {"file_path": "a", "old_string": half, "new_string": f"b{half[:-1]}\n"}


def _sessions(place: Path, text: str) -> Mapping[str, Path]:
    holders = {
        "answer": Transcript(session="answer").user("Go").says(text),
        "prompt": Transcript(session="prompt").user(text),
        "output": Transcript(session="output").user("Go").calls("Bash", command="x").returns(text),
        "edit": Transcript(session="edit").user("Go").calls("Edit", _change(text)).returns("ok"),
    }
    return {name: made.save(place) for name, made in holders.items()}


def _exits(place: Path, path: Path) -> Iterator[tuple[str, Work]]:
    yield "session page", partial(_page, place, path)
    yield "all of a call", partial(_whole_call, place, path)
    for name, options, is_terminal in (
        ("`show`", (), False),
        ("`show` on a terminal", (), True),
        ("`show --json`", ("--json",), False),
        ("`show --json` on a terminal", ("--json",), True),
    ):
        args = ["show", str(path), "--root", str(place), "--no-pager", *options]
        yield name, partial(_run, args, is_terminal=is_terminal)
    for format in ("html", "md", "json"):
        args = ["export", str(path), "--root", str(place), "--format", format, "-o", "-"]
        yield f"export, {format}", partial(_run, args, is_terminal=False)


def _document(place: Path, path: Path) -> SessionDocument:
    with unspool.open(place) as workspace:
        return Redactor().value(workspace.session(path).document())


def _page(place: Path, path: Path) -> None:
    document = _document(place, path)
    told = passages(document, render_context(document, _READER))
    overview, spot = session_overview(document), location_of(document)
    frame = frame_fields(overview, _SHELL, _READER, spot)
    window = PageWindow(end=len(told), total=len(told))
    render(SessionPage(**frame, passages=told, window=window), _LINKS)


def _whole_call(place: Path, path: Path) -> None:
    """What "Show all" fetches."""
    document = _document(place, path)
    for one in document.tool_executions:
        part = step_part(document, one.tool_use_id, _WHOLE, location_of(document))
        render(part, _LINKS) if part else None


class _Output(TextIOWrapper):
    """Standard output: a pipe, or a terminal."""

    is_terminal = False

    def isatty(self) -> bool:
        return self.is_terminal


def _run(args: list[str], *, is_terminal: bool) -> None:
    out = _Output(BytesIO(), encoding="utf-8")
    out.is_terminal = is_terminal
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = main(args)
        out.flush()
    if code or not out.buffer.getbuffer().nbytes:  # type: ignore[attr-defined] # it is a BytesIO
        raise RuntimeError(f"unspool {' '.join(args)} ended with {code}")


def _searched(text: str) -> None:
    found = snippet(text, patterns('a "b c" d*'))
    result = SearchResult(
        session_id="s",
        project_id="p",
        line=1,
        event_id="1.0.0",
        snippet=found.text,
        ranges=found.ranges,
    )
    session = SessionMatches(project_id="p", session_id="s", kinds={"answer": 1}, best=(result,))
    found_in = MatchedSessions(kinds=session.kinds, hits=1, sessions=1, groups=(session,))
    render(search_page(SearchPageQuery(q="a"), found_in, _SHELL, SearchContext(now=0)), _LINKS)
    list(search_lines((result,), Frame(120, 0)))


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-hostile-") as scratch:
        for variable in ("HOME", "CLAUDE_CONFIG_DIR", "UNSPOOL_HOME"):
            os.environ[variable] = str(Path(scratch, variable.lower()))
        figures = measured(Path(scratch, "root"))
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))

"""1 MB of one thing again and again: how long each renderer takes with it, and each way out.

`python -m benchmarks.hostile`. What renders a session as a whole gets each text in each place
that a session has for it; the other ways out get each in one place, and all places in turn.
Figures come as they are measured, the slowest of each text and all that are too slow. It takes a
quarter of an hour on an idle machine.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import unspool
from benchmarks.budgets import Figure, table
from benchmarks.clocks import once
from benchmarks.hostile_exits import HOLDERS, Work, change, exits, run_command
from benchmarks.hostile_texts import TEXTS
from unspool.demo import Transcript
from unspool.engine.search.snippets import patterns, snippet
from unspool.model.api import SearchResult
from unspool.model.document import SessionDocument
from unspool.model.search import MatchedSessions, SessionMatches
from unspool.redact import Redactor
from unspool.show.export.markdown_text import rewrite_markdown
from unspool.show.html.highlight import LANGUAGES, Highlighter
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

_SIZE: Final = 1_000_000
_CODE: Final = 16_000  # longer code is plain
_MUST: Final = 1.0
_AGAIN: Final = 2  # more runs where the first was too slow
_LINKS, _SHELL = LiveLinks(), Shell(title="Title")
_READER, _WHOLE = ReaderOptions(now=0), ReaderOptions(now=0, is_whole=True)
_LANGUAGES: Final = sorted(set(LANGUAGES.values()))


class Worst(NamedTuple):
    """The longest that something took, and with what."""

    seconds: float
    text: str

    def figure(self, work: str) -> Figure:
        """What it must be at most."""
        return Figure(f"1 MB hostile: {work}", self.seconds, "s", _MUST, note=self.text)


def measured(place: Path) -> list[Figure]:
    """The worst text of each renderer and of each way out of a session that holds it."""
    load_templates()
    worst: dict[str, Worst] = {}
    for (name, make), turn in zip(TEXTS.items(), cycle(HOLDERS), strict=False):
        text = make(_SIZE)
        of_text = [_measured(f"renderer, {work}", name, run) for work, run in _renderers(text)]
        for holder, session in _sessions(place, text).items():
            for work, run in _whole(place, session):
                of_text.append(_measured(f"exit, {work}", f"{name}, as {holder}", run))
        for work, run in exits(place / "own", turn, text):
            of_text.append(_measured(f"exit, {work}", f"{name}, as {turn}", run))
        for work, took in of_text:
            worst[work] = max(worst.get(work, Worst(0, "")), took)
        slowest = max(of_text, key=lambda one: one[1])
        print(table([slowest[1].figure(slowest[0])]), flush=True)
    return [took.figure(work) for work, took in worst.items()]


def _measured(work: str, name: str, run: Work) -> tuple[str, Worst]:
    prose.cache_clear()
    seconds = once(run).cpu
    for _ in range(_AGAIN if seconds > _MUST else 0):
        prose.cache_clear()
        seconds = min(seconds, once(run).cpu)
    found = Worst(seconds, name)
    if seconds > _MUST:
        print(table([found.figure(work)]), flush=True)
    return work, found


def _renderers(text: str) -> Iterator[tuple[str, Work]]:
    whole = DetailBuilder(is_whole=True)
    edit = change(text)
    yield "Markdown", lambda: prose.__wrapped__(text)
    yield "Markdown to Markdown", lambda: rewrite_markdown(text)
    for language in _LANGUAGES:
        yield f"code, {language}", partial(_highlight, text[:_CODE], language)
    fences = "\n".join(f"```{name}\n{text[:4_000]}\n```" for name in _LANGUAGES * 2)
    yield "fences", lambda: prose.__wrapped__(fences)
    yield "terminal output", lambda: render_macro("parts/text.html", "ansi", text)
    yield "diff", lambda: registry.details("Edit", edit, None, whole)
    yield "JSON", lambda: pretty_json({text: [text.split("\n")]}, 200_000)
    yield "search snippet", lambda: _searched(text)


def _highlight(text: str, language: str) -> None:
    Highlighter().highlight(text, language)


def _sessions(place: Path, text: str) -> Mapping[str, Path]:
    return {
        name: fill(Transcript(session=name), text).save(place) for name, fill in HOLDERS.items()
    }


def _whole(place: Path, path: Path) -> Iterator[tuple[str, Work]]:
    yield "session page", partial(_page, place, path)
    yield "all of a call", partial(_whole_call, place, path)
    for name, options, is_terminal in (
        ("`show`", (), False),
        ("`show` on a terminal", (), True),
        ("`show --json`", ("--json",), False),
        ("`show --json` on a terminal", ("--json",), True),
    ):
        args = ("show", str(path), "--root", str(place), "--no-pager", *options)
        yield name, partial(run_command, args, is_terminal=is_terminal)
    for format in ("html", "md", "json"):
        args = ("export", str(path), "--root", str(place), "--format", format, "-o", "-")
        yield f"export, {format}", partial(run_command, args)


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

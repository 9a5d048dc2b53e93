"""Whatever a transcript holds, twice of it takes about twice as long: no line stops the reader."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks.hostile_texts import TEXTS, byte_count
from tests.show.growth import slow
from tests.show.made import NOON, PIPE, SCREEN, agent, call, chunk, document, step
from unspool.model.document import SessionDocument
from unspool.show import safe, session_json, spans
from unspool.show.ansi import ansi, visible
from unspool.show.export.html_file import html_file
from unspool.show.export.markdown_file import markdown_file
from unspool.show.export.markdown_text import (
    escape_text,
    fenced,
    inline_code,
    rewrite_markdown,
    safe_url,
)
from unspool.show.export.notes import ExportInfo
from unspool.show.html.links import ExportLinks, LiveLinks
from unspool.show.html.prose import prose as html_prose
from unspool.show.html.render import render
from unspool.show.html.render_context import ReaderOptions
from unspool.show.html.session_page import window_part
from unspool.show.text.layout import Frame, passage, prose
from unspool.show.text.session import SessionText, footer, header
from unspool.show.text.steps import AgentTrace, SessionAgents
from unspool.show.tools import registry
from unspool.show.tools.details import DetailBuilder
from unspool.show.tools.values import pretty_json

PAGE, WHOLE = ReaderOptions(now=NOON), ReaderOptions(now=NOON, is_whole=True)


def whole_details(tool: str, text: str) -> object:
    input = {
        "command": text,
        "file_path": text,
        "old_string": text,
        "new_string": f"a{text[:-1]}\n",
        "plan": text,
        "questions": [
            {"question": text[:9], "options": [{"label": one} for one in text.split("\n")]}
        ],
    }
    values = [registry.facts(tool, input, text), registry.preview(tool, input, text)]
    return [*values, registry.details(tool, input, text, DetailBuilder(is_whole=True))]


RENDERERS: dict[str, Callable[[str], object]] = {
    "ansi": ansi,
    "visible": lambda text: list(visible(text)),
    "safe": safe.lines,
    "safe, one line": safe.line,
    "safe, JSON": safe.json_text,
    "wrap": lambda text: spans.wrap(text, 78),
    "prose": lambda text: list(prose(text, 78)),
    "passage": lambda text: passage(text, 78, 40, 10),
    "Markdown": html_prose.__wrapped__,
    "Markdown to Markdown": rewrite_markdown,
    "Markdown, escaped": escape_text,
    "Markdown, code": lambda text: (fenced(text), inline_code(text)),
    "address": lambda text: safe_url(f"http://{text}"),
    "JSON": lambda text: pretty_json([text, text.split("\n")], 1_000_000),
    "Bash": lambda text: whole_details("Bash", text),
    "Edit": lambda text: whole_details("Edit", text),
    "AskUserQuestion": lambda text: whole_details("AskUserQuestion", text),
    "unknown tool": lambda text: whole_details("mcp__a__b", text),
}


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", RENDERERS)
def test_text_again_and_again_takes_no_longer(name: str, every: int) -> None:
    # Other texts for each renderer: together they see all of them.
    first = list(RENDERERS).index(name) % every
    some = dict(list(TEXTS.items())[first::every])

    assert slow(RENDERERS[name], some) == {}


def hostile(text: str) -> SessionDocument:
    """A session that has a text wherever a session has text."""
    calls = (
        call("Bash", text, id="bash", command=text),
        call("Edit", text, id="edit", file_path=text, old_string=text, new_string=f"a{text}"),
        call("mcp__a__b", text, id="other", argument=text),
        call("Bash", text, id="bad", state="error", command=text),
    )
    steps = [
        *(step("tool_call", id=one.tool_use_id) for one in calls),
        *(step(kind, text, id=kind) for kind in ("output", "thinking", "hook", "notice")),
        step("subagent", id="agent", agent_id="x"),
    ]
    names = {"title": text, "goal": text, "git_branch": text, "project_name": text, "model": text}
    return document(
        chunk("user", text, id="u"),
        chunk("system", text, id="s"),
        chunk("ai", "", *steps, id="a"),
        chunk("compact", text, id="c"),
        session=names,
        tool_executions=calls,
        subagents=(agent("x", subagent_type=text),),
    )


def page(text: str) -> str:
    html_prose.cache_clear()
    return render(window_part(hostile(text), PAGE), LiveLinks())


def shown(text: str, frame: Frame) -> list[Any]:
    made = hostile(text)
    agents = SessionAgents(made.subagents, lambda id: AgentTrace(1, text), frame)
    lines = SessionText(made, agents, frame).tell(made)
    return [*header(made, frame), *lines, *footer(made, frame)]


def exported(text: str, format: str) -> str:
    html_prose.cache_clear()
    made, info = hostile(text), ExportInfo(version="0", at="")
    if format == "md":
        return "".join(markdown_file(made, [made], WHOLE, info))
    return "".join(html_file(made, [made], WHOLE, ExportLinks(), info))


EXITS: dict[str, Callable[[str], object]] = {
    "page": page,
    "text": lambda text: shown(text, PIPE),
    "text on a terminal": lambda text: shown(text, SCREEN),
    "Markdown": lambda text: exported(text, "md"),
    "HTML": lambda text: exported(text, "html"),
    "JSON": lambda text: list(session_json.document(hostile(text))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXITS)
def test_a_session_of_such_text_takes_no_longer(name: str) -> None:
    texts = {name: make for name, make in TEXTS.items() if name != "half pairs"}

    assert slow(EXITS[name], texts, size=4_000) == {}


def lengths() -> Iterator[tuple[str, int]]:
    return ((name, byte_count(make(50_000))) for name, make in TEXTS.items())


def test_every_text_has_the_size_it_is_asked_for() -> None:
    assert {name: size for name, size in lengths() if not 48_000 <= size <= 50_000} == {}


def test_there_are_at_least_fifty_texts() -> None:
    assert len(TEXTS) >= 50

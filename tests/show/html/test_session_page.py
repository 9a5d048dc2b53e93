import re
from datetime import UTC
from typing import Any

import pytest
from msgspec import structs

from tests.show.html.hostile import PAYLOAD, Seen
from tests.show.html.sample_sessions import READER, waiting
from tests.show.made import agent, at, call, chunk, document, step
from unspool.model.document import (
    Metrics,
    PendingTool,
    PullRequest,
    SessionDocument,
    Status,
    Step,
    TodoItem,
    ToolHook,
    Turn,
)
from unspool.model.steps import SessionStep
from unspool.show.html.links import ExportLinks, LiveLinks
from unspool.show.html.passages import passages
from unspool.show.html.render import render
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.session_outline import OutlineMark
from unspool.show.html.session_page import (
    PageWindow,
    SessionPage,
    agent_part,
    frame_fields,
    location_of,
    narrowed,
    session_overview,
    step_part,
    window_part,
)
from unspool.show.html.shell import Shell
from unspool.show.html.step_range import step_range
from unspool.show.html.step_types import PageLocation
from unspool.show.tools.registry import TOOLS

SHELL = Shell(title="Make it quick", name="session", current="Sessions")
SPOT = PageLocation(project="p", id="s")
LIVE, EXPORT = LiveLinks(), ExportLinks()
INPUTS: dict[str, Any] = {
    "command": PAYLOAD,
    "file_path": PAYLOAD,
    "old_string": "a\nb",
    "new_string": PAYLOAD,
    "pattern": PAYLOAD,
    "path": PAYLOAD,
    "url": "javascript:alert(1)",
    "prompt": PAYLOAD,
    "plan": PAYLOAD,
    "description": PAYLOAD,
    "todos": [{"content": PAYLOAD, "status": PAYLOAD}],
    "questions": [{"question": PAYLOAD, "options": [{"label": PAYLOAD, "description": PAYLOAD}]}],
    PAYLOAD: PAYLOAD,
}
RESULT = {
    "content": [{"type": "text", "text": PAYLOAD}, {"type": "image"}],
    "results": [{"content": [{"title": PAYLOAD, "url": "javascript:alert(1)"}]}],
}


def session_page(document: SessionDocument, shell: Shell, reader: ReaderOptions) -> SessionPage:
    """A whole document on one page, as no window cuts it."""
    told = passages(document, render_context(document, reader))
    window = PageWindow(end=len(told), total=len(told))
    frame = frame_fields(session_overview(document), shell, reader, location_of(document))
    return SessionPage(**frame, passages=told, window=window)


def page(made: SessionDocument, **links: Any) -> str:
    return render(session_page(made, SHELL, READER), links.get("to", LIVE))


def attacked(name: str, text: str = PAYLOAD) -> SessionDocument:
    """The same session with a harmless or a hostile text in every place."""
    tools = (
        structs.replace(
            call(name, RESULT, id=text, **INPUTS), hook=ToolHook(text, 20_000, (), text)
        ),
        call(name, text, id=f"{text}2", state="error", **INPUTS),
    )
    steps = (
        *(step("tool_call", id=one.tool_use_id) for one in tools),
        *(step(kind, text, id=f"{kind}{text}", name=text) for kind in ("output", "thinking")),
        *(step(kind, text, id=f"{kind}{text}", name=text) for kind in ("hook", "notice")),
        Step(id=text, type="subagent", agent_id=text),
    )
    info = {
        "title": text,
        "project_name": text,
        "git_branch": text,
        "version": text,
        "models": (text,),
        "todos": (TodoItem(text, text),),
        "pull_requests": (PullRequest(None, text, text),),
        "status": Status("waiting_for_approval", at(5), "hook"),
        "pending_tool": PendingTool("?", text, text),
    }
    return document(
        chunk("user", text, id=f"u{text}", turn=1),
        chunk("ai", "", *steps, id=f"a{text}", turn=1),
        chunk("system", text, id=f"s{text}"),
        chunk("compact", text, id=f"c{text}"),
        session=info,
        tool_executions=tools,
        subagents=(agent(text, subagent_type=text), agent("in", parent_agent_id=text)),
        turns=(Turn(index=1, prompt=text),),
    )


@pytest.mark.parametrize("name", [*TOOLS, PAYLOAD, f"mcp__{PAYLOAD}"])
def test_nothing_of_a_transcript_becomes_an_element_or_an_attribute(name: str) -> None:
    for is_whole in (False, True):
        reader = ReaderOptions(now=READER.now, is_whole=is_whole)
        seen = Seen(render(session_page(attacked(name), SHELL, reader), LIVE))
        calm = Seen(render(session_page(attacked(name, "calm"), SHELL, reader), LIVE))

        # Markdown may make a link or a paragraph of its own; where a link leads is checked below.
        assert set(seen.tags) - set(calm.tags) <= {"a", "p", "span"}
        assert seen.names - calm.names <= {"rel", "class"}
        assert not any(name.startswith("on") or name == "style" for name in seen.names)
        assert all(seen.tags[tag] == calm.tags[tag] for tag in ("script", "img", "b", "iframe"))


def test_no_link_of_a_transcript_runs_or_fetches_anything() -> None:
    seen = Seen(page(attacked("WebFetch")))

    assert all(one.startswith(("#", "/", "http://", "https://")) for one in seen.addresses)
    assert all(one.startswith("/") for one in seen.fetched)


def test_a_template_in_a_text_is_text() -> None:
    assert str(31_337 * 1_009) not in page(document(chunk("user", "{{ 31337*1009 }}")))
    assert "{{ 31337*1009 }}" in page(document(chunk("user", "{{ 31337*1009 }}")))


def test_every_step_has_a_place_of_its_own() -> None:
    ids = Seen(page(waiting())).ids

    assert {"step-bad", "step-x", "step-now", "turn-1", "turn-2"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_outline_leads_to_places_on_the_page() -> None:
    seen = Seen(page(waiting()))
    places = {one.partition("#")[2] for one in seen.addresses if "?at=" in one}

    assert places
    assert places <= set(seen.ids)


def test_a_failure_can_be_read_without_opening_it() -> None:
    html = page(waiting())
    failed = html[html.index('id="step-bad"') :]

    assert failed.index("<details open>") < failed.index("boom")


def test_what_waits_stands_in_the_head_and_in_its_place() -> None:
    assert page(waiting()).count("rm -rf build") >= 2


def test_a_figure_says_how_it_came_to_be() -> None:
    answer = chunk("ai", metrics=Metrics(output_tokens=9, cost_usd=0.62))

    assert "Tokens of this answer, each response counted once: 9 output." in page(document(answer))


def test_an_export_has_the_same_steps_and_leads_nowhere_else() -> None:
    live, alone = Seen(page(waiting())), Seen(page(waiting(), to=EXPORT))
    steps = [id for id in live.ids if id.startswith("step-")]

    assert [id for id in alone.ids if id.startswith("step-")] == steps
    assert not any(address.startswith(("/s/", "/part/", "/api/")) for address in alone.addresses)


def test_a_window_says_what_is_before_and_after_it() -> None:
    made = session_page(waiting(), SHELL, READER)
    window = PageWindow(first=300, end=304, total=400, before=240)
    html = render(structs.replace(made, window=window), LIVE)

    assert "300 earlier entries" in html
    assert "chunk=240&amp;limit=60" in html
    assert "96 later entries" in html


def test_a_whole_session_has_nothing_before_or_after_it() -> None:
    assert "before this" not in page(waiting())
    assert "after this" not in page(waiting())


def test_an_empty_session_says_so() -> None:
    assert "No messages yet" in page(document())


def test_a_picture_is_a_link_to_its_bytes() -> None:
    shot = structs.replace(call("Read", [{"type": "image"}], id="t", file_path="a.png"), line=7)
    made = document(chunk("ai", "", step("tool_call", id="t")), tool_executions=(shot,))

    reader = ReaderOptions(now=0, events=lambda agent, line: f"3.0.{line}")
    html = render(session_page(made, SHELL, reader), LIVE)

    assert "/api/blob/3.0.7/0" in Seen(html).fetched


def test_every_text_that_is_cut_says_so() -> None:
    long = "x" * 200_001
    steps = (step(kind, long, id=f"{kind}1") for kind in ("output", "thinking", "hook", "notice"))
    made = document(chunk("user", long), chunk("ai", "", *steps), chunk("compact", long))

    assert page(made).count("First 200,000 of 200,001 characters") == 5
    assert page(made).count("First 2,000 of 200,001 characters") == 1


def test_a_picture_of_an_agents_answer_is_counted_with_its_line() -> None:
    shots = tuple(
        structs.replace(call("Task", [{"type": "image"}], id=id), line=6, result_line=7)
        for id in ("a", "b")
    )
    made = document(
        chunk("ai", "", step("subagent", agent_id="x")),
        tool_executions=shots,
        subagents=(agent("x", parent_task_id="b"),),
    )
    reader = ReaderOptions(now=0, events=lambda agent, line: f"3.0.{line}")

    assert "/api/blob/3.0.7/1" in Seen(render(session_page(made, SHELL, reader), LIVE)).fetched


def test_pictures_of_results_on_one_line_are_counted_together() -> None:
    shots = tuple(
        structs.replace(call("Read", [{"type": "image"}], id=id), line=6, result_line=7)
        for id in ("a", "b")
    )
    steps = (step("tool_call", id=one.tool_use_id) for one in shots)
    made = document(chunk("ai", "", *steps), tool_executions=shots)
    reader = ReaderOptions(now=0, events=lambda agent, line: f"3.0.{line}")
    fetched = Seen(render(session_page(made, SHELL, reader), LIVE)).fetched

    assert {"/api/blob/3.0.7/0", "/api/blob/3.0.7/1"} <= fetched


def test_a_part_has_all_that_lies_behind_a_call() -> None:
    long = call("Bash", "line\n" * 5_000, id="t")
    whole = ReaderOptions(now=0, is_whole=True)
    part = step_part(document(tool_executions=(long,)), "t", whole, SPOT)

    assert part is not None
    assert render(part, LIVE).count("line\n") >= 4_999


def test_a_call_that_is_not_there_has_no_part() -> None:
    assert step_part(document(), "t", READER, SPOT) is None


def test_an_agent_s_part_has_its_steps() -> None:
    own = document(chunk("ai", "", step("output", "Found it.", id="o")))

    assert 'id="step-o"' in render(agent_part(own, READER, SPOT), LIVE)


def test_a_window_s_part_is_what_the_page_shows() -> None:
    part, whole = (
        Seen(one) for one in (render(window_part(waiting(), READER), LIVE), page(waiting()))
    )

    assert part.ids
    assert [id for id in whole.ids if id in set(part.ids)] == part.ids


def test_what_is_revealed_stands_right_after_its_button() -> None:
    said = step("output", "It is [redacted: token].", line=4)
    reader = ReaderOptions(now=0, events=lambda agent, line: f"1.0.{line}")
    html = render(session_page(document(chunk("ai", "", said)), SHELL, reader), LIVE)
    shown = html[html.index('data-reveal="1.0.4"') :]

    assert re.match(r'[^<]*</button><pre class="ansi revealed"', shown)
    # A paragraph would end where the text begins.
    assert (
        html[: html.index('data-reveal="1.0.4"')]
        .rpartition("<div")[2]
        .startswith(' class="cutline"')
    )
    assert "data-reveal" not in render(
        session_page(document(chunk("ai", "", said)), SHELL, reader), EXPORT
    )


def test_a_window_of_chunks_without_a_time_has_no_place_on_the_spool() -> None:
    made = session_overview(document(chunk("user", "Go", start_time=None, end_time=None), chunk()))
    here, there = (
        frame_fields(made, SHELL, READER, SPOT, PageWindow(first=n, end=n + 1, total=2))["spool"]
        for n in (0, 1)
    )

    assert "brush" not in dict(here.paths)
    assert "brush" in dict(there.paths)


def test_a_long_call_is_fetched_when_it_is_opened_and_is_not_empty_then() -> None:
    long = call("Bash", f"{'x' * 90}\n" * 400, id="t", command="cat it")
    made = document(chunk("ai", "", step("tool_call", id="t")), tool_executions=(long,))
    opened = step_part(made, "t", READER, SPOT)

    assert 'short=true" data-unfolds>' in page(made)
    assert opened is not None
    html = render(opened, LIVE)
    assert "364 lines hidden" in html
    assert "data-unfolds" not in html


def test_the_spool_is_drawn_once_whatever_part_of_the_session_is_shown() -> None:
    made = session_overview(document(chunk("user", "Go"), chunk()))
    whole = frame_fields(made, SHELL, READER, SPOT)["spool"]
    part = frame_fields(made, SHELL, READER, SPOT, PageWindow(first=1, end=2, total=2))["spool"]

    assert [name for name, _ in part.paths] == [*(name for name, _ in whole.paths), "brush"]
    assert all(a is b for a, b in zip(whole.paths, part.paths, strict=False))


def test_the_outline_of_some_steps_has_no_mark_of_the_step_before() -> None:
    steps = tuple(SessionStep(f"t{n}", "call", start=n, end=n, turn=n) for n in range(1, 6))
    marks = tuple(OutlineMark(at=one.id, place=one.id, text=one.id) for one in steps)
    whole = structs.replace(session_overview(document()), steps=steps, marks=marks)
    chosen = step_range(steps, 3, 4, UTC)
    assert chosen is not None

    assert [mark.at for mark in narrowed(whole, chosen, READER).marks] == ["t3", "t4"]

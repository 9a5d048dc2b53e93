from typing import Any

import pytest
from msgspec import structs

from tests.show.made import agent, at, call, chunk, document, step
from tests.show.views.hostile import PAYLOAD, Seen
from tests.show.views.sessions_made import READER, waiting
from unspool.model.api import Window
from unspool.model.document import (
    Metrics,
    PendingTool,
    PullRequest,
    SessionDocument,
    Status,
    Step,
    Todo,
    ToolHook,
    Turn,
)
from unspool.show.links import ExportLinks, LiveLinks
from unspool.show.pages import render
from unspool.show.viewers.registry import VIEWERS
from unspool.show.views.session import (
    agent_part,
    session_page,
    step_part,
    window_part,
)
from unspool.show.views.shell import Shell
from unspool.show.views.steps.around import Reader

SHELL = Shell(title="Make it quick", name="session", current="Sessions")
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


def page(made: SessionDocument, window: Window | None = None, **links: Any) -> str:
    return render(session_page(made, SHELL, READER, window), links.get("to", LIVE))


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
        "todos": (Todo(text, text),),
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


@pytest.mark.parametrize("name", [*VIEWERS, PAYLOAD, f"mcp__{PAYLOAD}"])
def test_nothing_of_a_transcript_becomes_an_element_or_an_attribute(name: str) -> None:
    for is_whole in (False, True):
        reader = Reader(now=READER.now, is_whole=is_whole)
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
    assert "49" not in page(document(chunk("user", "{{ 7*7 }}")))
    assert "{{ 7*7 }}" in page(document(chunk("user", "{{ 7*7 }}")))


def test_every_step_has_a_place_of_its_own() -> None:
    ids = Seen(page(waiting())).ids

    assert {"step-bad", "step-x", "step-now", "turn-1", "turn-2"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_outline_leads_to_places_on_the_page() -> None:
    seen = Seen(page(waiting()))
    places = {one.removeprefix("#") for one in seen.addresses if one.startswith("#")}

    assert places - {one for one in places if one.startswith("i-")} <= set(seen.ids)


def test_a_failure_can_be_read_without_opening_it() -> None:
    html = page(waiting())
    failed = html[html.index('id="step-bad"') :]

    assert failed.index("<details open>") < failed.index("boom")


def test_what_waits_stands_in_the_head_and_in_its_place() -> None:
    assert page(waiting()).count("rm -rf build") >= 2


def test_a_figure_says_how_it_came_to_be() -> None:
    answer = chunk("ai", metrics=Metrics(output_tokens=9, cost_usd=0.62))

    assert "Tokens of this answer, each answer counted once: 9 written." in page(document(answer))


def test_an_export_has_the_same_steps_and_leads_nowhere_else() -> None:
    live, alone = Seen(page(waiting())), Seen(page(waiting(), to=EXPORT))
    steps = [id for id in live.ids if id.startswith("step-")]

    assert [id for id in alone.ids if id.startswith("step-")] == steps
    assert not any(address.startswith(("/s/", "/part/", "/api/")) for address in alone.addresses)


def test_a_window_says_what_is_before_and_after_it() -> None:
    html = page(waiting(), Window(first=300, limit=4, total=400))

    assert "300 earlier" in html
    assert "96 later" in html


def test_a_whole_session_has_nothing_before_or_after_it() -> None:
    assert "earlier" not in page(waiting())


def test_an_empty_session_says_so() -> None:
    assert "Nothing was said yet" in page(document())


def test_a_picture_is_a_link_to_its_bytes() -> None:
    shot = structs.replace(call("Read", [{"type": "image"}], id="t", file_path="a.png"), line=7)
    made = document(chunk("ai", "", step("tool_call", id="t")), tool_executions=(shot,))

    assert any("/blob/" in address for address in Seen(page(made)).addresses)


def test_a_part_has_all_that_lies_behind_a_call() -> None:
    long = call("Bash", "line\n" * 5_000, id="t")
    part = step_part(document(tool_executions=(long,)), "t", Reader(now=0, is_whole=True))

    assert part is not None
    assert render(part, LIVE).count("line\n") >= 4_999


def test_a_call_that_is_not_there_has_no_part() -> None:
    assert step_part(document(), "t", READER) is None


def test_an_agent_s_part_has_its_steps() -> None:
    own = document(chunk("ai", "", step("output", "Found it.", id="o")))

    assert 'id="step-o"' in render(agent_part(own, "p", "s", READER), LIVE)


def test_a_window_s_part_is_what_the_page_shows() -> None:
    part = render(window_part(waiting(), READER), LIVE)

    assert part.strip() in page(waiting())

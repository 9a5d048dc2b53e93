from tests.show.html.sample_sessions import shown
from tests.show.made import agent, call, step
from unspool.show.export.markdown_steps import folded_block, step_blocks
from unspool.show.html.agent_lines import agent_line
from unspool.show.html.step_types import AgentItem, ApprovalItem, StepItem


def told(*found: StepItem) -> str:
    return "\n\n".join(part for part in step_blocks(found) if part)


def test_words_stand_as_they_are() -> None:
    assert told(*shown(step("output", "**Done.**"))) == "**Done.**"


def test_a_call_opens_on_what_lies_behind_it() -> None:
    made = shown(step("tool_call", id="t1"), calls=(call(result="hi", command="echo <hi>"),))

    assert told(*made).startswith(
        "<details><summary><b>Bash</b> echo &lt;hi&gt; · 4.2 s</summary>\n\n"
    )
    assert told(*made).endswith("```\nhi\n```\n\n</details>")


def test_a_call_with_nothing_behind_it_is_one_line() -> None:
    assert list(folded_block("title", [])) == ["<p>title</p>"]


def test_calls_that_only_looked_are_folded_together() -> None:
    found = [call("Read", "x", id=name, file_path=name) for name in ("a", "b")]
    made = shown(*(step("tool_call", id=name) for name in "ab"), calls=tuple(found))

    assert told(*made).startswith("<details><summary><b>Read</b> 2 files")
    assert told(*made).count("<details>") == told(*made).count("</details>") == 3


def test_thinking_is_quoted_and_folded() -> None:
    made = told(*shown(step("thinking", "so\n\nthen")))

    assert made.endswith("> so\n>\n> then\n\n</details>")


def test_a_notice_is_bold_and_its_text_quoted() -> None:
    made = told(*shown(step("notice", "<b>529</b>", name="api_error", is_error=True)))

    assert made == "**API error**\n\n> \\<b\\>529\\</b\\>"


def test_an_agent_holds_its_own_steps() -> None:
    inner = shown(step("output", "Found it."))
    made = told(AgentItem(id="x", line=agent_line(agent("x")), items=inner))

    assert made.startswith("<details><summary><b>Agent</b> Look at x")
    assert made.endswith("Found it.\n\n</details>")


def test_what_waits_for_the_reader_is_said() -> None:
    made = ApprovalItem(
        id="t", tool="Bash", what="rm -rf `x`", waits="Waiting for your approval", proof="hook"
    )

    assert told(made) == "**Waiting for your approval** Bash: `` rm -rf `x` ``"

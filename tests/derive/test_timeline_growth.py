"""However lines and hooks come and go, the timeline is the one made of what is there in the end."""

from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.derive.test_timeline import Story, hook, line
from tests.examples import examples
from unspool.model.live import LineEvent
from unspool.model.rows import HookRow

TIMES = st.sampled_from([0, 1_000, 2_500, 4_000, 50_000, 61_000, 63_000, 120_000, 180_500])
IDS = st.sampled_from(["t1", "t2", "t3"])
AGENTS = st.sampled_from(["", "", "a", "b"])
WORDS = st.sampled_from(["go on", "go", "/compact now"])
Make = Callable[[int], LineEvent | HookRow | str]


def prompt_line(at: int, source: int) -> Make:
    return lambda n: line(n, "user_prompt", at, source=source)


def call_line(at: int, source: int, id: str, agent: str) -> Make:
    return lambda n: line(
        n, "pre_tool_use", at, source=source, calls=((id, "Bash"),), agent_id=agent
    )


def result_line(at: int, source: int, id: str) -> Make:
    return lambda n: line(n, "post_tool_use", at, source=source, results=(id,))


def untimed_line(at: int, source: int) -> Make:
    return lambda n: line(n, "compact", after=at, source=source)


def prompt_hook(at: int, words: str) -> Make:
    return lambda n: hook(n, "user_prompt_submit", at, data={"prompt": words})


def call_hook(at: int, kind: str, id: str, agent: str) -> Make:
    return lambda n: hook(n, kind, at, tool_use_id=id, tool_name="Bash", agent_id=agent)


def other_hook(at: int, kind: str, agent: str) -> Make:
    return lambda n: hook(n, kind, at, agent_id=agent, data={})


SOURCES = st.sampled_from([7, 8])
KINDS = st.sampled_from(["pre_tool_use", "post_tool_use", "post_tool_use_failure"])
OTHERS = st.sampled_from(["subagent_start", "subagent_stop", "session_end", "stop"])
STEPS: st.SearchStrategy[Make] = st.one_of(
    st.builds(prompt_line, TIMES, SOURCES),
    st.builds(call_line, TIMES, SOURCES, IDS, AGENTS),
    st.builds(result_line, TIMES, SOURCES, IDS),
    st.builds(untimed_line, TIMES, SOURCES),
    st.builds(prompt_hook, TIMES, WORDS),
    st.builds(call_hook, TIMES, KINDS, IDS, AGENTS),
    st.builds(other_hook, TIMES, OTHERS, AGENTS),
    st.sampled_from(["drop", "lose", "drop_source"]).map(lambda what: lambda _: what),
)


@settings(max_examples=examples(60), deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=14))
@example(steps=[prompt_hook(0, "go"), prompt_hook(1_000, "go"), prompt_line(1_000, 7)])
@example(steps=[prompt_line(50_000, 7), prompt_hook(0, "go"), prompt_line(1_000, 7)])
def test_a_timeline_that_grew_is_the_one_made_at_once(steps: list[Make]) -> None:
    story = Story("let us go on </compact>")
    for number, make in enumerate(steps, 1):
        made = make(number)
        if isinstance(made, LineEvent):
            story.add([made], [])
        elif isinstance(made, HookRow):
            story.add([], [made])
        else:
            shrink(story, made, number)
        story.events()


def shrink(story: Story, what: str, number: int) -> None:
    """Take something away again, if there is something."""
    lines, hooks = list(story.lines), list(story.hooks.values())
    if what == "drop" and lines:
        story.drop(lines[number % len(lines)])
    elif what == "lose" and hooks:
        story.lose(hooks[number % len(hooks)])
    elif what == "drop_source":
        story.lines = {id: one for id, one in story.lines.items() if one.place.source_id != 8}
        story.index.drop_source(8)


@settings(deadline=None)
@given(
    story=st.lists(st.tuples(TIMES, st.integers(0, 9)), min_size=1, max_size=20),
    gone=st.lists(st.integers(0, 19)),
)
def test_tokens_are_summed_in_the_order_of_events(
    story: list[tuple[int, int]], gone: list[int]
) -> None:
    made = Story()
    for number, (at, tokens) in enumerate(story, 1):
        one = line(number, "thinking", at)
        made.add([one], [])
        made.used[number] = (tokens, 0, 0, 1)
        position = made.index.columns.find((one.order, 7, number))
        assert position is not None
        made.index.columns.add_tokens(position, (tokens, 0, 0, 1))
    for index in gone:
        if index + 1 in made.lines:
            made.drop(index + 1)
            del made.used[index + 1]
    sums = [made.index.columns.tokens(n) for n in range(len(made.lines))]

    assert sums == [event.tokens for event in made.events()]

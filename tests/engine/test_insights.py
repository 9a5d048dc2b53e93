from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, server_context
from tests.waiting import until
from unspool.demo import Transcript
from unspool.engine import insights
from unspool.engine.insights import ActivityCache

EVER = 2**62
ONE = ("-home-dev-kettle", "session-one")
TWO = ("-home-dev-kettle", "session-two")


def test_what_the_tools_did_is_counted(site: Served) -> None:
    (bash,) = site.context.insights.tools(0, EVER).counts

    assert (bash.name, bash.calls, bash.errors) == ("Bash", 2, 0)


def test_of_very_many_responses_the_newest_hours_are_read(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.context.insights.tools(0, EVER).since is None
    monkeypatch.setattr(insights, "_MAX_RESPONSES", 1)
    newest = site.context.insights.tools(0, EVER - 1)

    assert newest.since == 1_767_348_000_000  # the hour of the later session
    assert newest.counts[0].calls == 1


def test_every_side_comes_to_the_same(site: Served) -> None:
    found = site.context.insights.causes(None)

    assert found.pico > 0
    for side in (found.kinds, found.askers, found.tools):
        assert sum(one.pico for one in side) == found.pico


def test_only_the_time_that_is_asked_for_counts(site: Served) -> None:
    day = 86_400_000
    second = 1_767_225_600_000 + day  # 2026-01-02

    assert site.context.insights.tools(second, second + day).counts[0].calls == 1
    assert site.context.insights.tools(0, 1).counts == ()


def test_one_project_is_only_its_own(site: Served) -> None:
    assert site.context.insights.causes(None, ("-home-dev-kettle",)).pico > 0
    assert site.context.insights.causes(None, ("-elsewhere",)).pico == 0


def test_what_another_root_did_is_not_counted(site: Served, tmp_path: Path) -> None:
    theirs = root(tmp_path / "theirs", talk("session-three", day=3))
    indexed(theirs)
    with server_context(theirs) as made:
        assert Served(made).context.insights.tools(0, EVER).counts[0].calls == 1
    assert site.context.insights.tools(0, EVER).counts[0].calls == 2


def test_it_is_not_worked_out_for_every_page(site: Served, place: Path) -> None:
    before = site.context.insights.causes(None)
    indexed(root(place, talk("session-three", day=3)))

    assert site.context.insights.causes(None) == before


def test_a_session_has_its_turns_and_calls(site: Served) -> None:
    strip = site.context.activity.strips([ONE])[ONE]

    assert (len(strip.turns), len(strip.calls)) == (1, 1)


def test_a_strip_is_read_again_only_after_its_session_has_changed(
    site: Served, place: Path
) -> None:
    first = site.context.activity.strips([ONE, TWO])
    indexed(root(place, talk("session-two", day=2).user("more").says("Yes.", id="more-2")))

    assert until(lambda: len(site.context.activity.strips([TWO])[TWO].turns) == 2)
    assert site.context.activity.strips([ONE])[ONE] is first[ONE]


def test_an_agent_that_is_indexed_after_its_session_is_on_the_strip(
    site: Served, place: Path
) -> None:
    assert not site.context.activity.strips([ONE])[ONE].agents
    made = Transcript(session="session-one", agent="a1", cwd="/home/dev/kettle")
    made.user("Look").says("Done.").meta(agentType="Explore").save(place)
    indexed(place)

    assert until(lambda: len(site.context.activity.strips([ONE])[ONE].agents) == 1)


def test_after_very_many_changes_any_strip_is_read_again(
    site: Served, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insights, "_MAX_CHANGES", 1)
    first = site.context.activity.strips([ONE])[ONE]
    indexed(root(place, talk("session-three", day=3)))

    assert until(lambda: site.context.activity.strips([ONE])[ONE] is not first)


def test_an_unknown_session_has_no_strip(site: Served) -> None:
    assert site.context.activity.strips([("-nowhere", "nobody")]) == {}


def test_of_many_that_changed_some_wait_for_the_next_request(site: Served, place: Path) -> None:
    cache = ActivityCache(site.context.store, at_once=0.0)
    first = cache.strips([ONE, TWO])
    indexed(
        root(
            place,
            talk().user("more").says("Yes.", id="more-1"),
            talk("session-two", day=2).user("more").says("Yes.", id="more-2"),
        )
    )

    def read_again() -> int:
        strips = cache.strips([ONE, TWO])
        seen.append(sum(strip is not first[name] for name, strip in strips.items()))
        return seen[-1]

    seen: list[int] = []
    assert until(lambda: read_again() == 2)
    assert 1 in seen  # not both at once

from __future__ import annotations

from tests.demo.generator.made import Begin, finished
from unspool.demo.generator.scenes.errand import (
    catch_up,
    completed,
    echo,
    enter,
    errand,
    notification,
    perform,
)


def test_an_errand_is_asked_for_in_its_call(begin: Begin) -> None:
    play = begin("2.1")
    sent = errand(play, play.main, name="builder")

    assert sent.call.name == "Task"
    assert sent.call.input["prompt"] == sent.prompt
    assert sent.call.input["name"] == "builder"


def test_an_agent_of_an_agent_names_its_parent(begin: Begin) -> None:
    play = begin()
    first = enter(play, errand(play, play.main))
    second = errand(play, first)
    play.leave(first)

    assert (second.truth()["parentAgentId"], second.depth) == (first.reel.agent, 2)


def test_an_agents_work_is_counted_apart(begin: Begin) -> None:
    play = begin()
    sent = errand(play, play.main)
    agent = enter(play, sent)
    words = perform(play, agent, sent)

    assert (play.truth.main.messages, play.truth.subagents.messages > 1) == (0, True)
    assert completed(play, sent, agent, words)["usage"]["output_tokens"] == agent.last.output


def test_an_echo_embeds_the_agents_own_lines(begin: Begin) -> None:
    play = begin("2.1")
    sent = errand(play, play.main)
    agent = enter(play, sent)
    agent.reel.tape = []
    perform(play, agent, sent)
    echo(sent, agent)
    embedded = [line["data"]["message"]["uuid"] for line in finished(play)]

    assert embedded == [line["uuid"] for line in agent.reel.tape[:6]]


def test_a_parent_waits_for_its_agent_and_never_goes_back(begin: Begin) -> None:
    play = begin()
    agent = enter(play, errand(play, play.main))
    agent.reel.wait(500)
    catch_up(play.main, agent)
    waited = play.main.reel.clock.next
    play.main.reel.wait(500)
    catch_up(play.main, agent)
    play.leave(agent)

    assert waited == agent.reel.clock.next < play.main.reel.clock.next


def test_a_notification_names_the_task_and_its_call(begin: Begin) -> None:
    play = begin()
    sent = errand(play, play.main)
    note = notification(sent, "done")

    assert f"<task-id>{sent.agent}</task-id>" in note
    assert f"<tool-use-id>{sent.call.id}</tool-use-id>" in note

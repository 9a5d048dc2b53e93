from tests.derive.insights.facts import PICO, call, response
from unspool.derive.insights.causes import Material, causes, costs_by_call
from unspool.model.prices import PriceTable


def test_every_side_comes_to_the_whole() -> None:
    calls = [call("Bash", 1_500)]
    responses = [response(1_000, 2.0), response(2_000, 1.0, agent="a1")]
    found = causes(Material(calls, responses, {}, {(1, "a1"): "Plan"}), PriceTable())

    assert found.pico == 3 * PICO
    assert sum(one.pico for one in found.tools) == sum(one.pico for one in found.askers) == 3 * PICO
    assert found.breaks == ()


def test_a_call_costs_its_part_of_its_response() -> None:
    calls = [call("Bash", 1_500), call("Read", 1_600)]

    assert costs_by_call(calls, [response(1_000, 2.0)]) == {
        "Bash-1500": PICO,
        "Read-1600": PICO,
    }

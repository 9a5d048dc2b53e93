from datetime import UTC, datetime, timedelta

from unspool.demo.script.steps import OPUS
from unspool.demo.script.tokens import TokenMeter, output_tokens, usage_fields

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


def meter(*, is_agent: bool = False) -> TokenMeter:
    made = TokenMeter(is_agent=is_agent)
    made.respond(NOW, 100, "first")
    return made


def test_the_next_response_reads_what_was_written() -> None:
    made = meter()
    before = made.context
    made.add("x" * 3_400)
    usage = made.respond(NOW + timedelta(minutes=50), 100, "second")

    assert usage.read == before
    assert 1_000 < usage.write_1h < 1_300
    assert usage.write_5m == 0


def test_after_an_hour_all_is_written_again() -> None:
    made = meter()
    before = made.context
    usage = made.respond(NOW + timedelta(minutes=61), 100, "second")

    assert usage.read == 0
    assert usage.write_1h > before


def test_agents_have_a_cache_of_five_minutes() -> None:
    made = meter(is_agent=True)
    soon = made.respond(NOW + timedelta(minutes=4), 100, "second")
    late = made.respond(NOW + timedelta(minutes=10), 100, "third")

    assert (soon.read > 0, soon.write_5m > 0, soon.write_1h) == (True, True, 0)
    assert late.read == 0


def test_a_compaction_leaves_the_summary() -> None:
    made = meter()
    for _ in range(10):
        made.add_result("y" * 9_000)
    before, after = made.compact("a summary")

    first = TokenMeter(is_agent=False).respond(NOW, 100, "first").prompt
    assert before > first + 20_000
    assert abs(after - first) < 100


def test_thought_counts_and_easy_calls_need_less_of_it() -> None:
    plain = output_tokens(OPUS, "same", "")

    assert output_tokens(OPUS, "same", "hm") > plain + 400
    assert output_tokens(OPUS, "same", "", tool="TodoWrite") < plain / 2


def test_a_first_request_is_half_cached_and_that_of_an_agent_is_smaller() -> None:
    main = TokenMeter(is_agent=False).respond(NOW, 100, "first")
    agent = TokenMeter(is_agent=True).respond(NOW, 100, "first")

    assert main.read > main.written > 10_000
    assert agent.prompt < main.prompt / 2


def test_usage_is_written_as_the_api_does() -> None:
    fields = usage_fields(meter().respond(NOW, 7, "second"))

    assert fields["output_tokens"] == 7
    assert fields["cache_creation_input_tokens"] == sum(fields["cache_creation"].values())  # type: ignore[attr-defined]

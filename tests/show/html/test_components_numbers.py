from unspool.model.document import ClientCost, Metrics, TotalMetrics
from unspool.show.html.components import Number, cost_number, token_number, total_number


def test_a_cost_says_which_tokens_it_is_for() -> None:
    made = cost_number(Metrics(input_tokens=3_100, output_tokens=9, cost_usd=0.62), "this turn")

    assert made.text == "$0.62"
    assert "Tokens of this turn" in made.why
    assert "3,100 input, 9 output" in made.why


def test_what_makes_a_cost_doubtful_is_said() -> None:
    made = cost_number(Metrics(cost_usd=None, unpriced=("claude-new-1",), lower_bound=True))

    assert made.text == "unpriced"
    assert "No price for new-1." in made.why
    assert "incomplete on disk" in made.why


def test_a_total_tells_what_agents_cost_and_what_the_client_says() -> None:
    whole = TotalMetrics(cost_usd=3.0, cost_state=ClientCost(3.12))
    made = total_number(whole, Metrics(cost_usd=2.0), Metrics(cost_usd=1.0, total_tokens=5))

    assert "$2.00 by the main session and $1.00 by agents" in made.why
    assert "Claude Code reports $3.12." in made.why


def test_without_agents_nobody_speaks_of_them() -> None:
    assert "agents" not in total_number(TotalMetrics(), Metrics(), Metrics()).why


def test_tokens_are_short_and_explained() -> None:
    assert token_number(Metrics(total_tokens=1_200, output_tokens=1_200)).text == "1.2k tokens"


def test_a_number_without_text_is_nothing() -> None:
    assert not Number("", "why")

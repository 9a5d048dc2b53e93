"""What the lines beside the talk say."""

from tests.derive.session_facts import session_facts_of
from unspool.demo import Transcript
from unspool.model.document import ClientCost, PullRequest


# format 15
def test_of_repeated_cost_states_the_last_counts() -> None:
    made = Transcript().entry("cost-state", totalCostUSD=0.1).user("go")
    made.entry("cost-state", totalCostUSD=0.3, hasUnknownModelCost=True)

    assert session_facts_of(made).cost_state == ClientCost(0.3, True)


def test_a_cost_state_without_a_figure_changes_nothing() -> None:
    made = Transcript().entry("cost-state", totalCostUSD=0.1).entry("cost-state")

    assert session_facts_of(made).cost_state == ClientCost(0.1)


def test_a_pull_request_written_again_is_listed_once_as_it_was_last() -> None:
    made = Transcript().entry("pr-link", prNumber=7, prUrl="old").entry("pr-link", prNumber=8)
    made.entry("pr-link", prNumber=7, prUrl="new", prRepository="o/r")

    assert session_facts_of(made).pull_requests == (PullRequest(7, "new", "o/r"), PullRequest(8))


def test_pull_requests_without_a_number_are_told_apart_by_their_address() -> None:
    made = Transcript().entry("pr-link", prUrl="a").entry("pr-link", prUrl="b")

    assert [one.url for one in session_facts_of(made).pull_requests] == ["a", "b"]


def test_an_empty_value_takes_an_earlier_one_back() -> None:
    made = Transcript().user("go").entry("custom-title", customTitle="Mine").entry("tag", tag="x")
    made.entry("custom-title", customTitle="").entry("tag", tag="")

    assert (session_facts_of(made).title, session_facts_of(made).tag) == ("go", "")


def test_the_permission_mode_is_the_last_one_from_either_kind_of_line() -> None:
    made = Transcript().entry("permission-mode", permissionMode="default")
    made.user("go", permissionMode="plan")

    assert session_facts_of(made).permission_mode == "plan"
    made.entry("permission-mode", permissionMode="auto")
    assert session_facts_of(made).permission_mode == "auto"


def test_a_session_may_say_where_it_goes_on() -> None:
    made = Transcript().user("go").entry("continued-in", continuedInSessionId="s2")

    assert session_facts_of(made).continued_in == "s2"


def test_of_two_summaries_of_this_file_the_last_is_its_title() -> None:
    made = Transcript().user("go").says("ok").entry("summary", summary="One", leafUuid="u2")
    made.entry("summary", summary="Two", leafUuid="u1").entry("summary", summary="", leafUuid="u1")

    assert session_facts_of(made).title == "Two"

from unspool.show.viewers import plan
from unspool.show.viewers.pieces import Amount, Output, Words


def test_what_was_said_to_a_plan_follows_it() -> None:
    first, then = plan.pieces({"plan": "Do it"}, "Approved", Amount())

    assert first == Words("Do it")
    assert isinstance(then, Output)

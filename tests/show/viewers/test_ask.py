from unspool.show.viewers import ask
from unspool.show.viewers.pieces import Amount, Output, Question


def test_an_answer_of_one_s_own_is_kept() -> None:
    told = 'User has answered: "Where?"="On disk".'
    (made,) = ask.pieces({"questions": [{"question": "Where?"}]}, told, Amount())

    assert isinstance(made, Question)
    assert made.answer == "On disk"


def test_without_a_question_the_answer_is_shown() -> None:
    (made,) = ask.pieces({}, "hm", Amount())

    assert isinstance(made, Output)

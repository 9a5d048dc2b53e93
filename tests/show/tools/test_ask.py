from tests.show.made import texts
from unspool.show.tools import ask
from unspool.show.tools.details import DetailBuilder, OutputDetail, PairsDetail, QuestionDetail

ONE = {"question": "Which?", "options": [{"label": "Left"}, {"label": "Right"}, {}]}
ASKED = {"questions": [ONE]}


def test_a_question_is_its_own_summary() -> None:
    assert ask.summary(ASKED, None) == "Which?"
    assert ask.summary({"questions": [ONE, ONE]}, None) == "2 questions"
    assert ask.facts(ASKED, None) == ""


def test_the_chosen_answer_is_marked() -> None:
    shown = ask.preview(ASKED, {"answers": {"Which?": "Right"}}, failed=False)

    assert texts(shown)[:2] == ["○ Left", "● Right"]


def test_an_answer_told_in_a_sentence_is_found() -> None:
    shown = ask.preview(ASKED, 'The user answered: "Which?"="Left".', failed=False)

    assert texts(shown)[0] == "● Left"


def test_an_answer_of_ones_own_is_added() -> None:
    shown = ask.preview(ASKED, {"answers": {"Which?": "Neither"}}, failed=False)

    assert texts(shown)[-1] == "● Neither"


def test_of_several_questions_each_is_named() -> None:
    assert texts(ask.preview({"questions": [ONE, ONE]}, None, failed=False)).count("Which?") == 2


def test_more_questions_or_options_than_anybody_asks_are_shown_as_they_were_written() -> None:
    many = {"question": "Which?", "options": [{"label": "Left"}] * 51}
    for input in ({"questions": [many]}, {"questions": [ONE] * 51}):
        made = ask.details(input, "Left", DetailBuilder())

        assert isinstance(made[0], PairsDetail)
        assert made[0].rows[0][1].startswith('[{"question":"Which?"')
        assert texts(ask.preview(input, "Left", failed=False)) == ["Left"]


def test_without_questions_what_was_said_is_shown() -> None:
    assert texts(ask.preview({}, "No answer", failed=False)) == ["No answer"]
    assert ask.preview({}, None, failed=False) == []


def test_an_answer_of_one_s_own_is_kept() -> None:
    told = 'User has answered: "Where?"="On disk".'
    (made,) = ask.details({"questions": [{"question": "Where?"}]}, told, DetailBuilder())

    assert isinstance(made, QuestionDetail)
    assert made.answer == "On disk"


def test_without_a_question_the_answer_is_shown() -> None:
    (made,) = ask.details({}, "hm", DetailBuilder())

    assert isinstance(made, OutputDetail)

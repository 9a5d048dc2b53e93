"""AskUserQuestion: each question with its options and the answer."""

from collections.abc import Iterator

from unspool.show import safe
from unspool.show.numbers import plural
from unspool.show.spans import Line
from unspool.show.tools import fallback
from unspool.show.tools.details import Choice, Detail, DetailBuilder, QuestionDetail
from unspool.show.tools.values import Fields, fields, result_text, rows, text

_MOST = 50  # questions, and options of one: the tool itself allows four
_LONGEST = 10_000


def summary(input: Fields, result: object) -> str:
    """The question, or how many."""
    questions = rows(input, "questions")
    if len(questions) > 1:
        return plural(len(questions), "question")
    return safe.brief(text(questions[0] if questions else input, "question", "prompt"))


def facts(input: Fields, result: object) -> str:
    """Nothing: the answer is in the list."""
    return ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """Questions with their options; the chosen one is marked."""
    questions = _questions(input)
    lines = [
        line
        for one in questions
        for line in _question_lines(one, _answer(one, input, result), len(questions) > 1)
    ]
    reply = result_text(result)
    return lines or [(("", safe.brief(reply)),)] * bool(reply.strip())


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """Each question; without any, the reply; too many of them as they were written."""
    questions: list[Detail] = [
        _question(one, _answer(one, input, result)) for one in _questions(input)
    ]
    if not questions and rows(input, "questions"):
        return fallback.details(input, result, build)
    return questions or build.output(result_text(result), "answer")


def _questions(input: Fields) -> list[Fields]:
    questions = rows(input, "questions")
    is_usual = max([len(questions), *(len(rows(one, "options")) for one in questions)]) <= _MOST
    return questions if is_usual else []


def _answer(question: Fields, input: Fields, result: object) -> str:
    name = text(question, "question")
    answers = fields(fields(result).get("answers")) or fields(input.get("answers"))
    # Without structured answers the result is a sentence that has "question"="answer" in it.
    after = result_text(result).partition(f'"{name}"="')[2] if name else ""
    return (text(answers, name) or after.partition('"')[0])[:_LONGEST]


def _question_lines(one: Fields, answer: str, with_title: bool) -> Iterator[Line]:
    if with_title:
        yield (("strong", safe.brief(text(one, "question"), 300)),)
    labels = [text(option, "label") for option in rows(one, "options")]
    for label in labels:
        chosen = bool(label) and label in answer
        yield (("good" if chosen else "dim", f"{'●' if chosen else '○'} {safe.brief(label, 200)}"),)
    if answer and not any(label and label in answer for label in labels):
        yield (("good", f"● {safe.brief(answer, 300)}"),)


def _question(one: Fields, answer: str) -> QuestionDetail:
    choices = tuple(_choice(option, answer) for option in rows(one, "options"))
    other = "" if any(choice.is_chosen for choice in choices) else safe.brief(answer, 1_000)
    return QuestionDetail(safe.brief(text(one, "question"), 1_000), choices, other)


def _choice(option: Fields, answer: str) -> Choice:
    label = text(option, "label")
    chosen = bool(label) and label in answer
    return Choice(safe.brief(label), safe.brief(text(option, "description")), chosen)

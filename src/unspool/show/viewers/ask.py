"""AskUserQuestion: each question, its answers to choose from, and the one chosen."""

from unspool.show import safe
from unspool.show.tools.values import Fields, fields, rows, said, text
from unspool.show.viewers.pieces import Amount, Choice, Piece, Question


def pieces(input: Fields, result: object, amount: Amount) -> list[Piece]:
    """Questions in their order; where none is told, what was answered."""
    answers = fields(fields(result).get("answers")) or fields(input.get("answers"))
    told = said(result)
    asked: list[Piece] = [_question(one, answers, told) for one in rows(input, "questions")]
    return asked or amount.output(told, "answer")


def _question(one: Fields, answers: Fields, told: str) -> Question:
    question = text(one, "question")
    # Told in a sentence as "question"="answer", where the structured answers are not at hand.
    quoted = told.partition(f'"{question}"="')[2].partition('"')[0] if question else ""
    given = text(answers, question) or quoted
    choices = tuple(_choice(option, given) for option in rows(one, "options"))
    other = "" if any(choice.is_chosen for choice in choices) else safe.brief(given, 1_000)
    return Question(safe.brief(question, 1_000), choices, other)


def _choice(option: Fields, given: str) -> Choice:
    label = text(option, "label")
    chosen = bool(label) and label in given
    return Choice(safe.brief(label), safe.brief(text(option, "description")), chosen)

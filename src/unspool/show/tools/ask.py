"""AskUserQuestion: each question, its answers to choose from, and the one chosen."""

from collections.abc import Iterator

from unspool.show import safe
from unspool.show.money import plural
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, fields, rows, said, text


def summary(input: Fields, result: object) -> str:
    """The question, or how many."""
    asked = rows(input, "questions")
    if len(asked) > 1:
        return plural(len(asked), "question")
    return safe.brief(text(asked[0] if asked else input, "question", "prompt"))


def facts(input: Fields, result: object) -> str:
    """Nothing: the answer is in the list."""
    return ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """Questions with their options; the chosen one is marked."""
    asked = rows(input, "questions")
    answers = fields(fields(result).get("answers")) or fields(input.get("answers"))
    told = said(result)
    lines = [line for one in asked for line in _question(one, answers, told, len(asked) > 1)]
    return lines or [(("", safe.brief(told)),)] * bool(told.strip())


def _question(one: Fields, answers: Fields, told: str, named: bool) -> Iterator[Line]:
    question = text(one, "question")
    if named:
        yield (("strong", safe.brief(question, 300)),)
    # Told in a sentence as "question"="answer", where the structured answers are not at hand.
    quoted = told.partition(f'"{question}"="')[2].partition('"')[0] if question else ""
    given = text(answers, question) or quoted
    labels = [text(option, "label") for option in rows(one, "options")]
    for label in labels:
        chosen = bool(label) and label in given
        yield (("good" if chosen else "dim", f"{'●' if chosen else '○'} {safe.brief(label, 200)}"),)
    if given and not any(label and label in given for label in labels):
        yield (("good", f"● {safe.brief(given, 300)}"),)

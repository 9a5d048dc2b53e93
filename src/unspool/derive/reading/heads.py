"""A long text -> its beginning, as much as is kept of it."""


def beginning(text: str, most: int) -> str:
    """At most so many characters, up to the end of a word.

    What is kept is redacted when it is shown, and half a secret is not known for one. A word that
    takes more than half of the room is cut all the same.
    """
    if len(text) <= most:
        return text
    head = text[: most + 1]
    at = next((n for n in range(most, most // 2, -1) if head[n].isspace()), most)
    return head[:at]

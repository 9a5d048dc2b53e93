"""An entry -> the type it was written with."""

from unspool.model.transcript import Entry, Oversize, Unknown, Unreadable


def type_of(entry: Entry) -> str:
    """The word in its line; "" where the line could not be read."""
    if isinstance(entry, Unknown):
        return entry.type
    if isinstance(entry, Unreadable | Oversize):
        return ""
    tag = type(entry).__struct_config__.tag
    return tag if isinstance(tag, str) else ""

"""The words of the full-text indexes: how they split a text, and which have a part in common."""

from collections.abc import Callable, Collection
from typing import Final

import apsw

from unspool.store.sqlite.writing.texts import MARKS, TABLES

_TOKENIZER: Final = ("unicode61", ["remove_diacritics", "2"])

# A prefix of more words than this is left to the index.
_MOST_WORDS = 100
# From one word to the next: the vocabulary lists a word once for each of its occurrences. The
# words that begin with another sort after it, and none has a character as low as char(1).
_WITH_PREFIX: Final = """
    WITH RECURSIVE word (term) AS (
        SELECT (SELECT term FROM {0} WHERE term >= ?1 AND term < ?2 LIMIT 1)
        UNION ALL
        SELECT (SELECT term FROM {0} WHERE term >= word.term || char(1) AND term < ?2 LIMIT 1)
        FROM word WHERE word.term IS NOT NULL
    )
    SELECT term FROM word WHERE term IS NOT NULL LIMIT ?3
"""
# FTS5 cuts longer words off: the rest may have had any part, and half a character may end it.
_CUT_OFF = 32_768  # bytes
_LONGEST = 100
_WITH_PARTS: Final = """
    SELECT iif(octet_length(term) < ?1, term, ''), substr(term, 1, ?2)
    FROM {} WHERE octet_length(term) >= ?1 {}
"""


def word_splitter(connection: apsw.Connection) -> Callable[[str], list[str]]:
    """A function that splits a text into words as the indexes do."""
    tokenize = connection.fts5_tokenizer(*_TOKENIZER)

    def split(text: str) -> list[str]:
        data = text.encode("utf-8", "replace")
        how = apsw.FTS5_TOKENIZE_DOCUMENT
        tokens = tokenize(data, how, None, include_offsets=False, include_colocated=False)
        return [str(token) for token in tokens]

    return split


def words_with_prefix(connection: apsw.Connection, table: str, prefix: str) -> list[str] | None:
    """The words of a full-text index that have a prefix, sorted; None where there are too many."""
    name = _open(connection, table, "instance")
    ask, end = _WITH_PREFIX.format(name), prefix + chr(0x10FFFF)
    words = [word for (word,) in connection.execute(ask, (prefix, end, _MOST_WORDS + 1))]
    return words if len(words) <= _MOST_WORDS else None


def words_with(
    connection: apsw.Connection, parts: Collection[str], limit: int
) -> dict[str, list[str] | None]:
    """The words that contain each part, in all indexes; None if there are more than `limit`.

    A long word stands as a prefix, with a star. A part that is no part of a word gives None.
    """
    split = word_splitter(connection)
    folded = {part: words[0] for part in parts if len(words := split(part)) == 1}
    terms = {part: set[str]() for part in folded.values()}
    for table in TABLES if terms else ():
        conditions = "OR instr(term, ?)" * len(terms)
        ask = _WITH_PARTS.format(_open(connection, table, "row"), conditions)
        for word, head in connection.execute(ask, (_CUT_OFF, _LONGEST + 1, *terms)):
            term = head if len(head) <= _LONGEST else f"{head[:_LONGEST]}*"
            for part, some in terms.items() if word not in MARKS else ():
                if len(some) <= limit and (part in word or not word):
                    some.add(term)
    found = ((part, terms.get(folded.get(part, ""))) for part in parts)
    return {
        part: sorted(some) if some is not None and len(some) <= limit else None
        for part, some in found
    }


def _open(connection: apsw.Connection, table: str, detail: str) -> str:
    """Create a vocabulary table once per connection, even on one that cannot write; its name."""
    name = f"{table}_{detail}"
    if connection.execute("SELECT 1 FROM sqlite_temp_schema WHERE name = ?", (name,)).get is None:
        query_only = connection.execute("PRAGMA query_only").get
        connection.execute("PRAGMA query_only = OFF")
        create = f"CREATE VIRTUAL TABLE temp.{name} USING fts5vocab(main, {table}, {detail})"
        connection.execute(create)
        connection.execute(f"PRAGMA query_only = {query_only}")
    return name

"""What a search asks for -> conditions on the table of texts. User text is never syntax."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, Final, NamedTuple

from unspool.model.query import TextQuery
from unspool.store.postgres.search.vectors import CUT, lexeme
from unspool.store.terms import Term, terms, words

_SESSIONS: Final = """b.session = ANY(ARRAY(
    SELECT e.session FROM session AS e
    WHERE e.owner = ANY(%(visible)s) AND starts_with(e.session_id, %(session)s)))
"""
# Asked of each line that is found: all sessions of a project, or of a machine, would be many.
_PROJECTS: Final = """(
    SELECT e.project_id FROM session AS e WHERE e.owner = b.owner AND e.session = b.session
) = ANY(%(projects)s::text[])"""
_SAME_LINE: Final = """
    p.owner = b.owner AND p.source = b.source AND p."offset" = b."offset" AND p.at = b.at
    AND p.at >= %(since)s AND p.at < %(until)s
"""
_TIMES: Final = "b.at >= %(since)s AND b.at < %(until)s"
_MATCHES: Final = "b.words @@ %(all)s::tsquery"
_LINE: Final = 'b.at, b.source_id, b."offset", b.owner, b.source, b.session, b.text_kind'
_AFTER: Final = '(b.at, b.source_id, b."offset") < (%(last_at)s, %(last_source)s, %(last_offset)s)'
_NEWEST: Final = 'b.at DESC, b.source_id DESC, b."offset" DESC'
# Owner by owner, since an index gives the newest lines in order for one owner alone.
_LISTED: Final = f"""
    SELECT listed.* FROM unnest(%(visible)s::int[]) AS v (owner) CROSS JOIN LATERAL (
        SELECT {_LINE} FROM body AS b WHERE b.owner = v.owner AND {_TIMES} AND b.part = 0 AND {{}}
        ORDER BY {_NEWEST} LIMIT %(limit)s
    ) AS listed
"""  # noqa: S608
# The newest texts of a window, in the order of an index: of everybody, or of few.
_LATEST: Final = f"""
    SELECT * FROM body AS b WHERE {_TIMES} AND -b.at > -%(until)s AND {{}}
    ORDER BY -b.at, b.source_id DESC, b."offset" DESC LIMIT %(texts)s
"""  # noqa: S608
_LATEST_OF_FEW: Final = f"""
    SELECT b.* FROM unnest(%(visible)s::int[]) AS v (owner) CROSS JOIN LATERAL (
        SELECT * FROM body AS b WHERE b.owner = v.owner AND {_TIMES} AND {{}}
        ORDER BY {_NEWEST} LIMIT %(texts)s
    ) AS b ORDER BY {_NEWEST} LIMIT %(texts)s
"""  # noqa: S608


class SearchConditions(NamedTuple):
    """The terms of a search, each as a tsquery, and its other conditions with their values."""

    terms: tuple[str, ...]
    where: str
    values: dict[str, Any]

    def lines(self, *, is_next_page: bool = False) -> str:
        """A statement for the lines of one window that match, each once.

        A long text has several parts: a line has all terms also if no part of it has them all.
        """
        more = f"{self.where} AND {_AFTER if is_next_page else 'true'}"
        if not self.terms:
            return _LISTED.format(more)
        where = f"b.owner = ANY(%(visible)s) AND {_TIMES} AND {more}"
        whole = f"SELECT DISTINCT {_LINE} FROM body AS b WHERE {where} AND {_MATCHES}"  # noqa: S608
        if len(self.terms) == 1:
            return whole
        return f"""{whole} UNION
            SELECT DISTINCT {_LINE} FROM body AS b WHERE {where} AND {self._in_parts}
        """  # noqa: S608

    def among_latest(self, *, are_few: bool, is_next_page: bool = False) -> str:
        """The same of nothing but the newest texts of the window, each of which is looked into."""
        latest = (_LATEST_OF_FEW if are_few else _LATEST).format(_AFTER if is_next_page else "true")
        matches = _MATCHES if len(self.terms) == 1 else f"({_MATCHES} OR {self._in_parts})"
        return f"""SELECT DISTINCT {_LINE} FROM ({latest}) AS b
            WHERE b.owner = ANY(%(visible)s) AND {self.where} AND {matches}
        """  # noqa: S608

    @property
    def _in_parts(self) -> str:
        """Whether a text has all terms, though none of its parts does."""
        others = " AND ".join(
            f"EXISTS (SELECT 1 FROM body AS p WHERE {_SAME_LINE}"  # noqa: S608
            f" AND p.words @@ %(term{number})s::tsquery)"
            for number in range(1, len(self.terms))
        )
        return f"b.words @@ %(term0)s::tsquery AND b.parts > 1 AND {others}"


def conditions(query: TextQuery) -> SearchConditions | None:
    """None where nothing can match."""
    wanted = terms(query.terms)
    groups = [list(chain.from_iterable(map(terms, group))) for group in query.one_of]
    if (query.terms.strip() and not wanted) or not all(groups):
        return None
    found = [*map(_phrase, wanted), *map(_alternatives, groups)]
    asked = tuple(one for one in found if one)
    where, values = _filters(query)
    values["all"] = " & ".join(f"({one})" for one in asked)
    values |= {f"term{number}": one for number, one in enumerate(asked)}
    return SearchConditions(asked, where, values)


def _filters(query: TextQuery) -> tuple[str, dict[str, Any]]:
    where, values = ["true"], dict[str, Any]()
    if query.projects is not None:
        where.append(_PROJECTS)
        values["projects"] = list(query.projects)
    if query.session:
        where.append(_SESSIONS)
        values["session"] = query.session
    if query.kinds:
        where.append("b.text_kind = ANY(%(kinds)s::text[])")
        values["kinds"] = list(query.kinds)
    return " AND ".join(where), values


def _alternatives(group: Iterable[Term]) -> str:
    """Of these terms a line has one; "" where one of them is in every line."""
    found = [_phrase(term) for term in group]
    return " | ".join(f"({one})" for one in found) if all(found) else ""


def _phrase(term: Term) -> str:
    """Words side by side; "" for a term that has none and so is in every line."""
    found = [lexeme(word) for word in words(term.text)]
    if not found:
        return ""
    quoted = [f"'{one}'" for one in found]
    if term.is_prefix:
        quoted[-1] = f"'{found[-1].removesuffix(CUT)}':*"
    return " <-> ".join(quoted)

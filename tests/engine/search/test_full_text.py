import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.indexed import archive, index
from tests.engine.roots import saved
from tests.examples import examples
from tests.redact.secrets import planted
from tests.waiting import has_open
from unspool.demo import Transcript
from unspool.derive.regex import compile_pattern
from unspool.engine.archive.reader import Archive
from unspool.engine.archive.redacted import RedactedArchive
from unspool.engine.search import full_text as module
from unspool.engine.search.full_text import Results, Search, SearchPool
from unspool.errors import ConfigError
from unspool.model.query import SearchHits, TextQuery
from unspool.redact import Redactor
from unspool.store.sqlite.search import hits
from unspool.store.sqlite.store import SqliteStore


def talk(session: str = "s1", day: int = 1, cwd: str = "/home/dev/kettle") -> Transcript:
    made = Transcript(session=session, cwd=cwd, start=f"2026-01-0{day}T10:00:00.000Z")
    made.user("alpha prompt").thinks("alpha thought").calls("Bash", command="echo alpha")
    return made.returns("alpha result\nsecond line").says("Café alpha answer")


@contextmanager
def searching(root: Path) -> Iterator[Search]:
    with archive(root) as made:
        yield Search(made.store, made, [str(root)])


def test_a_pool_that_is_closed_has_closed_its_index(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    index(tmp_path)
    name, home = f"{tmp_path.name}/un/index.db", tmp_path / "un"
    pool = SearchPool(
        lambda text: SqliteStore(home, mode="ro", bodies=text), Redactor(), [str(tmp_path)]
    )
    assert pool.find(TextQuery(terms="alpha")).items
    assert has_open(os.getpid(), name)
    pool.close()

    assert not has_open(os.getpid(), name)


def kinds(found: Results) -> list[str]:
    return [one.kind for one in found.items]


def scan(search: Search, pattern: str, limit: int = 20) -> Results:
    return search.scan(TextQuery(regex=pattern, limit=limit))


def test_all_kinds_of_text_are_found_newest_first(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        found = search.find(TextQuery(terms="alpha"))

    assert kinds(found) == ["answer", "tool_result", "tool_input", "thinking", "prompt"]


def test_a_hit_says_where_it_stands(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        (one,) = search.find(TextQuery(terms="cafe")).items

    assert (one.session_id, one.project_name, one.title) == ("s1", "kettle", "alpha prompt")
    assert (one.line, one.turn, one.timestamp) == (5, 1, "2026-01-01T10:00:04.000Z")
    assert (one.snippet, one.ranges) == ("Café alpha answer", ((0, 4),))


def test_an_event_is_named_by_source_generation_and_place(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        (one,) = search.find(TextQuery(terms="prompt")).items
        source, generation, offset = map(int, one.event_id.split("."))

        assert b"alpha prompt" in (search._archive.line(source, generation, offset, 500) or b"")


def test_pages_are_disjoint_and_complete(tmp_path: Path) -> None:
    saved(tmp_path, *(talk(f"s{day}", day) for day in range(1, 6)))
    with searching(tmp_path) as search:
        whole = search.find(TextQuery(terms="alpha", limit=100))
        pages = [search.find(TextQuery(terms="alpha", limit=4))]
        while pages[-1].cursor is not None:
            pages.append(search.find(TextQuery(terms="alpha", limit=4, before=pages[-1].cursor)))

    assert [one for page in pages for one in page.items] == list(whole.items)
    assert len(whole.items) == 25


def test_a_swept_session_is_found_with_its_words(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    index(tmp_path)
    path.unlink()
    with searching(tmp_path) as search:
        (one,) = search.find(TextQuery(terms="cafe")).items

    assert one.snippet == "Café alpha answer"


def test_lines_of_other_roots_are_left_out(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with archive(tmp_path) as made:
        assert Search(made.store, made, ["/elsewhere"]).find(TextQuery(terms="alpha")).items == ()
        assert len(Search(made.store, made).find(TextQuery(terms="alpha")).items) == 5


@pytest.mark.parametrize("pattern", ["alpha", "al.ha", "."])
def test_a_pattern_limited_to_a_session_reads_the_lines_of_that_session_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    saved(tmp_path, *(talk(f"s{day}", day) for day in range(1, 6)))
    with searching(tmp_path) as search:
        raw, read = search._archive.raw, set[int]()

        def noted(source: int, *place: int) -> bytes | None:
            read.add(source)
            return raw(source, *place)

        monkeypatch.setattr(search._archive, "raw", noted)
        found = search.scan(TextQuery(regex=pattern, session="s3"))
        sources = {source.source_id: source for source in search._store.sources()}

    assert {one.session_id for one in found.items} == {"s3"}
    assert len(found.items) == 5
    assert {sources[id].session_id for id in read} == {"s3"}


def test_a_pattern_is_found_inside_words(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        found = scan(search, "lph[a-z] (answer|result)")

    assert kinds(found) == ["answer", "tool_result"]
    assert found.items[0].snippet == "Café alpha answer"
    assert found.items[0].ranges == ((6, 17),)
    assert (found.cursor, found.is_partial) == (None, False)


def test_a_pattern_that_has_enough_says_where_to_go_on(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        first = scan(search, "alpha", limit=2)
        rest = search.scan(TextQuery(regex="alpha", before=first.cursor))

    assert kinds(first) + kinds(rest) == [
        "answer", "tool_result", "tool_input", "thinking", "prompt"
    ]  # fmt: skip
    assert not first.is_partial


def test_a_pattern_reads_on_where_a_page_ran_out_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hits.TextSearch.search, "__defaults__", (-1.0,))
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        assert search.find(TextQuery(terms="alpha")).is_partial
        found = scan(search, "alpha")

    assert (len(found.items), found.is_partial, found.cursor) == (5, False, None)


def test_a_pattern_that_cannot_read_on_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = SearchHits()
    nothing.partial = True
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        monkeypatch.setattr(type(search._store), "search", lambda store, query: nothing)
        found = scan(search, "alpha")

    assert (found.items, found.is_partial) == ((), True)


def test_all_that_was_read_is_told(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    done: list[int] = []
    with searching(tmp_path) as search:
        search.scan(TextQuery(regex="[q]{9}"), done.append)

    assert len(done) == 5
    assert done == sorted(done)
    assert path.stat().st_size - 6 <= done[-1] <= path.stat().st_size


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The offset of every line that is read."""
    offsets: list[int] = []
    raw = Archive.raw

    def noting(made: Archive, source: int, generation: int, offset: int, length: int) -> object:
        offsets.append(offset)
        return raw(made, source, generation, offset, length)

    monkeypatch.setattr(Archive, "raw", noting)
    return offsets


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [("absent", 0), ("xalpha", 0), ("lpha thoug", 1), ("thought|SECOND", 2), ("[t]h?", 5)],
)
def test_only_lines_that_have_the_letters_of_a_pattern_are_read(
    tmp_path: Path, reads: list[int], pattern: str, lines: int
) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        scan(search, pattern)

    assert len(set(reads)) == lines


def test_letters_that_too_many_words_have_rule_nothing_out(
    tmp_path: Path, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_WORDS", 1)
    saved(tmp_path, talk().user("ab abc"))
    with searching(tmp_path) as search:
        found = scan(search, "ab ")

    assert (len(found.items), len(set(reads))) == (1, 6)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("\u212aelvin", "kelvin"), ("mi\u017fs", "MISS"), ("xCamelCase9", "melcas"),
        ("snake_case", "ke_ca"), ("東京都庁", "京都"), ("cafe\u0301s", "caf"),
        ("tool_input", "tool"), ("ab" * 17_000 + "tail", "tail"), ("か" * 11_000 + "tail", "tail"),
        ("\ue0b0main", "main"), ("x\x00y", "x"), ("half \ud800alf", "alf"),
    ],
)  # fmt: skip
def test_a_pattern_finds_its_letters_wherever_they_are_in_a_word(
    tmp_path: Path, text: str, pattern: str
) -> None:
    saved(tmp_path, Transcript().user(text).says("nothing"))
    with searching(tmp_path) as search:
        assert kinds(scan(search, pattern)) == ["prompt"]


BITS = ["alpha", "Beta", "be", "ta7", "\u212a", "k", "s\u017f", "é", "漢字", "7", "x"]
WRITTEN = st.lists(st.sampled_from([*BITS, " ", "\n", "_", "-"]), min_size=1, max_size=12)
SIGNS = ["", "", "+", "?", "*", "{2}", "|", ".", "[a-z]", " ", "(?:x)?"]
SOUGHT = st.lists(st.tuples(st.sampled_from(BITS), st.sampled_from(SIGNS)), min_size=1, max_size=4)


@settings(max_examples=examples(100))
@given(
    st.lists(WRITTEN.map("".join), min_size=1, max_size=8),
    SOUGHT.map(lambda parts: "".join(map("".join, parts))),
)
def test_the_index_rules_out_no_line_that_matches(texts: list[str], pattern: str) -> None:
    matching = compile_pattern(pattern).spans
    with TemporaryDirectory() as place:
        talked = Transcript()
        for number, text in enumerate(texts):
            talked.user(f"{number}: {text}")
        saved(Path(place), talked)
        with searching(Path(place)) as search:
            found = {one.line for one in scan(search, pattern).items}

    expected = (bool(matching(f"{number}: {text}", 1)) for number, text in enumerate(texts))
    assert found == {line for line, is_match in enumerate(expected, 1) if is_match}


def test_a_line_is_shown_without_its_secrets(tmp_path: Path) -> None:
    secret = planted(1)[0].text
    saved(tmp_path, Transcript().user(f"marker {secret}"))
    with archive(tmp_path) as made:
        search = Search(made.store, RedactedArchive(made.store, Redactor()))
        (one,) = scan(search, "marker .*").items

        assert scan(search, re.escape(secret)).items == ()
    assert one.snippet.startswith("marker ")
    assert "[redacted: " in one.snippet
    assert secret not in one.snippet


def test_only_lines_that_match_are_searched_for_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, talk())
    lines: list[bytes] = []
    clean = Redactor.json

    def noting(redactor: Redactor, line: bytes) -> bytes:
        lines.append(line)
        return clean(redactor, line)

    monkeypatch.setattr(Redactor, "json", noting)
    with archive(tmp_path) as made:
        scan(
            Search(made.store, RedactedArchive(made.store, Redactor())), "alph[a] (thought|answer)"
        )

    assert len(lines) == 2


def test_a_letter_written_as_its_number_is_found(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    path.write_bytes(path.read_bytes().replace(b"alpha answer", b"\\u0061lpha answer"))
    with searching(tmp_path) as search:
        assert kinds(scan(search, "alpha answer")) == ["answer"]


def test_lines_are_read_a_window_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WINDOW", 2)
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        assert len(scan(search, "alpha").items) == 5


def test_many_matches_in_one_line_are_marked_up_to_a_limit(tmp_path: Path) -> None:
    saved(tmp_path, Transcript().user("alpha " * 40))
    with searching(tmp_path) as search:
        (one,) = scan(search, "alpha").items

    assert 0 < len(one.ranges) <= 20


def test_a_pattern_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search, pytest.raises(ConfigError):
        scan(search, "(a")


def test_a_pattern_that_fits_nothing_at_all_finds_nothing(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        assert scan(search, "x*").items == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
@given(terms=st.text(max_size=40), ranked=st.booleans())
def test_whatever_is_typed_is_words_and_never_syntax(
    tmp_path: Path, terms: str, ranked: bool
) -> None:
    if not (tmp_path / "un").exists():
        saved(tmp_path, talk())
    with searching(tmp_path) as search:
        order = "ranked" if ranked else "newest"
        found = search.find(TextQuery(terms=terms, order=order))  # type: ignore[arg-type]

        assert len(found.items) <= 20

from msgspec import structs

from unspool.model.health import Finding, Oddity
from unspool.show.spans import plain
from unspool.show.text.diagnostics import finding_lines, oddity_table
from unspool.show.text.layout import Frame


def odd(name: str = "zeppelin", version: str = "2.1.9") -> Oddity:
    return Oddity(
        version=version, kind="type", name=name, count=1200, path="/r/-p/a1b2c3d4-e5.jsonl", line=4
    )


def told(*found: Finding, width: int | None = 80) -> list[str]:
    return [plain(line) for line in finding_lines(found, Frame(width, 0))]


def test_an_oddity_has_a_row() -> None:
    titles, row = (plain(line) for line in oddity_table([odd()], Frame(80, 0)))

    assert titles.split() == ["VERSION", "KIND", "NAME", "COUNT", "FIRST", "SEEN"]
    assert row.split() == ["2.1.9", "type", "zeppelin", "1,200", "a1b2c3d4:4"]


def test_a_pipe_gets_the_whole_path() -> None:
    assert "/r/-p/a1b2c3d4-e5.jsonl:4" in plain(oddity_table([odd()], Frame(None, 0))[1])


def test_an_agent_keeps_its_name() -> None:
    found = structs.replace(odd(), path="/r/s/subagents/agent-0123456789ab.jsonl")

    assert plain(oddity_table([found], Frame(80, 0))[1]).endswith("agent-0123456789ab:4")


def test_a_line_that_names_no_version_has_a_question_mark() -> None:
    assert plain(oddity_table([odd(version="")], Frame(80, 0))[1]).startswith("?")


def test_a_name_cannot_move_the_cursor() -> None:
    assert "\x1b" not in plain(oddity_table([odd(name="\x1b[2Jx")], Frame(80, 0))[1])


def test_a_finding_has_a_sign_and_the_command_that_helps() -> None:
    lines = told(Finding(about="index", grade="wrong", said="Torn.", fix="unspool index rebuild"))

    assert lines == ["✗ index         Torn.", "                unspool index rebuild"]


def test_what_is_well_is_ticked() -> None:
    assert told(Finding(about="sqlite", said="3.54.1"))[0].startswith("✓ sqlite")


def test_long_sentences_are_wrapped_below_themselves() -> None:
    first, second, *_ = told(Finding(about="x", said="word " * 30))

    assert first.startswith("✓ x             word")
    assert second.startswith(" " * 16 + "word")


def test_of_many_details_the_first_ten_are_shown() -> None:
    found = Finding(about="x", grade="note", said="y", details=tuple(map(str, range(15))))

    assert told(found)[-2:] == [" " * 16 + "9", " " * 16 + "… 5 more; --json has them all"]


def test_a_long_detail_is_cut() -> None:
    found = Finding(about="x", grade="note", said="y", details=("a" * 300, "b" * 301))

    assert [line.strip() for line in told(found)[-2:]] == ["a" * 300, "b" * 300]

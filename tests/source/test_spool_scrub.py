"""Events of forgotten sessions in a spool: overwritten in place, and nothing else is moved."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.source.firing import kept
from unspool.source.hook import frame
from unspool.source.spool import append, blank, scrub, spool_files

AT = 1_790_000_000_000


def is_secret(payload: bytes) -> bool:
    return b"secret" in payload


def framed(payload: bytes) -> bytes:
    return frame(payload, AT, len(payload))


def test_an_event_is_overwritten_and_others_stay_where_they_are(tmp_path: Path) -> None:
    append(tmp_path, [b'"one"', b'"secret"', b'"two"'], AT)
    (file,) = spool_files(tmp_path)
    before = kept(tmp_path)

    assert scrub(file.path, is_secret)
    assert kept(tmp_path) == [before[0], before[2]]
    assert b"secret" not in Path(file.path).read_bytes()
    assert Path(file.path).stat().st_size == file.size


def test_a_second_time_there_is_nothing_to_do(tmp_path: Path) -> None:
    append(tmp_path, [b'"secret"'], AT)
    (file,) = spool_files(tmp_path)

    assert [scrub(file.path, is_secret), scrub(file.path, is_secret)] == [True, False]


def test_what_is_before_a_place_is_left_alone(tmp_path: Path) -> None:
    append(tmp_path, [b'"secret"', b'"secret"'], AT)
    (file,) = spool_files(tmp_path)

    assert scrub(file.path, is_secret, len(framed(b'"secret"')))
    assert Path(file.path).read_bytes().count(b"secret") == 1


def test_a_torn_event_is_judged_too(tmp_path: Path) -> None:
    torn = framed(b'"secret and more"')[:-8]

    assert b"secret" not in blank(torn + b"\n" + framed(b'"one"'), is_secret)


def test_a_file_that_is_gone_needs_no_scrubbing(tmp_path: Path) -> None:
    assert not scrub(tmp_path / "2026-01-01.spool", is_secret)


@given(st.lists(st.sampled_from([b'"one"', b'"a secret"', b'"two"', b"\0~1 half"]), max_size=8))
def test_every_other_byte_stays(payloads: list[bytes]) -> None:
    data = b"".join(framed(one) for one in payloads)
    clean = blank(data, is_secret)

    assert len(clean) == len(data)
    assert all(new in (old, ord(" ")) for new, old in zip(clean, data, strict=True))
    assert clean.count(b'"one"') == data.count(b'"one"')

import pytest

from unspool.decode.lines import decode
from unspool.derive.reading.kinds import type_of
from unspool.model.transcript import Oversize


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (b'{"type":"user","uuid":"u1"}', "user"),
        (b'{"type":"queue-operation"}', "queue-operation"),
        (b'{"type":"novelty"}', "novelty"),
        (b"{broken", ""),
    ],
)
def test_an_entry_is_of_the_type_its_line_says(line: bytes, written: str) -> None:
    assert [type_of(entry) for entry in decode(line)] == [written]


def test_a_line_too_long_to_read_is_of_none() -> None:
    assert type_of(Oversize(99)) == ""

import json

from tests.decode.damage import lines
from unspool.decode.lenient import build, members
from unspool.decode.records import KINDS, record
from unspool.model.transcript import Unknown, Unreadable, User


def test_a_known_kind_is_read_as_itself() -> None:
    assert isinstance(record(b'{"type":"user"}'), User)


def test_a_misfit_costs_its_field_and_no_other() -> None:
    entry = record(b'{"type":"user","uuid":"u1","cwd":7,"isMeta":"maybe"}')

    assert isinstance(entry, User)
    assert (entry.uuid, entry.cwd, entry.is_meta) == ("u1", None, False)


def test_a_sound_line_reads_the_same_field_by_field() -> None:
    for line in lines():
        kind = KINDS.get(json.loads(line)["type"])

        assert kind is None or build(kind, members(line)) == record(line)


def test_an_odd_text_is_rewritten_before_it_is_given_up() -> None:
    entry = record(rb'{"type":"user","uuid":"\ud800","cwd":7}')

    assert isinstance(entry, User)
    assert entry.uuid == "\ufffd"


def test_an_unknown_line_keeps_the_bytes_it_came_with() -> None:
    line = rb'{"type":"new","text":"\ud800"}'

    assert record(line) == Unknown("new", line)


def test_a_line_may_lack_a_type_or_have_a_wrong_one() -> None:
    assert record(b"{}") == Unknown("", b"{}")
    assert record(b'{"type":7}') == Unreadable("type is not a string", b'{"type":7}')


def test_a_value_that_is_no_object_says_so() -> None:
    assert record(b"[NaN]") == Unreadable("not an object", b"[NaN]")


def test_what_is_not_one_json_value_is_no_record() -> None:
    assert record(b'{"type":"user"') is None
    assert record(b'[1,2{"type":"user"}') is None
    assert record(b'{"type":"new"}{"type":"user"}') is None

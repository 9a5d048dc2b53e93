import json
import random
import time

import pytest

from tests.decode.damage import damaged, lines
from unspool.decode.lenient import build, members
from unspool.decode.lines import KINDS, LinePart, decode_record, salvage_parts
from unspool.model.transcript import Unknown, Unreadable, User


def test_a_known_kind_is_read_as_itself() -> None:
    assert isinstance(decode_record(b'{"type":"user"}'), User)


def test_a_misfit_costs_its_field_and_no_other() -> None:
    entry = decode_record(b'{"type":"user","uuid":"u1","cwd":7,"isMeta":"maybe"}')

    assert isinstance(entry, User)
    assert (entry.uuid, entry.cwd, entry.is_meta) == ("u1", None, False)


def test_a_sound_line_reads_the_same_field_by_field() -> None:
    for line in lines():
        kind = KINDS.get(json.loads(line)["type"])

        assert kind is None or build(kind, members(line)) == decode_record(line)


def test_an_odd_text_is_rewritten_before_it_is_given_up() -> None:
    entry = decode_record(rb'{"type":"user","uuid":"\ud800","cwd":7}')

    assert isinstance(entry, User)
    assert entry.uuid == "\ufffd"


def test_an_unknown_line_keeps_the_bytes_it_came_with() -> None:
    line = rb'{"type":"new","text":"\ud800"}'

    assert decode_record(line) == Unknown("new", line)


def test_a_line_may_lack_a_type_or_have_a_wrong_one() -> None:
    assert decode_record(b"{}") == Unknown("", b"{}")
    assert decode_record(b'{"type":7}') == Unreadable("type is not a string", b'{"type":7}')


def test_a_value_that_is_no_object_says_so() -> None:
    assert decode_record(b"[NaN]") == Unreadable("not an object", b"[NaN]")


def test_what_is_not_one_json_value_is_no_record() -> None:
    assert decode_record(b'{"type":"user"') is None
    assert decode_record(b'[1,2{"type":"user"}') is None
    assert decode_record(b'{"type":"new"}{"type":"user"}') is None


HI = b'{"type":"user","uuid":"u1","message":{"content":[{"type":"text","text":"hi"}]}}'


def pieces(line: bytes) -> list[bytes]:
    return [line[part.start : part.end] for part in salvage_parts(line)]


def kinds(line: bytes) -> list[str]:
    return [type(part.entry).__name__ for part in salvage_parts(line)]


def records(line: bytes) -> list[bytes]:
    """The stretches that hold a record."""
    kept = [part for part in salvage_parts(line) if not isinstance(part.entry, Unreadable)]
    return [line[part.start : part.end] for part in kept]


def test_a_whole_line_is_one_part() -> None:
    (part,) = salvage_parts(b" " + HI + b"\r")

    assert (part.start, part.end) == (0, len(HI) + 2)
    assert isinstance(part.entry, User)


def test_a_blank_line_has_no_parts() -> None:
    assert salvage_parts(b" \t\r") == []


def test_glued_records_come_apart() -> None:
    assert pieces(HI + HI + HI) == [HI, HI, HI]
    assert kinds(HI + HI) == ["User", "User"]


def test_blanks_go_with_the_record_after_them() -> None:
    assert pieces(HI + b"  " + HI + b" ") == [HI, b"  " + HI + b" "]


def test_zero_bytes_stand_apart() -> None:
    assert salvage_parts(b"\0\0" + HI)[0] == LinePart(0, 2, Unreadable("zero bytes", b"\0\0"))


def test_zero_bytes_may_stand_between_records() -> None:
    assert pieces(HI + b"\0\0" + HI) == [HI, b"\0\0", HI]


@pytest.mark.parametrize("cut", range(1, len(HI)))
def test_a_record_cut_anywhere_does_not_cost_the_next(cut: int) -> None:
    assert pieces(HI[:cut] + HI) == [HI[:cut], HI]
    assert kinds(HI[:cut] + HI) == ["Unreadable", "User"]


def test_a_record_after_a_cut_one_may_be_of_a_new_kind() -> None:
    new = b'{"type":"brand-new","sessionId":"s1"}'

    assert salvage_parts(HI[:20] + new)[1].entry == Unknown("brand-new", new)


def test_a_block_that_survived_in_a_cut_record_is_no_record() -> None:
    cut = HI[: HI.index(b"]")]

    assert kinds(cut) == ["Unreadable"]
    assert kinds(cut + HI) == ["Unreadable", "User"]


def test_a_message_carried_inside_a_cut_record_is_no_record() -> None:
    outer = b'{"type":"progress","data":{"message":' + HI + b',"normalized'

    assert kinds(outer) == ["Unreadable"]
    assert pieces(outer + HI) == [outer, HI]


def test_a_plain_object_in_a_cut_record_is_no_record() -> None:
    assert kinds(b'{"type":"user","a":{"version":1}') == ["Unreadable"]


def test_two_cut_records_leave_the_third() -> None:
    assert records(HI[:30] + HI[:50] + HI) == [HI]


def test_what_follows_a_record_is_kept() -> None:
    assert salvage_parts(HI + b"~~")[1] == LinePart(
        len(HI), len(HI) + 2, Unreadable("not a record", b"~~")
    )


def test_damage_in_a_line_of_an_unknown_kind_is_seen() -> None:
    new = b'{"type":"brand-new","a":"'

    assert pieces(new + HI) == [new, HI]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"// made by hand", "comment"),
        (b"# made by hand", "comment"),
        (b"\0\0\0", "zero bytes"),
        (b'{"type":"us', "cut record"),
        (b"hello", "not a record"),
        (b"[" * 300, "nested too deep"),
        (b'{"type":"user","a":' + b"[" * 300 + b"NaN" + b"]" * 300 + b"}", "nested too deep"),
    ],
)
def test_residue_says_why_it_is_residue(line: bytes, reason: str) -> None:
    (part,) = salvage_parts(line)

    assert part == LinePart(0, len(line), Unreadable(reason, line))


def test_a_record_after_one_too_deep_is_kept() -> None:
    deep = b'{"type":"user","a":' + b"[" * 3000

    assert pieces(deep + HI) == [deep, HI]


def test_no_whole_record_is_lost_to_known_damage() -> None:
    chance = random.Random(2026)
    found = lost = 0
    for line, whole in (damaged(chance) for _ in range(3000)):
        found += len(whole)
        lost += len(whole) - (records(line) == whole) * len(whole)

    assert lost <= found / 1000


@pytest.mark.parametrize("cut", range(1, 400, 7))
def test_the_parts_of_damage_cover_it(cut: int) -> None:
    for line in lines():
        broken = line[:cut] + line[cut + 3 :] + b"\0" + line

        assert b"".join(pieces(broken)) == broken


@pytest.mark.parametrize(
    "seed",
    [
        b"{",
        b"[",
        b'{"a":',
        b'{"uuid":',
        b'{"parentUuid":[',
        b'{"type":"user",',
        b'{"type":"user","a":',
        b'{"uuid":"',
        b'"\\',
        b"[],",
        b"\0",
        b"9",
    ],
)
def test_a_megabyte_of_spite_is_read_in_reasonable_time(seed: bytes) -> None:
    line = seed * ((1 << 20) // len(seed))
    began = time.process_time()

    assert b"".join(pieces(line)) == line
    assert time.process_time() - began < 5

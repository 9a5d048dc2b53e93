from pathlib import Path

from tests.engine.usage.scan.scans import files_of, root_with
from unspool.demo import Transcript
from unspool.derive.usage.ccusage import CcusageEntry
from unspool.engine.usage.explain import UsageLines, gather


def lines(path: Path, *files: bytes | Transcript) -> UsageLines:
    found = files_of(root_with(path, *files))
    return gather((file, Path(file.path).read_bytes().splitlines()) for file in found)


def test_every_line_is_counted_and_those_with_usage_are_gathered(tmp_path: Path) -> None:
    made = lines(tmp_path, Transcript().user("hi").says("a"), Transcript().says("b", id="msg_9"))

    assert (made.lines, len(made.records), len(made.reads)) == (3, 2, 2)
    assert [one.file for one in made.records] == [0, 1]


def test_both_readings_of_a_line_go_by_one_name(tmp_path: Path) -> None:
    made = lines(tmp_path, Transcript().says("a"))

    assert [read.key for read in made.reads] == [one.key for one in made.records] == ["m:msg_1"]
    assert isinstance(made.reads[0].entry, CcusageEntry)


def test_records_glued_together_are_gathered_and_not_read_there(tmp_path: Path) -> None:
    one, two = Transcript().says("a").says("b").bytes().splitlines()
    made = lines(tmp_path, one + two + b"\n")

    assert [read.key for read in made.reads] == ["m:msg_1", "m:msg_2"]
    assert all(isinstance(read.entry, str) for read in made.reads)


def test_a_line_only_the_other_reads_is_nobody_s(tmp_path: Path) -> None:
    line = Transcript().says("a").bytes().replace(b'"type":"assistant"', b'"type":"user"')

    assert [read.key for read in lines(tmp_path, line).reads] == [None]

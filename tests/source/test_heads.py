from pathlib import Path

from unspool.model.files import Root, TranscriptFile
from unspool.source.heads import first_cwd, first_session_id, groups


def written(path: Path, data: bytes) -> TranscriptFile:
    path.write_bytes(data)
    root = Root(1, str(path.parent), "", str(path.parent))
    return TranscriptFile(root, str(path), path.name, "main", "p", path.stem, None, 0, 0, 0)


def cwd_of(tmp_path: Path, data: bytes) -> str | None:
    return first_cwd(written(tmp_path / "x.jsonl", data).path)


def test_the_first_working_directory_wins(tmp_path: Path) -> None:
    data = b'{"type":"summary"}\n{"cwd":"/a"}\n{"cwd":"/b"}\n'

    assert cwd_of(tmp_path, data) == "/a"


def test_a_working_directory_is_read_out_of_its_escapes(tmp_path: Path) -> None:
    data = rb'{"cwd": "C:\\src\\caf\u00e9 \ud83d\ude00 \"x\"\t"}'

    assert cwd_of(tmp_path, data) == 'C:\\src\\café 😀 "x"\t'


def test_half_an_escaped_emoji_becomes_a_replacement(tmp_path: Path) -> None:
    assert cwd_of(tmp_path, rb'{"cwd":"/x\ud83d"}') == "/x\ufffd"


def test_a_word_inside_a_string_is_not_a_key(tmp_path: Path) -> None:
    assert cwd_of(tmp_path, rb'{"text":"say \"cwd\":\"/no\" now"}') is None


def test_a_missing_file_names_nothing(tmp_path: Path) -> None:
    assert first_cwd(str(tmp_path / "no.jsonl")) is None


def test_only_the_first_line_says_whose_a_legacy_agent_is(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", b'{"type":"x"}\n{"sessionId":"s1"}\n')

    assert first_session_id(file.path) is None


# devtools 109
def test_one_directory_and_sessions_that_name_none_are_one_group(tmp_path: Path) -> None:
    silent = written(tmp_path / "1.jsonl", b"{}\n")
    named = written(tmp_path / "2.jsonl", b'{"cwd":"/a"}\n')

    assert groups([silent, named]) == {"/a": [named, silent]}


# devtools 109
def test_two_directories_in_one_project_are_two_groups(tmp_path: Path) -> None:
    one = written(tmp_path / "1.jsonl", b'{"cwd":"/a"}\n')
    other = written(tmp_path / "2.jsonl", b'{"cwd":"/b"}\n')

    assert groups([one, other]) == {"/a": [one], "/b": [other]}


def test_of_several_directories_none_is_guessed(tmp_path: Path) -> None:
    one = written(tmp_path / "1.jsonl", b'{"cwd":"/a"}\n')
    other = written(tmp_path / "2.jsonl", b'{"cwd":"/b"}\n')
    silent = written(tmp_path / "3.jsonl", b"{}\n")

    assert groups([one, other, silent])[None] == [silent]

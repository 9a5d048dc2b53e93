import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.source.firing import (
    PAYLOAD,
    PYTHON,
    SCRIPT,
    can,
    fire,
    gaps,
    is_well,
    kept,
    payloads,
    shell,
    without_privilege,
)
from unspool.source.hook import day_file, frame

MIB: Final = 1024 * 1024


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """An empty spool."""
    made = tmp_path / "spool"
    made.mkdir()
    return made


def today(spool: Path) -> Path:
    """The file that the next event belongs in."""
    return spool / day_file(spool.stat().st_mtime_ns // 1_000_000)


def start(spool: Path, stdin: Path) -> subprocess.Popen[bytes]:
    """Run the hook, and do not wait for it."""
    with stdin.open("rb") as file:
        return subprocess.Popen([PYTHON, "-I", "-S", SCRIPT, str(spool)], stdin=file)


def test_an_event_is_kept_as_it_was_told_with_its_time(spool: Path) -> None:
    assert is_well(fire(spool))

    (event,) = kept(spool)
    assert (event.payload, event.cut) == (PAYLOAD, False)
    assert abs(event.at - spool.stat().st_mtime_ns // 1_000_000) < 10_000


def test_events_of_a_day_share_a_file_that_is_nobody_elses(spool: Path) -> None:
    fire(spool)
    fire(spool)

    (file,) = spool.iterdir()
    assert file == today(spool)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_day_ends_at_midnight_utc() -> None:
    assert day_file(1_767_225_599_999) == "2025-12-31.spool"
    assert day_file(1_767_225_600_000) == "2026-01-01.spool"


def test_a_frame_is_one_line_whatever_the_payload() -> None:
    assert frame(b'{\n"a": 1\n}', 1, 10).count(b"\n") == 1


def test_nothing_is_imported_that_is_not_built_in() -> None:
    look = "before = set(sys.modules); import hook; print(*sorted(set(sys.modules) - before))"
    code = f"import sys; sys.path.insert(0, {os.path.dirname(SCRIPT)!r}); {look}"
    said = subprocess.check_output([PYTHON, "-I", "-S", "-c", code], text=True)

    assert set(said.split()) <= {"hook", "binascii", "_signal", "posix", "time"}


def as_file(spool: Path) -> None:
    spool.rmdir()
    spool.write_bytes(b"")


def below_nothing(spool: Path) -> None:
    spool.rmdir()
    spool.parent.joinpath("spool").symlink_to("/nowhere/at/all")


# What stands where the spool should: nothing can be kept, and nobody is told.
HOPELESS: Final[dict[str, Callable[[Path], None]]] = {
    "a file": as_file,
    "a link to nowhere": below_nothing,
}


@pytest.mark.parametrize("spoil", HOPELESS.values(), ids=HOPELESS)
def test_a_spool_that_cannot_be_is_passed_in_silence(
    spool: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(spool)

    assert is_well(fire(spool))


# What stands where the day's file should: the event finds another place.
IN_THE_WAY: Final[dict[str, Callable[[Path], object]]] = {
    "a link": lambda file: file.symlink_to(file.parent.parent / "secret"),
    "a link to itself": lambda file: file.symlink_to(file),
    "a device": lambda file: file.symlink_to("/dev/full"),
    "a directory": lambda file: file.mkdir(),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("spoil", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_an_event_goes_round_what_is_in_its_way(
    spool: Path, spoil: Callable[[Path], object]
) -> None:
    (spool.parent / "secret").write_bytes(b"mine")
    spoil(today(spool))

    assert is_well(fire(spool))
    assert payloads(spool) == [PAYLOAD]
    assert (spool.parent / "secret").read_bytes() == b"mine"


def test_a_pipe_that_somebody_reads_is_not_written_to(spool: Path) -> None:
    os.mkfifo(today(spool))
    reader = os.open(today(spool), os.O_RDONLY | os.O_NONBLOCK)

    assert is_well(fire(spool))
    assert os.read(reader, 100) == b""
    assert payloads(spool) == [PAYLOAD]
    os.close(reader)


def test_a_missing_spool_is_made(tmp_path: Path) -> None:
    assert is_well(fire(tmp_path / "spool"))

    assert payloads(tmp_path / "spool") == [PAYLOAD]


def test_a_missing_spool_is_made_by_many_at_once(tmp_path: Path) -> None:
    (tmp_path / "told").write_bytes(PAYLOAD)
    running = [start(tmp_path / "spool", tmp_path / "told") for _ in range(8)]

    assert [one.wait() for one in running] == [0] * 8
    assert payloads(tmp_path / "spool") == [PAYLOAD] * 8


def test_a_spool_below_nothing_is_not(tmp_path: Path) -> None:
    assert is_well(fire(tmp_path / "gone" / "spool"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not can(*without_privilege(), "true"), reason="root cannot be humbled here")
def test_a_spool_that_may_not_be_written_stays_as_it_is(spool: Path) -> None:
    spool.chmod(0o500)

    assert is_well(fire(spool, before=without_privilege()))
    assert list(spool.iterdir()) == []
    spool.chmod(0o700)


@pytest.mark.skipif(not can(*without_privilege(), "true"), reason="root cannot be humbled here")
def test_a_days_file_that_may_not_be_written_is_gone_round(spool: Path) -> None:
    today(spool).touch(0o400)

    assert is_well(fire(spool, before=without_privilege()))
    assert payloads(spool) == [PAYLOAD]


@pytest.mark.skipif(not can("unshare", "-m", "true"), reason="no mounts of our own")
@pytest.mark.parametrize("options", ["ro", "size=16k,nr_inodes=2", "size=16k"])
def test_a_disk_that_is_full_or_read_only_is_passed_in_silence(spool: Path, options: str) -> None:
    mount = f'mount -t tmpfs -o {options} tmpfs "{spool}"'
    fill = f'{{ cat /dev/zero > "{spool}/filler"; }} 2>/dev/null'
    no_litter = f'! ls "{spool}" | grep x-'
    whole = shell(f'{mount}; {fill}; "$@" && {no_litter}')

    assert is_well(fire(spool, before=("unshare", "-m", *whole)))


def test_a_limit_on_the_size_of_files_leaves_no_litter(spool: Path) -> None:
    assert is_well(fire(spool, b"x" * 4_096, before=shell('ulimit -f 1; exec "$@"')))

    assert [file.name for file in spool.iterdir()] == [today(spool).name]
    assert (gaps(spool), kept(spool)) == ([], [])


def test_the_event_after_a_torn_one_is_whole(spool: Path) -> None:
    fire(spool, b"x" * 4_096, before=shell('ulimit -f 1; exec "$@"'))
    fire(spool)

    assert payloads(spool) == [PAYLOAD]
    assert [gap.offset for gap in gaps(spool)] == [0]


@pytest.mark.parametrize("missing", [1, 2, 40])
def test_an_event_that_does_not_fit_the_days_file_is_read_once(spool: Path, missing: int) -> None:
    fire(spool, b"x" * 4_096)
    room = today(spool).stat().st_size + len(frame(PAYLOAD, 0, 0)) - missing
    fire(spool, before=with_room(room))
    fire(spool, b"the next")

    assert payloads(spool) == sorted([b"x" * 4_096, PAYLOAD, b"the next"])


def with_room(room: int) -> tuple[str, ...]:
    """What to run a command below so that no file grows beyond `room`."""
    code = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}));"
    return (PYTHON, "-c", code + "os.execv(sys.argv[1], sys.argv[1:])")


def test_few_files_at_a_time_are_enough(spool: Path) -> None:
    assert is_well(fire(spool, before=shell('ulimit -n 4; exec "$@"')))

    assert payloads(spool) == [PAYLOAD]


def test_closed_outputs_do_not_matter(spool: Path) -> None:
    assert is_well(fire(spool, before=shell('exec "$@" >&- 2>&-')))

    assert payloads(spool) == [PAYLOAD]


@pytest.mark.parametrize("payload", [bytes(range(256)), b"\xff\xfe\x00" * 999, b"{", b"\n"])
def test_what_is_no_json_is_kept_too(spool: Path, payload: bytes) -> None:
    assert is_well(fire(spool, payload))

    assert payloads(spool) == [payload.replace(b"\n", b" ")]


AROUND: Final = {
    "a deleted directory": 'mkdir gone; cd gone; rmdir ../gone; exec "$@"',
    "no environment": 'exec env -i "$@"',
    "a strange home": 'HOME=/nowhere; UNSPOOL_HOME=; export HOME UNSPOOL_HOME; exec "$@"',
    "a strange Python": 'PYTHONHOME=/nowhere PYTHONPATH=. PYTHONSTARTUP=x exec env "$@"',
    "a strange locale": 'LC_ALL=xx_YY.no PYTHONIOENCODING=no exec env "$@"',
}


@pytest.mark.parametrize("line", AROUND.values(), ids=AROUND)
def test_the_surroundings_do_not_matter(
    spool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binascii.py").write_text("raise SystemExit(1)")

    assert is_well(fire(spool, before=shell(line)))
    assert payloads(spool) == [PAYLOAD]


def test_a_name_no_charset_knows_is_a_name(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9 'x'")

    assert is_well(fire(odd))
    assert payloads(odd) == [PAYLOAD]


def test_without_a_place_nothing_is_said() -> None:
    done = subprocess.run(
        [PYTHON, "-I", "-S", SCRIPT], input=PAYLOAD, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another")
def test_another_user_cannot_write_and_is_not_told(spool: Path) -> None:
    spool.chmod(0o755)
    other = ("setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all")
    if not can(*other, PYTHON, "-c", ""):
        pytest.skip("another user has no Python here")

    assert is_well(fire(spool, before=other))
    assert list(spool.iterdir()) == []

from pathlib import Path

import pytest

from unspool.source import sweepers
from unspool.source.sweepers import cleanup_days, history


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ('{"cleanupPeriodDays": 365}', 365),
        ('{\n  "env": {},\n  "cleanupPeriodDays" :\n 7\n}', 7),
        ('{"env": {}}', None),
        (r'{"note": "\"cleanupPeriodDays\": 9"}', None),
        ('{"cleanupPeriodDays": "soon"}', None),
        ("", None),
        ('{"cleanupPeriodDays": 5', 5),
    ],
)
def test_days_are_read_from_the_settings(tmp_path: Path, text: str, days: int | None) -> None:
    (tmp_path / "settings.json").write_text(text)

    assert cleanup_days(str(tmp_path)) == days


def test_without_settings_nothing_is_said_about_days(tmp_path: Path) -> None:
    assert cleanup_days(str(tmp_path)) is None


def test_a_directory_instead_of_settings_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "settings.json").mkdir()

    assert cleanup_days(str(tmp_path)) is None


def test_history_is_given_line_by_line_the_last_one_whole_or_not(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_bytes(b"one\ntwo\nthr")

    assert [line for line in history(str(tmp_path)) if line] == [b"one", b"two", b"thr"]


def test_a_line_longer_than_one_read_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweepers, "_STRIDE", 3)
    (tmp_path / "history.jsonl").write_bytes(b"one\ntwenty-two\n3")

    assert [line for line in history(str(tmp_path)) if line] == [b"one", b"twenty-two", b"3"]


def test_without_a_history_there_are_no_lines(tmp_path: Path) -> None:
    assert list(history(str(tmp_path))) == []

from pathlib import Path

import pytest

from tests.engine.usage.spending import ledger, talk
from unspool.cli import paths
from unspool.cli.cost import usage_source
from unspool.engine.usage.totals import RootUsage


def asked() -> None:
    """Have the home know its roots."""
    usage = RootUsage(usage_source())
    usage.totals()
    usage.write_cache(paths.now() * 1_000_000)


def test_its_files_are_those_of_the_roots(root: Path) -> None:
    query = usage_source()

    assert [(Path(path).name, project) for path, _, _, project in query.files()] == [
        ("s1.jsonl", "-repo")
    ]
    assert query.index == str(ledger())


def test_other_roots_than_the_user_s_have_a_home_of_their_own(root: Path, tmp_path: Path) -> None:
    asked()
    talk("s2").save(tmp_path / "other")

    assert Path(usage_source([str(tmp_path / "other")]).home).parent == ledger().parent / "roots"
    assert "roots" in usage_source([str(root), str(tmp_path / "other")]).home
    assert usage_source().home == str(ledger().parent)


@pytest.mark.parametrize("name", ["claude-backup", "claud"])
def test_a_root_is_told_from_one_whose_name_begins_like_it(
    root: Path, tmp_path: Path, name: str
) -> None:
    asked()
    talk("s2").save(tmp_path / name)

    assert "roots" in usage_source([str(tmp_path / name)]).home


def test_a_file_is_known_by_the_directory_it_lies_in(root: Path) -> None:
    narrow, wide = usage_source([str(root / "projects" / "-repo")]), usage_source()
    paths = [str(root / "projects" / name / "s1.jsonl") for name in ("-repo", "-repo-b")]

    assert [narrow.has_file(path) for path in paths] == [True, False]
    assert [wide.has_file(path) for path in paths] == [True, True]
    assert not wide.has_file(str(root / "projects-b" / "-repo" / "s1.jsonl"))


@pytest.mark.parametrize("name", ["index.db", "index.db-wal"])
def test_an_index_that_was_written_to_is_another(root: Path, name: str) -> None:
    ledger().parent.mkdir(parents=True)
    ledger().write_bytes(b"an index")
    before = usage_source().index_state()
    ledger().with_name(name).write_bytes(b"another")

    assert usage_source().index_state() != before


def test_a_log_that_holds_nothing_is_none(root: Path) -> None:
    assert usage_source().index_state() == ()
    ledger().parent.mkdir(parents=True)
    ledger().write_bytes(b"an index")
    before = usage_source().index_state()
    ledger().with_name("index.db-wal").touch()

    assert usage_source().index_state() == before

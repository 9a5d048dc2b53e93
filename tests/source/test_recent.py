from unspool.source.recent import Recent


# devtools 116
def test_a_file_quiet_for_an_hour_is_dropped() -> None:
    recent = Recent(["old"], now=0.0)
    recent.note("new", now=1_000.0)

    assert recent.paths(now=3_600.0) == ["new"]


def test_a_file_that_changes_again_stays() -> None:
    recent = Recent(["a"], now=0.0)
    recent.note("a", now=3_000.0)

    assert recent.paths(now=4_000.0) == ["a"]


def test_a_file_that_is_gone_is_dropped() -> None:
    recent = Recent(["a", "b"], now=0.0)
    recent.forget("a")

    assert recent.paths(now=1.0) == ["b"]


def test_of_many_files_the_newest_are_kept() -> None:
    recent = Recent((f"at the start {number}" for number in range(100)), now=0.0)
    recent.note("since", now=1.0)

    paths = recent.paths(now=2.0)
    assert (len(paths), "since" in paths, "at the start 0" in paths) == (64, True, True)
    assert "at the start 63" not in paths

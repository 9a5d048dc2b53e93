from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.pages.session.long import long, opened
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.derive.document import Cut
from unspool.serve.pages.session.windows import (
    CHUNKS,
    LATEST,
    earlier,
    one_slab,
    plan_range,
    plan_window,
)
from unspool.show.html.passages import SLAB


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with long(tmp_path_factory.mktemp("long") / "claude") as made:
        yield made


def test_a_window_is_bounded_in_chunks_and_in_steps(site: Served) -> None:
    with opened(site) as read:
        window = plan_window(read.session, 0).window

    assert window.first == 0
    assert 0 < window.end < CHUNKS
    assert window.total == 300


def test_windows_follow_on_each_other_to_the_end(site: Served) -> None:
    with opened(site) as read:
        ends = [0]
        while ends[-1] < 300:
            ends.append(plan_window(read.session, ends[-1]).window.end)

    assert ends == sorted(set(ends))
    assert ends[-1] == 300


def test_what_comes_before_a_window_ends_where_it_begins(site: Served) -> None:
    with opened(site) as read:
        window = plan_window(read.session, 150).window
        before = plan_window(read.session, window.before, 150 - window.before).window

    assert (before.first, before.end) == (window.before, 150)


def test_of_an_endless_answer_the_beginning_and_the_end_are_read(site: Served) -> None:
    with opened(site, "endless") as read:
        made = plan_window(read.session, 0)

    assert made.cuts[0] == Cut(0)
    assert [cut.chunk for cut in made.cuts[1:]] == [1, 1, 1]
    assert len(next(iter(made.folds.values()))) > 5


def test_a_slab_that_is_wanted_is_in_the_window(site: Served) -> None:
    with opened(site, "endless") as read:
        made = plan_window(read.session, 0, targets={1: 4})
        base = read.session.fold.chunks.spans[1].first.line

    assert Cut(1, base + 4 * SLAB, base + 5 * SLAB) in made.cuts


def test_slabs_leave_nothing_out_and_say_nothing_twice(site: Served) -> None:
    with opened(site, "endless") as read:
        span = read.session.fold.chunks.spans[1]
        last = (span.messages[-1].line - span.first.line) // SLAB
        cuts = [cut for slab in range(last + 1) for cut in one_slab(read.session, 1, slab)]
        parts = [cut.of(read.session.fold.chunks.spans).messages for cut in cuts]

    assert [message for part in parts for message in part] == span.messages


def test_the_layout_of_a_window_is_that_of_the_session(site: Served) -> None:
    with opened(site) as read:
        made = plan_window(read.session, 41)
        layout = made.layout(read.session, ())
        spans = read.session.fold.chunks.spans

    assert layout.numbers[spans[41].id] == 41
    assert layout.opens == {spans[n].id for n in range(42, made.window.end, 2)}


def test_a_place_beyond_the_end_is_the_end(site: Served) -> None:
    with opened(site) as read:
        assert plan_window(read.session, 10**6).window.first == 299


def test_the_latest_window_has_a_name(site: Served) -> None:
    with opened(site) as read:
        found = plan_window(read.session, LATEST).window

    assert (found.first, found.end) == (found.latest, found.total)


def test_nothing_comes_before_the_beginning() -> None:
    assert earlier([], 0) == 0


def test_a_session_without_chunks_has_an_empty_window(tmp_path: Path) -> None:
    Transcript("empty", cwd="/home/dev/long").entry("ai-title", aiTitle="Nothing").save(tmp_path)
    with served(tmp_path) as site:
        with opened(site, "empty") as read:
            window = plan_window(read.session, 3).window

        assert (window.first, window.end, window.total) == (0, 0, 0)
        assert "No messages yet" in site.ask("/s/-home-dev-long/empty").text


def test_a_range_has_its_prompt_above_it_though_a_command_printed_between(tmp_path: Path) -> None:
    made = Transcript("printed", cwd="/home/dev/long").user("before").says("well")
    made.user("look").user("<bash-stdout>a.py</bash-stdout>")
    made.calls("Bash", command="ls").returns("a.py").save(tmp_path)
    with served(tmp_path) as other, opened(other, "printed") as read:
        spans, steps = read.session.fold.chunks.spans, read.overview.steps
        last = steps[-1]
        plan = plan_range(read.session, last, last, LATEST)

    assert [span.type for span in spans] == ["user", "ai", "user", "system", "ai"]
    assert [cut.chunk for cut in plan.cuts] == [2, 3, 4]

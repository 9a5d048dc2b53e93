import re
from collections.abc import Iterator
from pathlib import Path
from time import gmtime, monotonic, strftime

import pytest
from msgspec import structs

from tests.serve.pages.session.long import colourful
from tests.serve.served import TOKEN, Served, served
from tests.show.everything import PROJECT, SECRET, SESSION
from tests.show.made import chunk, document, step
from unspool.demo import Transcript
from unspool.model.document import ToolExecution
from unspool.redact import Redactor
from unspool.serve.pages.session.overview import clean
from unspool.serve.pages.session.source import PageSource, open_source


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with colourful(tmp_path_factory.mktemp("all") / "claude") as (made, _):
        yield made


def rest_until(read: PageSource, until: float) -> None:
    """Make no figures before then, in monotonic seconds."""
    made = read.held.memo["whole", ""]
    read.held.memo["whole", ""] = structs.replace(made, until=until)


def outline(html: str) -> list[str]:
    """The entries of the outline in a part."""
    (found,) = re.findall(r'id="outline".*?</nav>', html, re.DOTALL)
    return re.findall("<li><a", found)


def test_the_whole_is_made_once_while_nothing_changes(site: Served) -> None:
    with open_source(site.context, PROJECT, SESSION) as read:
        first = read.overview
    with open_source(site.context, PROJECT, SESSION) as read:
        assert read.overview is first


def test_what_is_written_is_in_the_next_whole(tmp_path: Path) -> None:
    made = Transcript(cwd="/home/dev/x").user("one").says("two")
    path = made.save(tmp_path)
    with served(tmp_path) as site:
        with open_source(site.context, "-home-dev-x", "s1") as read:
            before = len(read.overview.marks)
            rest_until(read, 0.0)  # as if making it had taken no time at all
        path.write_bytes(made.user("three").bytes())
        with open_source(site.context, "-home-dev-x", "s1") as read:
            assert len(read.overview.marks) == before + 1


def test_what_takes_long_to_make_is_made_seldom(tmp_path: Path) -> None:
    made = Transcript(cwd="/home/dev/x").user("one").says("two")
    path = made.save(tmp_path)
    with served(tmp_path) as site:
        with open_source(site.context, "-home-dev-x", "s1") as read:
            before = read.overview
            rest_until(read, monotonic() + 1_000)
        path.write_bytes(made.user("three").bytes())
        with open_source(site.context, "-home-dev-x", "s1") as read:
            assert read.overview.marks is before.marks


def test_the_status_is_that_of_now_whatever_the_figures_are_of(tmp_path: Path) -> None:
    made = Transcript(cwd="/home/dev/x", start=strftime("%FT%TZ", gmtime())).user("one").says("two")
    path = made.save(tmp_path)
    with served(tmp_path) as site:
        with open_source(site.context, "-home-dev-x", "s1") as read:
            assert read.overview.document.session.status.state != "failed"
            rest_until(read, monotonic() + 1_000)
        path.write_bytes(made.synthetic("API Error: 529", error="overloaded_error").bytes())
        with open_source(site.context, "-home-dev-x", "s1") as read:
            assert read.overview.document.session.status.state == "failed"


def test_old_figures_say_when_newer_ones_can_be_had(tmp_path: Path) -> None:
    made = Transcript(cwd="/home/dev/x").user("one").says("two")
    path = made.save(tmp_path)
    address = "/part/tail/-home-dev-x/s1?chunk=0"
    with served(tmp_path) as site:
        assert "data-again" not in site.ask(address).text
        with open_source(site.context, "-home-dev-x", "s1") as read:
            rest_until(read, monotonic() + 1_000)
        path.write_bytes(made.user("three").bytes())
        early = site.ask(address)
        again = re.findall(r'data-again="(\d+)"', early.text)
        assert len(again) == 1
        assert 0 < int(again[0]) <= 1_000_000
        with open_source(site.context, "-home-dev-x", "s1") as read:
            rest_until(read, 0.0)
        # The same version of the session, and yet not the same answer.
        tagged = {"if-none-match": early.headers["etag"], "authorization": f"Bearer {TOKEN}"}
        late = site.ask(address, headers=tagged)

        assert late.status_code == 200
        assert "data-again" not in late.text
        assert len(outline(late.text)) == len(outline(early.text)) + 1


def test_steps_of_before_are_not_taken_for_those_of_now(tmp_path: Path) -> None:
    made = Transcript(cwd="/home/dev/x").user("one").says("two")
    path = made.save(tmp_path)
    address = "/part/steps/-home-dev-x/s1"
    with served(tmp_path) as site:
        assert "etag" in site.ask(address).headers
        with open_source(site.context, "-home-dev-x", "s1") as read:
            rest_until(read, monotonic() + 1_000)
        path.write_bytes(made.user("three").bytes())

        assert "etag" not in site.ask(address).headers


def test_lines_that_came_and_went_are_counted_by_file(site: Served) -> None:
    with open_source(site.context, PROJECT, SESSION) as read:
        files = {one.path: (one.added, one.removed) for one in read.overview.instruments.files.rows}

    assert files["new.py"] == (60, 0)
    assert files["total.py"] == (1, 1)


def test_the_outline_of_the_whole_needs_no_window(site: Served) -> None:
    with open_source(site.context, PROJECT, SESSION) as read:
        marks = [mark.icon or mark.number for mark in read.overview.marks]

    assert {"1", "10", "agent", "fail", "cut", "link"} <= set(marks)


def test_a_secret_in_the_name_of_a_tool_is_taken_out(site: Served) -> None:
    with open_source(site.context, PROJECT, SESSION) as read:
        sketch = read.session.sketch()
    named: ToolExecution = structs.replace(sketch.tool_executions[0], name=SECRET)
    found = clean(Redactor(), structs.replace(sketch, tool_executions=(named,)))

    assert SECRET not in found.tool_executions[0].name


def test_a_secret_in_the_name_of_a_step_is_taken_out() -> None:
    made = document(chunk("ai", "", step("notice", name=SECRET), step("notice", id="n", name="ok")))
    (found,) = clean(Redactor(), made).chunks

    assert [one.name for one in found.steps or ()] == ["[redacted: github token]", "ok"]


def test_a_secret_in_the_name_of_a_call_is_in_no_step_of_the_whole(tmp_path: Path) -> None:
    Transcript(cwd="/home/dev/x").user("go").calls(SECRET).returns("ok").save(tmp_path)
    with served(tmp_path) as site, open_source(site.context, "-home-dev-x", "s1") as read:
        names = [one.name for one in read.overview.steps]

    assert "[redacted: github token]" in names
    assert SECRET not in names


def test_a_session_of_very_many_edits_is_not_read_for_its_lines(tmp_path: Path) -> None:
    made = Transcript(cwd="/home/dev/x").user("go")
    for number in range(401):
        made.calls("Write", file_path=f"/home/dev/x/{number}", content="x").returns("ok")
    made.save(tmp_path)
    with served(tmp_path) as site, open_source(site.context, "-home-dev-x", "s1") as read:
        assert {(one.added, one.removed) for one in read.overview.instruments.files.rows} == {
            (0, 0)
        }

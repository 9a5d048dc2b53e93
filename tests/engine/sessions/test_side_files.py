"""Lists, plans and jobs that lie beside a transcript, in the document and where it is shown."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import here
from tests.serve.served import served
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]
SESSION = "3f2a1b9c-0000"
SECRET = "sk-ant-api03-" + "aZ3" * 31 + "QAA"


PLAN = f"# Way to go\n\n- First **mend** it with {SECRET}\n"


def put(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def talk() -> Transcript:
    made = Transcript(session=SESSION, cwd="/repo").user("Go", slug="calm-blue-kite")
    return made.calls("TodoWrite", {"todos": [{"content": "by its lines"}]}).returns("ok")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root whose session has two tasks, a to-do list, a plan and a job."""
    talk().save(tmp_path)
    put(tmp_path / "tasks" / SESSION / "10.json", {"id": "10", "subject": "Then mend it"})
    task = {"id": "9", "subject": f"Find it {SECRET}", "status": "completed"}
    put(tmp_path / "tasks" / SESSION / "9.json", task)
    put(tmp_path / "todos" / f"{SESSION}-agent-{SESSION}.json", [{"content": "an older list"}])
    put(tmp_path / "plans" / "calm-blue-kite.md", PLAN)
    job = {"sessionId": SESSION, "state": "blocked", "name": "mender", "needs": "a decision"}
    put(tmp_path / "jobs" / "3f2a1b9c" / "state.json", job)
    put(tmp_path / "jobs" / "77777777" / "state.json", {"sessionId": "other", "state": "done"})
    return tmp_path


def session_of(root: Path, capsys: Capsys) -> Any:
    return json.loads(here(capsys, "show", SESSION, "--root", root, "--json").out)["session"]


def test_a_document_has_the_tasks_the_plan_and_the_job_of_its_session(
    root: Path, capsys: Capsys
) -> None:
    session = session_of(root, capsys)

    assert [(one["status"], one["content"][:7]) for one in session["taskList"]] == [
        ("completed", "Find it"),
        ("pending", "Then me"),
    ]
    assert [one["content"] for one in session["todos"]] == ["by its lines"]
    assert session["planFile"] == str(root / "plans" / "calm-blue-kite.md")
    assert session["job"] == {
        "id": "3f2a1b9c", "name": "mender", "state": "blocked", "detail": "",
        "needs": "a decision", "intent": "",
    }  # fmt: skip


def test_a_session_without_such_files_has_none(tmp_path: Path, capsys: Capsys) -> None:
    talk().save(tmp_path)
    session = session_of(tmp_path, capsys)

    assert (session["taskList"], session["planFile"], session["job"]) == ([], None, None)
    assert session["planText"] is None


def test_the_to_dos_of_an_older_version_are_listed_where_there_are_no_tasks(
    tmp_path: Path, capsys: Capsys
) -> None:
    Transcript(session=SESSION).user("Go").save(tmp_path)
    put(tmp_path / "todos" / f"{SESSION}.json", [{"content": "Old", "status": "in_progress"}])
    said = here(capsys, "show", SESSION, "--root", tmp_path).out

    assert [one["content"] for one in session_of(tmp_path, capsys)["taskList"]] == ["Old"]
    assert "Old" in said


@pytest.mark.parametrize("data", ["", "{", "[]", "null", '{"sessionId": 7}', "[" * 5_000])
def test_a_file_that_cannot_be_read_is_nothing(tmp_path: Path, capsys: Capsys, data: str) -> None:
    talk().save(tmp_path)
    for place in (f"tasks/{SESSION}/1.json", f"todos/{SESSION}.json", "jobs/x/state.json"):
        put(tmp_path / place, data)
    session = session_of(tmp_path, capsys)

    assert (session["taskList"], session["job"]) == ([], None)


def test_no_link_is_followed_to_a_list(tmp_path: Path, capsys: Capsys) -> None:
    talk().save(tmp_path)
    put(tmp_path / "elsewhere" / "1.json", {"id": "1", "subject": "Not ours"})
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / SESSION).symlink_to(tmp_path / "elsewhere")

    assert session_of(tmp_path, capsys)["taskList"] == []


def test_a_document_and_an_export_have_the_text_of_the_plan_without_secrets(
    root: Path, capsys: Capsys
) -> None:
    text = session_of(root, capsys)["planText"]
    page = here(capsys, "export", SESSION, "--root", root, "--format", "html").out
    fold = page.partition('<section id="plan">')[2].partition("</section>")[0]

    assert text.startswith("# Way to go\n\n- First **mend** it with [redacted: ")
    assert "<h3>Way to go</h3>" in fold
    assert "<strong>mend</strong>" in fold
    assert SECRET not in text + page


def test_a_page_fetches_the_plan_when_it_is_unfolded(root: Path) -> None:
    with served(root) as site:
        page = site.ask(f"/s/-repo/{SESSION}").text
        fold = page.partition('<section id="plan">')[2].partition("</section>")[0]
        src = re.findall(r'<load-part data-src="([^"]*)" data-unfolds>', fold)
        part = site.ask(src[0]).text
        missing = site.ask("/part/plan/-repo/nobody").status_code

    assert "Way to go" not in page
    assert "<h3>Way to go</h3>" in part
    assert "[redacted: " in part
    assert SECRET not in part
    assert missing == 404


def test_show_has_the_first_lines_of_the_plan(root: Path, capsys: Capsys) -> None:
    put(root / "plans" / "calm-blue-kite.md", "# Way to go\n" + "- step\n" * 500)
    said = here(capsys, "show", SESSION, "--root", root).out

    assert "Way to go" in said.partition("\nPlan\n")[2]
    assert said.count("- step") < 50


def test_of_a_long_plan_only_whole_lines_at_its_beginning_are_read(
    root: Path, capsys: Capsys
) -> None:
    put(root / "plans" / "calm-blue-kite.md", "A plan of 19 bytes\n" * 10_000)
    text = session_of(root, capsys)["planText"]

    assert set(text.splitlines()) == {"A plan of 19 bytes"}
    assert text.endswith("\n")
    assert len(text) == 65_536 // 19 * 19


def test_show_and_page_show_them_without_secrets(root: Path, capsys: Capsys) -> None:
    said = here(capsys, "show", SESSION, "--root", root).out
    with served(root) as site:
        page = site.ask(f"/s/-repo/{SESSION}").text

    for text in (said, page):
        assert "Then mend it" in text
        assert "calm-blue-kite.md" in text
        assert "mender · blocked · needs a decision" in text
        assert SECRET not in text
        assert "by its lines" not in text.partition("To-dos")[2]

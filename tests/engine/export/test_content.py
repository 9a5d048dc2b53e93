from pathlib import Path

import pytest

from tests.engine.export.made import opened
from tests.show.everything import AGENT, INNER, SECRET, everything
from unspool.demo import Transcript
from unspool.engine.export.content import ExportContent, WordReplacer, spans
from unspool.errors import SourceError
from unspool.redact.anonymise import Anonymiser
from unspool.redact.redactor import AuditingRedactor


def test_windows_put_together_are_the_whole(tmp_path: Path) -> None:
    everything(tmp_path)
    session = opened(tmp_path, "everything")
    whole, story = session.document(), ExportContent(session, None)
    windows = list(story.windows())

    assert tuple(chunk for window in windows for chunk in window.chunks) == whole.chunks
    assert tuple(story.chunks()) == whole.chunks
    assert tuple(story.calls()) == whole.tool_executions


def test_names_of_failures_are_cleaned_and_not_counted(tmp_path: Path) -> None:
    talk = Transcript(session="s").calls("Bash", command=f"lantern --key {SECRET}", id="c1")
    talk.returns("Exit code 2", failed=True).save(tmp_path)
    session, audit = opened(tmp_path, "s"), AuditingRedactor()
    redacted = ExportContent(session, audit)
    before = audit.removed
    replaced = ExportContent(session, WordReplacer(Anonymiser(b"key"))).failures()

    assert ExportContent(session, None).failures() == {"c1": "lantern exit 2"}
    assert redacted.failures() == {"c1": "lantern exit 2"}
    assert audit.removed == before
    assert len(replaced) == 1
    assert "lantern" not in str(replaced)


def test_an_agent_is_given_once(tmp_path: Path) -> None:
    everything(tmp_path)
    agents = ExportContent(opened(tmp_path, "everything"), None).agents()

    assert set(agents) == {AGENT, INNER}
    assert len(agents) == 2
    assert agents[AGENT].session.id == AGENT
    assert agents.get(AGENT) is None
    assert agents.get("nobody") is None


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ([], []),
        ([1, 1], [(0, 2)]),
        ([300, 300, 1], [(0, 1), (1, 2)]),
        ([9_000, 1, 500], [(0, 1), (1, 1), (2, 1)]),
    ],
)
def test_a_window_has_so_many_steps(sizes: list[int], told: list[tuple[int, int]]) -> None:
    assert list(spans(sizes)) == told


def test_a_file_that_is_no_transcript_is_no_story(tmp_path: Path) -> None:
    Transcript(session="s").raw(b"no json at all").save(tmp_path)

    with pytest.raises(SourceError, match="not a transcript"):
        ExportContent(opened(tmp_path, "s"), None)

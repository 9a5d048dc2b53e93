import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from msgspec import UNSET

from tests.engine.export.made import exported, opened
from tests.redact.secrets import Watch, planted
from tests.show.everything import SECRET, everything, png
from tests.show.webs import Seen
from unspool.demo import Transcript, generate
from unspool.engine.export.files import MEDIA, Export, ExportOptions, Format
from unspool.engine.sessions.session import SessionReader
from unspool.model.document import SessionDocument
from unspool.show.html.levels import Level
from unspool.source.prices import bundled

WORDS = re.compile(r"[^\W\d_]{5,}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    everything(tmp_path)
    return tmp_path


@pytest.mark.parametrize("format", MEDIA)
def test_no_secret_is_in_a_file_and_its_place_is_told(root: Path, format: Format) -> None:
    made, export = exported(opened(root, "everything"), format=format)

    assert SECRET.encode() not in made
    assert {(one.kind, one.count) for one in export.taken} == {("github token", 1)}
    assert all(one.place for one in export.taken)


@pytest.mark.parametrize("format", ["html", "md"])
def test_a_story_names_the_secrets_of_what_is_in_it_alone(tmp_path: Path, format: Format) -> None:
    talk = Transcript(session="s").user("Log in").says("How?").user(f"Use {SECRET}")
    talk.calls("Bash", command=f"login {SECRET}").returns("in").says("In")
    talk.calls("Bash", command=f"push {SECRET}").returns("exit code 1", failed=True)
    talk.says("It failed").save(tmp_path)
    session = opened(tmp_path)
    whole, every = exported(session, format=format)
    story, some = exported(session, format=format, level="story")

    assert [one.count for one in every.taken] == [1, 1, 1]
    assert [one.place for one in some.taken] == [every.taken[0].place, every.taken[2].place]
    assert (b"3 places" in whole, b"2 places" in story) == (True, True)
    if format == "html":
        assert all(f'id="{one.place}"'.encode() in story for one in some.taken)


@pytest.mark.parametrize("level", ["story", "normal", "everything"])
def test_every_link_in_a_page_leads_to_a_place_in_it(root: Path, level: Level) -> None:
    talk = Transcript(session="folded").user("Look around")
    for path in ("a.py", "b.py"):
        talk.calls("Read", file_path=path).returns("x = 1")
    edit = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    talk.calls("Edit", **edit).returns("done").says("Done").save(root)
    for id in ("everything", "folded"):
        page = exported(opened(root, id), format="html", level=level)[0].decode()
        seen = Seen(page)
        places = {f"#{quote(id, safe='~')}" for id in re.findall(r' id="([^"]+)"', page)}

        assert {href for href in seen.hrefs if not href.startswith("https://")} <= places
        assert any(href.startswith("#step-") for href in seen.hrefs)


@pytest.mark.parametrize("format", MEDIA)
def test_who_asks_for_secrets_gets_them(root: Path, format: Format) -> None:
    made, export = exported(opened(root, "everything"), format=format, unredacted=True)

    assert SECRET.encode() in made.replace(b"\\_", b"_")
    assert export.taken == ()


@pytest.mark.parametrize("format", MEDIA)
def test_no_secret_of_any_kind_leaves(tmp_path: Path, format: Format) -> None:
    talk, secrets = Transcript(session="s"), planted(150)
    for one in secrets:
        talk.user(one.text).calls("Bash", command=one.text).returns(one.text).says(one.text)
    talk.save(tmp_path)
    made = exported(opened(tmp_path), format=format)[0].decode()

    assert Watch(secrets).out(made) == []


@pytest.mark.parametrize("format", ["html", "md"])
def test_long_output_and_notes_are_there_to_their_end(tmp_path: Path, format: Format) -> None:
    note = "\n".join(f"line {n} of it" for n in range(2_000))
    talk = Transcript(session="s").user("go").calls("Bash", command="ls").returns(note)
    talk.attachment("hook_success", hookEvent="SessionStart", content=note).says("done")
    talk.save(tmp_path)
    made = exported(opened(tmp_path), format=format)[0]

    assert made.count(b"line 1999 of it") == 2


def test_the_document_is_what_the_library_gives(root: Path) -> None:
    session = opened(root, "everything")
    made = exported(session, format="json", unredacted=True)[0]

    assert msgspec.json.decode(made, type=SessionDocument) == session.document()


def test_the_lines_are_the_file(root: Path) -> None:
    made = exported(opened(root, "everything"), format="jsonl", unredacted=True)[0]

    assert made == next(root.glob("projects/*/everything.jsonl")).read_bytes()


def test_agents_are_in_the_page_at_any_depth(root: Path) -> None:
    for format in ("html", "md"):
        made = exported(opened(root, "everything"), format=format)[0].decode()

        assert "Trace tenant" in made
        assert made.count("not included in this file") == (format == "md") * 2


def test_an_agent_alone_is_a_file_too(root: Path) -> None:
    session = opened(root, "everything")
    inner = session.agent(session.agents[1].id)

    assert len(exported(inner, format="jsonl")[0]) < len(exported(session, format="jsonl")[0])
    assert b"<h1" in exported(inner)[0]


def test_a_long_session_comes_in_pieces(tmp_path: Path) -> None:
    talk = Transcript(session="s")
    for number in range(1_000):
        talk.user(f"prompt {number}").says("answer")
    talk.save(tmp_path)
    for format in MEDIA:
        pieces = list(Export(opened(tmp_path), ExportOptions(format=format, now=0)).pieces())

        assert len(pieces) > 4
        assert max(map(len, pieces)) < sum(map(len, pieces)) / 2


def shapes(document: SessionDocument) -> Iterator[Any]:
    """All that must not change when no word stays as it was."""
    yield document.metrics
    yield document.session.status
    yield [(one.type, one.turn, one.metrics, one.duration_ms) for one in document.chunks]
    yield [
        (step.type, step.start_time, step.duration_ms, step.is_error, step.tokens, step.line)
        for chunk in document.chunks
        if chunk.steps is not UNSET
        for step in chunk.steps
    ]
    yield [(one.state, one.duration_ms, one.line, one.hook) for one in document.tool_executions]
    yield [(one.index, one.metrics, one.tool_calls, len(one.prompt)) for one in document.turns]
    yield document.diagnostics


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("generated")
    generate(place, mb=1, seed=11, prices=json.loads(bundled()))
    return place


def anonymised(session: SessionReader, place: Path) -> SessionReader:
    """A session without its words, alone in a root of its own; and as it was, alone too."""
    made, export = exported(session, format="jsonl", anonymous=True)
    file = place / "projects" / "-x" / f"{export.name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(made)
    return opened(place, export.name)


def alone(path: Path, place: Path) -> SessionReader:
    """A session without what lies beside it."""
    file = place / "projects" / "-y" / path.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(path.read_bytes())
    return opened(place, path.stem)


def test_a_session_without_its_words_is_shown_the_same(generated: Path, tmp_path: Path) -> None:
    found = (path for path in generated.glob("projects/*/*.jsonl") if path.stat().st_size)
    files = sorted(found, key=lambda path: path.stat().st_size)
    for number, path in enumerate(files[:: max(1, len(files) // 12)]):
        before = alone(path, tmp_path / f"{number}a")
        after = anonymised(before, tmp_path / f"{number}b")

        assert list(shapes(after.document())) == list(shapes(before.document()))


def test_every_kind_of_step_survives_without_its_words(root: Path, tmp_path: Path) -> None:
    before = alone(next(root.glob("projects/*/everything.jsonl")), tmp_path / "a")
    after = anonymised(before, tmp_path / "b")

    assert list(shapes(after.document())) == list(shapes(before.document()))


def texts(value: Any) -> Iterator[str]:
    """All strings but the names of fields."""
    if isinstance(value, dict):
        yield from (text for one in value.values() for text in texts(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in texts(one))
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_no_word_of_a_prompt_or_an_answer_survives(generated: Path, format: Format) -> None:
    path = max(generated.glob("projects/*/*.jsonl"), key=lambda path: path.stat().st_size)
    session = opened(generated, str(path))
    document = session.document()
    said = [chunk.text for chunk in document.chunks if chunk.text is not UNSET]
    said += [step.text for c in document.chunks if c.steps for step in c.steps if step.text]
    made = exported(session, format=format, anonymous=True)[0].splitlines()
    told = (text for line in made for text in texts(json.loads(line)))
    words = {word.lower() for text in said for word in WORDS.findall(str(text))}

    assert len(words) > 50
    assert not words & {word.lower() for text in told for word in WORDS.findall(text)}


def test_a_document_without_its_words_has_its_shape(root: Path) -> None:
    session = opened(root, "everything")
    made = exported(session, format="json", anonymous=True)[0]
    after = msgspec.json.decode(made, type=SessionDocument)

    assert list(shapes(after))[:4] == list(shapes(session.document()))[:4]
    assert b"limiter" not in made


@pytest.mark.parametrize("format", MEDIA)
def test_no_word_of_a_session_is_in_any_file_without_words(root: Path, format: Format) -> None:
    session = opened(root, "everything")
    made = exported(session, format=format, anonymous=True)[0].decode()

    assert [word for word in ("limiter", "tenant", "Find callers", SECRET) if word in made] == []
    assert png() not in made
    assert "Anonymised" in made or format in ("json", "jsonl")


def test_a_page_without_words_has_as_many_steps(root: Path) -> None:
    session = opened(root, "everything")
    counts = [
        exported(session, anonymous=is_anonymous)[0].count(b' id="step-')
        for is_anonymous in (True, False)
    ]

    assert counts[0] == counts[1] > 40

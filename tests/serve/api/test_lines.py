import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from string import ascii_letters, digits
from typing import Any

import pytest

from tests.cli.made import root, sweep
from tests.serve.served import ORIGIN, TOKEN, Served, problem, served
from unspool.demo import Transcript

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
PDF = b"%PDF-1.7 <script>alert(1)</script>"
SECRET = "ghp_" + "".join(Random(3).choices(ascii_letters + digits, k=36))
OURS = {"authorization": f"Bearer {TOKEN}"}
PAGE = {**OURS, "origin": ORIGIN}


def block(kind: str, data: bytes, media: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": media, "data": b64encode(data).decode()}
    return {"type": kind, "source": source}


def pictures() -> Transcript:
    """A prompt with a picture, a document and something that lies about being a picture."""
    blocks = [
        {"type": "text", "text": f"see the key {SECRET}"},
        block("image", PNG, "image/png"),
        block("document", PDF, "application/pdf"),
        block("image", b"<svg onload='x'/>", "image/svg+xml"),
        {"type": "image", "source": {"type": "base64", "data": "%%%"}},
        block("image", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ]
    return Transcript(session="s", cwd="/home/dev/kettle").user(blocks)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return root(tmp_path / "claude", pictures())


@pytest.fixture
def site(place: Path) -> Iterator[Served]:
    with served(place) as made:
        yield made


@pytest.fixture
def event(site: Served) -> str:
    return str(site.ask("/api/sessions/-home-dev-kettle/s/raw/1").json()["eventId"])


@pytest.mark.parametrize(("n", "kind", "data"), [(0, "image/png", PNG), (4, "image/webp", None)])
def test_a_picture_is_shown(
    site: Served, event: str, n: int, kind: str, data: bytes | None
) -> None:
    answer = site.ask(f"/api/blob/{event}/{n}")

    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert answer.headers["content-disposition"] == "inline"
    assert data in (None, answer.content)


def test_a_document_of_text_has_no_secrets(tmp_path: Path) -> None:
    texts = [f"key {SECRET}".encode(), f"cl\xe9 {SECRET}".encode("latin-1")]
    binary = b"%PDF-1.7 \xe2\xe3\xcf\xd3 " + SECRET.encode()
    blocks = [block("document", data, "text/plain") for data in texts]
    blocks.append(block("document", binary, "application/pdf"))
    place = root(
        tmp_path / "documents", Transcript(session="s", cwd="/home/dev/kettle").user(blocks)
    )
    with served(place) as site:
        event = site.ask("/api/sessions/-home-dev-kettle/s/raw/1").json()["eventId"]
        found = [site.ask(f"/api/blob/{event}/{n}").content for n in range(3)]

    mark = b"[redacted: github token]"
    assert found == [b"key " + mark, b"cl\xe9 " + mark, binary]


@pytest.mark.parametrize(("n", "data"), [(1, PDF), (2, b"<svg onload='x'/>")])
def test_what_its_bytes_do_not_show_to_be_a_picture_is_to_be_saved(
    site: Served, event: str, n: int, data: bytes
) -> None:
    answer = site.ask(f"/api/blob/{event}/{n}")

    assert answer.content == data
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("n", [0, 1, 2])
def test_nothing_in_a_blob_can_run(site: Served, event: str, n: int) -> None:
    headers = site.ask(f"/api/blob/{event}/{n}").headers

    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("n", [3, 5, 10**9])
def test_a_blob_that_is_not_there_is_not_found(site: Served, event: str, n: int) -> None:
    assert problem(site.ask(f"/api/blob/{event}/{n}"))["status"] == 404


def test_a_picture_of_a_swept_session_is_still_there(site: Served, event: str, place: Path) -> None:
    sweep(place, "s")

    assert site.ask(f"/api/blob/{event}/0").content == PNG


@pytest.mark.parametrize(
    "id", ["1.0.0", "0.0.0", "999999999999999999.999999999.999999999999999999"]
)
def test_an_event_nobody_knows_is_not_found(site: Served, id: str) -> None:
    assert problem(site.ask(f"/api/blob/{id}/0"))["status"] == 404
    assert problem(site.ask(f"/api/reveal/{id}", "POST", headers=PAGE))["status"] == 404


@pytest.mark.parametrize("id", ["1", "1.0", "1.0.0.0", "a.b.c", "1.0.-1", "-1.0.0", "1.0.0x"])
def test_what_is_no_event_is_a_bad_request(site: Served, id: str) -> None:
    assert problem(site.ask(f"/api/blob/{id}/0"))["status"] == 400


def test_a_long_result_is_read_from_its_own_file_without_its_secrets(tmp_path: Path) -> None:
    pointer = "<persisted-output>\nFull output saved to: /x/tool-results/b.txt\n"
    made = Transcript(session="s").user("go").calls("Bash", command="x").returns(pointer)
    place = root(tmp_path, made)
    (main,) = place.glob("projects/*/s.jsonl")
    results = main.with_suffix("") / "tool-results"
    results.mkdir(parents=True)
    (results / "b.txt").write_text(f"long {SECRET} output")
    with served(place) as site:
        project = site.ask("/api/projects").json()["items"][0]["id"]
        event = site.ask(f"/api/sessions/{project}/s/raw/3").json()["eventId"]
        answer = site.ask(f"/api/blob/{event}/0")

    assert answer.text.startswith("long [redacted: ")
    assert SECRET not in answer.text


def test_a_page_of_ours_is_shown_the_secret_and_that_is_noted(
    site: Served, event: str, home: Path
) -> None:
    answer = site.ask(f"/api/reveal/{event}", "POST", headers=PAGE)
    (noted,) = (home / "unspool" / "reveals.jsonl").read_text().splitlines()

    assert SECRET in answer.json()["text"]
    assert json.loads(noted)["eventId"] == event
    assert SECRET not in noted
    assert (home / "unspool" / "reveals.jsonl").stat().st_mode & 0o777 == 0o600


def test_who_is_no_page_is_shown_no_secret(site: Served, event: str, home: Path) -> None:
    answer = site.ask(f"/api/reveal/{event}", "POST", headers=OURS)

    assert problem(answer)["status"] == 403
    assert SECRET not in answer.text
    assert not (home / "unspool" / "reveals.jsonl").exists()


def test_elsewhere_the_secret_is_not_shown(site: Served, event: str) -> None:
    assert SECRET not in site.ask("/api/sessions/-home-dev-kettle/s/raw/1").text
    assert SECRET not in site.ask("/api/sessions/-home-dev-kettle/s").text

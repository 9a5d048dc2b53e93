import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.show.everything import png
from unspool.engine.archive.blobs import Blob, blobs
from unspool.engine.archive.reader import SessionOutputs

PNG = {"type": "image", "source": {"type": "base64", "data": png()}}


def line(*content: Any) -> bytes:
    return json.dumps({"type": "user", "message": {"content": list(content)}}).encode()


def test_what_a_line_holds_comes_in_its_order() -> None:
    text = {"type": "document", "source": {"type": "base64", "data": b64encode(b"%PDF").decode()}}
    result = {"type": "tool_result", "content": [PNG]}
    found = list(blobs(line(PNG, {"type": "text"}, text, result)))

    assert [blob and blob.image for blob in found] == ["image/png", None, "image/png"]


def test_one_that_cannot_be_read_keeps_its_number() -> None:
    broken = {"type": "image", "source": {"type": "base64", "data": "!"}}

    assert [blob is None for blob in blobs(line(broken, PNG))] == [True, False]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x89PNG\r\n\x1a\nx", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"<svg>", None),
        (b"", None),
    ],
)
def test_bytes_say_themselves_what_picture_they_are(data: bytes, expected: str | None) -> None:
    assert Blob(data).image == expected


@pytest.mark.parametrize("data", [b"", b"no json", b"[]", b'{"message": 1}', b"[" * 9_000])
def test_a_line_without_any_has_none(data: bytes) -> None:
    assert list(blobs(data)) == []


def outputs(directory: Path) -> SessionOutputs:
    return SessionOutputs(str(directory), str(directory))


def test_a_long_result_is_read_from_its_sessions_own_directory(tmp_path: Path) -> None:
    kept = tmp_path / "tool-results" / "r.txt"
    kept.parent.mkdir()
    kept.write_text("long")
    told = {"type": "tool_result", "content": f"Full output saved to: {kept}\n"}

    assert list(blobs(line(told), outputs(tmp_path))) == [Blob(b"long", is_text=True)]
    assert list(blobs(line(told), outputs(tmp_path / "else"))) == [None]


@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF....WEBP", "image/webp"),
        (b"<svg", None),
    ],
)
def test_only_its_own_bytes_say_what_a_picture_is(begins: bytes, kind: str | None) -> None:
    assert Blob(begins + b"more").image == kind


@pytest.mark.parametrize(
    ("data", "media", "expected"),
    [
        (b"password=hunter2", "text/plain", True),
        (b"password=hunter2", "application/octet-stream", True),
        ("pässword".encode("latin-1"), "text/plain", True),
        ("pässword".encode(), None, True),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "application/pdf", False),
        (b"\x89PNG\r\n\x1a\n", "image/png", False),
        (b"GIF89a\x01\0\x01\0\0\0\0;", "image/gif", False),
        (b"GIF89a password=hunter2", "image/gif", True),
    ],
)
def test_what_reads_as_text_is_text(data: bytes, media: str | None, expected: bool) -> None:
    source = {"type": "base64", "media_type": media, "data": b64encode(data).decode()}
    (found,) = blobs(line({"type": "document", "source": source}))

    assert found == Blob(data, is_text=expected)

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import zstandard

from tests.serve.served import TOKEN, Served, served
from unspool.demo import Transcript
from unspool.serve.compression import ZstdCompression, compression

ALL = "gzip, deflate, br, zstd"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    Transcript("one", cwd="/home/dev/x").user("a prompt " * 300).says("an answer").save(tmp_path)
    with served(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("accepted", "encoding"), [(ALL, "zstd"), ("gzip, deflate", "gzip"), ("identity", None)]
)
def test_an_answer_is_packed_as_its_reader_likes_it(
    site: Served, accepted: str, encoding: str | None
) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "accept-encoding": accepted}
    answer = site.ask("/s/-home-dev-x/one", headers=headers)

    assert answer.headers.get("content-encoding") == encoding
    assert "a prompt a prompt" in answer.text


def test_a_part_can_be_read_before_the_next_one_is_written() -> None:
    buffer, reader = BytesIO(), zstandard.ZstdDecompressor().decompressobj()
    packed = ZstdCompression(buffer, "zstd", compression())
    read = []
    for part in (b"one " * 400, b"two " * 400):
        packed.write(part)
        read.append(reader.decompress(buffer.getvalue()))
        buffer.seek(0)
        buffer.truncate()
    packed.close()

    assert read == [b"one " * 400, b"two " * 400]
    assert reader.decompress(buffer.getvalue()) == b""
    assert reader.eof

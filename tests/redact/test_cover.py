"""Covered lines: as long as before, still JSON where they were, and without the secret."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.redact.ordinary_texts import ordinary
from tests.redact.secret_kinds import evaluation
from unspool.redact.cover import LineCover, covered_text

SECRETS = (
    "sk-ant-api03-" + "A1b2C3d4E5" * 8 + "AA",
    "ghp_" + "a1B2c3D4e5F6" * 3,
    "AKIAIOSFODNN7ABCDEFG",
)


def covered(data: bytes) -> bytes:
    return LineCover().covered(data)


@given(st.lists(st.one_of(st.sampled_from(SECRETS), st.text()), max_size=8))
def test_a_line_keeps_its_length_and_stays_json(parts: list[str]) -> None:
    line = json.dumps({"text": " ".join(parts)}, ensure_ascii=False)
    data = line.encode("utf-8", "surrogatepass") + b"\n"
    found = covered(data)

    assert len(found) == len(data)
    assert found.endswith(b"\n")
    assert found.count(b"\n") == data.count(b"\n")
    json.loads(found.decode("utf-8", "surrogatepass"))
    for secret in SECRETS:
        assert secret.encode() not in found


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=3))
def test_any_bytes_keep_their_length_however_they_are_cut(data: bytes, cuts: list[int]) -> None:
    cover, at, found = LineCover(), 0, b""
    for cut in [*sorted(cuts), len(data)]:
        found += cover.covered(data[at:cut])
        at = max(at, cut)

    assert len(found) == len(data)
    assert [i for i, b in enumerate(found) if b == 10] == [i for i, b in enumerate(data) if b == 10]


def test_the_longest_mask_that_fits_is_used() -> None:
    line = json.dumps({"a": SECRETS[0], "b": "password=hunter2ab"}).encode() + b"\n"
    found = covered(line)

    assert b"[redacted: " in found
    assert b"hunter2ab" not in found
    assert len(found) == len(line)


def test_what_is_no_whole_line_is_blanked() -> None:
    """Half a secret is not recognised as one."""
    secret = SECRETS[0].encode()
    cover = LineCover()
    first, second = (
        cover.covered(b'{}\n{"a": "' + secret[:40]),
        cover.covered(secret[40:] + b'"}\n'),
    )

    assert first.startswith(b"{}\n ")
    assert first[3:].strip() == second.strip() == b""
    assert second.endswith(b" \n")


def test_what_follows_on_missing_bytes_is_blanked_up_to_the_next_line() -> None:
    cover = LineCover()
    before = cover.covered(b'{"a": 1}\n')
    cover.skip()
    after = cover.covered(SECRETS[0][40:].encode() + b'"}\n{"b": 2}\n')

    assert (before, after.strip()) == (b'{"a": 1}\n', b'{"b": 2}')


@pytest.mark.slow
def test_a_hundred_thousand_lines_keep_their_lengths() -> None:
    """Secrets of every kind and form, ordinary texts, and characters of any alphabet, mixed."""
    chance = Random(9)
    secrets = [one.text for _, one in evaluation(2)]
    texts = [*secrets, *(text for _, text in ordinary())]
    cover = LineCover()
    for number in range(100_000):
        some = chance.choices(texts, k=chance.randrange(1, 4))
        odd = "".join(
            chr(chance.choice([9, 34, 92, 233, 8364, 128_512])) for _ in range(number % 5)
        )
        is_ascii = chance.random() < 0.5
        line = json.dumps({"type": "user", "text": some, "odd": odd}, ensure_ascii=is_ascii)
        data = line.encode() + b"\n"
        found = cover.covered(data)
        assert len(found) == len(data)
        assert found.endswith(b"\n")
        assert found.count(b"\n") == 1
        json.loads(found)


@given(st.lists(st.one_of(st.sampled_from(SECRETS), st.text()), max_size=8))
def test_text_of_any_form_keeps_its_length(parts: list[str]) -> None:
    data = "\n".join(parts).encode("utf-8", "surrogatepass")
    found = covered_text(data)

    assert len(found) == len(data)
    for secret in SECRETS:
        assert secret.encode() not in found

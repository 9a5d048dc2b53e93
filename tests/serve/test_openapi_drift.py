"""The OpenAPI document and the server say the same: strangers' requests, made from the document."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.serve.served import TOKEN
from tests.serve.standing import standing
from unspool.demo.generator import generate
from unspool.source.prices import bundled

QUICK, LONG = 1, 40
# A session that only hooks know of has an empty project: put into an address, that is another one.
CONFIG = """
[checks]
positive_data_acceptance.expected-statuses = [
    "2xx", "3xx", "401", "403", "404", "405", "409", "429", "5xx"
]

# No schema says that a level is for some of the formats alone.
[[operations]]
include-operation-id = "exportSession"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "429"]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated root with everything in it that a root may have."""
    made = tmp_path_factory.mktemp("drift")
    generate(made / "root", mb=1, seed=4, prices=json.loads(bundled()))
    return made / "root"


@pytest.fixture
def address(place: Path) -> Iterator[str]:
    with standing(place) as made:
        yield made


def tried(tmp_path: Path, address: str, examples: int, *more: str, token: str = TOKEN) -> str:
    """Run schemathesis on a server; what it found, if anything."""
    document = tmp_path / "openapi.json"
    answer = httpx.get(
        f"{address}/schema", headers={"authorization": f"Bearer {TOKEN}"}, timeout=60
    )
    document.write_bytes(answer.content)
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", str(document), "--url", address,
        "--checks", "all", "--max-examples", str(examples), "--seed", "1", "--workers", "2",
        "--generation-database", "none", "--suppress-health-check", "all", "--no-color", *more,
    ]  # fmt: skip
    if token:
        command += ["-H", f"Authorization: Bearer {token}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout[-20_000:] + done.stderr[-2_000:]


def test_requests_made_from_the_document_are_answered_as_it_says(
    tmp_path: Path, address: str
) -> None:
    found = tried(tmp_path, address, QUICK, "--phases", "examples,fuzzing")

    assert not found, found


def test_without_a_token_nothing_but_refusals_comes_back(tmp_path: Path, address: str) -> None:
    found = tried(tmp_path, address, QUICK, "--phases", "fuzzing", token="")

    assert not found, found


@pytest.mark.slow
@pytest.mark.parametrize("token", [TOKEN, ""])
def test_many_requests_made_from_the_document_are_answered_as_it_says(
    tmp_path: Path, address: str, token: str
) -> None:
    found = tried(tmp_path, address, LONG, token=token)

    assert not found, found

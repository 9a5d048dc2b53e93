from pathlib import Path

from tests.cli.made import root
from tests.serve.served import served
from unspool.demo import Transcript


def test_a_long_transcript_comes_in_pieces(tmp_path: Path) -> None:
    made = Transcript(session="s", cwd="/home/dev/kettle")
    for number in range(400):
        made.user(f"{number} " + "long words " * 150)
    place = root(tmp_path, made)
    with served(place) as site:
        pieces = list(site.desk.exports.jsonl("-home-dev-kettle", "s"))

    assert len(pieces) > 2
    assert b"".join(pieces) == next(place.glob("projects/*/s.jsonl")).read_bytes()

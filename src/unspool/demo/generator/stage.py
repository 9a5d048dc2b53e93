"""The root being made: chance, names, words, the truth and the files all sessions share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from unspool.demo.generator.ids import Ids
from unspool.demo.generator.money import Prices
from unspool.demo.generator.reel import Reel
from unspool.demo.generator.truth import Ledger, Truth
from unspool.demo.generator.words import Words
from unspool.demo.lines import Fields, encode


class Stage:
    """One Claude root under construction."""

    def __init__(self, directory: Path, seed: int, prices: Mapping[str, Any]) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "projects").mkdir()
        self.directory = directory
        self.rng = Random(seed)
        self.ids = Ids(self.rng)
        self.words = Words(self.rng)
        self.ledger = Ledger(directory / "truth.json", Prices(prices))
        self.size = 0
        self._history = (directory / "history.jsonl").open("wb")

    def reel(self, path: Path, **options: Any) -> Reel:
        """Open a transcript file."""
        return Reel(path, self.rng, self.ids, **options)

    def finish(self, reel: Reel) -> None:
        """Close a transcript file and count it."""
        reel.close()
        self.size += reel.size
        self.ledger.counts["files"] += 1
        self.ledger.counts["bytes"] += reel.size
        self.ledger.counts["lines"] += reel.line_count

    def remember(self, prompt: str, milliseconds: int, cwd: str, session: str) -> None:
        """Add a prompt to the history all sessions share."""
        line = {"display": prompt, "pastedContents": {}, "timestamp": milliseconds}
        self._history.write(encode({**line, "project": cwd, "sessionId": session}) + b"\n")

    def put(self, path: str, content: str | Fields | list[Any]) -> Path:
        """Write one small file below the root."""
        target = self.directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        target.write_text(text, encoding="utf-8", newline="\n")
        return target

    def close(self) -> Truth:
        """Finish the root."""
        self._history.close()
        return self.ledger.finish()

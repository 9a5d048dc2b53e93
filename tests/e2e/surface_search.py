"""What searches say of the sessions whose lines they find."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

import unspool
from tests.e2e import surface_fields as fields
from tests.e2e.surface_fields import Facts, Json, Key, Shown
from tests.e2e.workspaces import Asks, Workspace

Answers: TypeAlias = dict[Key, Facts]

ANY_WORD: Final = r"[\pL\pN]+"
MOST: Final = 100_000


def search_answers(
    workspace: Workspace, site: Asks, names: Mapping[Key, str], rows: Answers
) -> dict[str, Answers]:
    """Every line that has a word, and each session once more by one of its words.

    `names` are those of the sessions' projects, `rows` say where their transcripts are.
    """
    asked = ("search", "--regex", f"--limit={MOST}", ANY_WORD)
    hits: list[Json] = workspace.json(*asked, "--json")["items"]
    with workspace.here():
        ws = unspool.open(workspace.root, now=workspace.now)
        found = ws.search(ANY_WORD, regex=True, limit=MOST).items
        ws.close()
    words = {_key(hit): hit["snippet"][slice(*hit["ranges"][0])] for hit in hits}
    return {
        "search": _of_text(workspace.run(*asked) or "", names),
        "search --json": _of_hits(hits, rows),
        "library search": _of_hits(json.loads(msgspec.json.encode(found)), rows),
        "REST search": _by_word(site, words, rows),
    }


def _key(hit: Json) -> Key:
    return hit["projectId"], hit["sessionId"]


def _of_hits(hits: Iterable[Json], rows: Answers) -> Answers:
    """By session; a hit whose words are not at its line of the session's file is elsewhere."""
    found: Answers = {}
    texts: dict[str, list[str]] = {}
    for hit in hits:
        key = _key(hit)
        facts = found.setdefault(
            key,
            {
                "title": hit["title"],
                "project_name": hit["projectName"],
                "is_found": True,
            },
        )
        path = rows.get(key, {}).get("path")
        # What a line of the system says is put into words of our own.
        is_of_file = not hit["agentId"] and hit["kind"] != "system"
        if path and is_of_file and Path(path).is_file():
            lines = texts.get(path) or texts.setdefault(path, _lines(Path(path)))
            facts.setdefault("path", path)
            if not _stands(hit, lines):
                facts["path"] = f"not {path}: its line {hit['line']} is another"
    return found


def _lines(path: Path) -> list[str]:
    """Each line's strings, one below the other."""
    return ["\n".join(_strings(_decoded(line))) for line in path.read_bytes().split(b"\n")]


def _decoded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line.decode("utf-8", "replace")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
    else:
        yield str(value)


def _stands(hit: Json, lines: list[str]) -> bool:
    number = hit["line"]
    text = lines[number - 1] if 0 < number <= len(lines) else ""
    return all(hit["snippet"][begin:end] in text for begin, end in hit["ranges"])


def _of_text(text: str, names: Mapping[Key, str]) -> Answers:
    """The line above each session's lines: its title, its project and its id."""
    found: Answers = {}
    for part in text.split("\n\n")[:-1]:  # the last says how many there are
        title, project, session = part.partition("\n")[0].rsplit("  ", 2)
        key = fields.key_meant(names, session, project, found)
        found[key] = {"title": fields.heading(title), "project_name": Shown(project)}
    return found


def _by_word(site: Asks, words: Mapping[Key, str], rows: Answers) -> Answers:
    """Each session by a word of it, over HTTP."""
    found: Answers = {}
    for key, word in words.items():
        asked = {"q": word, "session": key[1], "limit": 200}
        hits = site.ask("/api/search", params=asked).json()["items"]
        found[key] = _of_hits(hits, rows).get(key, {"is_found": False})
    return found

"""Finds that a file was broken before it was imported."""

from unspool.demo.script.steps import RELEASE, SONNET, Story, answer, prompt, think
from unspool.demo.script.tools import bash, edit, read

_LATER = 330  # seconds until somebody comes back to a session that is done

STORY = Story(
    name="hotfix-encoding",
    title="Umlauts in imported names are broken",
    model=SONNET,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt(
            'Names from one customer\'s CSV come out as "M\u00c3\u00bcnchen". Fix it for 1.8.1.',
            after=5,
        ),
        read(
            "waybill/imports.py",
            'rows = list(parse(file.file.read().decode("utf-8-sig")))',
            line=55,
            total=70,
        ),
        bash(
            "file tests/data/muenchen.csv && head -c 80 tests/data/muenchen.csv | xxd | head -2",
            "tests/data/muenchen.csv: Unicode text, UTF-8 (with BOM) text\n00000000: efbb bf74 7261 636b 696e 675f 6e75 6d62  ...tracking_numb\n00000010: 4dc3 83c2 bc6e 6368 656e                 M....nchen",
            took=0.4,
        ),
        think(
            "c3 83 c2 bc: encoded twice before it reached us. The file itself is broken; we read it correctly. Should we repair it? Only if the whole file decodes as such; otherwise we would break correct names."
        ),
        answer(
            "The file is broken, not the import: its names were encoded twice before they were saved (`c3 83 c2 bc` for ü). I can warn about such rows, or repair them where the repair is beyond doubt. Which do you prefer?"
        ),
        prompt("Warn. We do not guess names.", after=_LATER),
        edit(
            "waybill/imports.py",
            "            yield NewShipment.model_validate(row)",
            '            if looks_encoded_twice(row["recipient"]):\n                yield RowError(line=line, reason="recipient: looks encoded twice")\n                continue\n            yield NewShipment.model_validate(row)',
            line=24,
        ),
        bash(
            "pytest -q tests/test_import.py",
            ".....                                                                    [100%]\n5 passed in 1.31s",
            took=2.4,
        ),
        bash(
            "git commit -qam 'Import: report names that were encoded twice' && git push -q",
            "",
            took=2.0,
            asks=120,
        ),
        answer("Such rows are reported with their line and not imported. Pushed for 1.8.1."),
    ],
)

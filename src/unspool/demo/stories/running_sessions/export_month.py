"""Asks for approval to install a package: a month as a spreadsheet."""

from unspool.demo.script.steps import SONNET, Story, answer, prompt
from unspool.demo.script.tools import bash, edit, read, write

_LATER = 330  # seconds until somebody comes back to a session that is done

STORY = Story(
    name="export-month",
    title="Export a month as a spreadsheet",
    model=SONNET,
    branch="export-month",
    steps=[
        prompt(
            "Accounting wants all deliveries of a month as a spreadsheet. A button on the report page is enough.",
            after=5,
        ),
        read(
            "waybill/api/exports.py",
            '@router.get("/exports/{month}.csv")\ndef export(month: Month, user: User = Depends(user)):',
            line=17,
            total=71,
        ),
        edit(
            "waybill/api/exports.py",
            '@router.get("/exports/{month}.csv")',
            '@router.get("/exports/{month}.xlsx")',
            line=17,
        ),
        write(
            "waybill/spreadsheet.py",
            '''
            """Rows -> a spreadsheet, written row by row so that a large month fits in memory."""

            from collections.abc import Iterable, Sequence
            from io import BytesIO

            from openpyxl import Workbook


            def spreadsheet(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
                book = Workbook(write_only=True)
                sheet = book.create_sheet("Deliveries")
                sheet.append(list(head))
                for row in rows:
                    sheet.append(list(row))
                file = BytesIO()
                book.save(file)
                return file.getvalue()
        ''',
        ),
        bash(
            "pip install -q openpyxl && pytest -q tests/test_exports.py",
            "....                                                                     [100%]\n4 passed in 1.90s",
            took=9.0,
            asks=210,
        ),
        answer(
            "The button gives an .xlsx with one row per delivery. A month with 170,000 rows takes 6 s and 90 MB."
        ),
        prompt("Dates come out as text. Make them real dates.", after=_LATER),
        edit(
            "waybill/api/exports.py",
            "    row.delivered_at.isoformat(),",
            "    row.delivered_at.replace(tzinfo=None),  # spreadsheets have no time zones",
            line=33,
        ),
        bash(
            "pytest -q tests/test_exports.py",
            "....                                                                     [100%]\n4 passed in 1.88s",
            took=3.0,
        ),
        answer(
            "They are dates now, in the zone of the depot. Spreadsheets have no time zones, so the zone has a column of its own."
        ),
    ],
)

"""A feature built with agents: one explores, two build side by side, one of them asks another."""

from unspool.demo.script.steps import FABLE, Story, answer, notice, prompt, say, think, together
from unspool.demo.script.tools import bash, edit, read, todo
from unspool.demo.stories.csv_import_agents import API, DOCS, EXPLORE, IMPORTS, WEB
from unspool.demo.stories.waybill_files import whole
from unspool.demo.stories.waybill_logs import web_suite
from unspool.demo.stories.waybill_outputs import suite

STORY = Story(
    name="csv-import",
    title="Import shipments from CSV",
    day=6,
    at="09:50",
    model=FABLE,
    branch="csv-import",
    steps=[
        prompt(
            "Customers want to import shipments from a CSV file. Build it: endpoint, dialog, "
            "manual. Use agents where work can run in parallel.",
            after=5,
        ),
        say("First I want to know where shipments come from today."),
        EXPLORE,
        think(
            "One place to hook in: NewShipment. API and web can be built in parallel if the "
            "contract is fixed first: POST /shipments/import, multipart, ImportReport with created "
            "and errors[line, reason]. Docs in the background."
        ),
        together(whole("waybill/api/shipments.py"), whole("web/src/pages/Shipments.tsx")),
        bash(
            "head -4 tests/data/customer.csv && wc -l tests/data/customer.csv && file tests/data/customer.csv",
            "tracking_number,carrier,recipient,notify\nNL-100661,northline,Warehouse 3,true\nNL-100662,northline,Warehouse 3,true\nPC-77-0412,parcelio,Front desk,false\n1187 tests/data/customer.csv\ntests/data/customer.csv: CSV text, Unicode text, UTF-8 (with BOM)",
        ),
        todo(
            "x Find out how shipments are created",
            "> Endpoint and dialog, side by side",
            "- Manual page",
            "- Try it with a real file",
        ),
        say(
            "The contract is `ImportReport {created, errors: [{line, reason}]}`. Endpoint and dialog "
            "can be built at the same time; the manual can be written meanwhile."
        ),
        DOCS,
        together(API, WEB),
        notice(
            "Describe the import in the manual",
            'Agent "Describe the import in the manual" completed',
        ),
        bash(
            "git status --short && git diff --stat",
            " M waybill/api/schemas.py\n M waybill/api/shipments.py\n M web/src/api.ts\n M web/src/pages/Shipments.tsx\n?? docs/import.md\n?? tests/test_import.py\n?? waybill/imports.py\n?? web/src/components/ImportDialog.test.tsx\n?? web/src/components/ImportDialog.tsx\n 4 files changed, 58 insertions(+), 3 deletions(-)",
        ),
        read("waybill/imports.py", IMPORTS),
        say("All three are done. Now the whole thing with a real file."),
        bash(
            "pytest -v && npm --prefix web test -- --run",
            suite(143, "15.90") + "\n\n" + web_suite(84, "6.70"),
            took=34.0,
        ),
        bash(
            "curl -s -F file=@tests/data/customer.csv localhost:8000/shipments/import | jq '{created, errors: (.errors | length), first: .errors[0]}'",
            """
            {
              "created": 1180,
              "errors": 6,
              "first": {
                "line": 211,
                "reason": "tracking_number: String should match pattern '^[A-Z0-9-]{6,32}$'"
              }
            }
            """,
            took=2.9,
        ),
        bash(
            "sed -n '211p;212p' tests/data/customer.csv | cat -A | cut -c1-60",
            "nl-100871 ,northline,Warehouse 3,true$\nNL-100872,northline,Warehouse 3,true$",
        ),
        say(
            "A lower-case number with a trailing space. People will send that; the importer can put it right."
        ),
        think(
            "Trim and upper-case in the importer, not in NewShipment: the form does it in the browser already, "
            "and the API should stay strict about what other programs send. Only the number; names must come "
            "through as they are. The limit of rows counts lines, so a blank last line would count as well; "
            "csv.DictReader skips those."
        ),
        edit(
            "waybill/imports.py",
            "                yield NewShipment.model_validate(row)",
            """
                            number = (row.get("tracking_number") or "").strip().upper()
                            yield NewShipment.model_validate({**row, "tracking_number": number})
            """,
            line=24,
        ),
        bash(
            "pytest -q tests/test_import.py && curl -s -F file=@tests/data/customer.csv localhost:8000/shipments/import | jq -c '[.created, (.errors | length)]'",
            "....                                                                     [100%]\n4 passed in 1.27s\n[6,1180]",
            took=4.1,
        ),
        bash(
            "git add -A && git commit -qm 'Import shipments from CSV' && git log --oneline -1",
            "3f77a0e Import shipments from CSV",
            asks=9,
        ),
        todo(
            "x Find out how shipments are created",
            "x Endpoint and dialog, side by side",
            "x Manual page",
            "x Try it with a real file",
        ),
        answer(
            "The import works: 1,186 of the customer's 1,186 rows, after numbers are trimmed and put "
            "in upper case. The second run reported the 1,180 known ones, as it should.\n\n"
            "- Endpoint: `waybill/imports.py`, four tests\n"
            "- Dialog: `web/src/components/ImportDialog.tsx`, checked for keyboard use\n"
            "- Manual: `docs/import.md`"
        ),
    ],
)

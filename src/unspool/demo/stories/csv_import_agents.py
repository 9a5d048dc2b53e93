"""The agents that build the import: one of them sends another."""

from unspool.demo.script.steps import HAIKU, SONNET, answer, say, together
from unspool.demo.script.tools import agent, bash, edit, glob, read, write
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_logs import web_suite
from unspool.demo.stories.waybill_outputs import suite

IMPORTS = '''
"""A CSV file -> shipments, and the rows that cannot be one."""

import csv
import io
from collections.abc import Iterator

from pydantic import ValidationError

from waybill.api.schemas import NewShipment, RowError

MOST_ROWS = 5_000


def parse(text: str) -> Iterator[NewShipment | RowError]:
    """Each row as a shipment or as an error; lines count from 2, after the head."""
    rows = csv.DictReader(io.StringIO(text))
    for line, row in enumerate(rows, start=2):
        if line > MOST_ROWS + 1:
            yield RowError(line=line, reason=f"More than {MOST_ROWS} rows")
            return
        try:
            yield NewShipment.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            yield RowError(line=line, reason=f"{first['loc'][0]}: {first['msg']}")
'''

EXPLORE = agent(
    "Explore",
    "Find where shipments are created",
    "Find every place where a shipment is created: routes, jobs, tests, the web form. Report the "
    "validation each of them does and where the rules differ. Do not change anything.",
    [
        search(r"Shipment\("),
        together(
            whole("waybill/api/shipments.py"),
            glob(
                "web/src/**/*Shipment*.tsx",
                "web/src/pages/Shipments.tsx",
                "web/src/components/ShipmentForm.tsx",
            ),
        ),
        search("tracking_number"),
        together(
            whole("web/src/components/ShipmentForm.tsx"), whole("waybill/carriers/parcelio.py")
        ),
        answer(
            "The application creates shipments in one place.\n\n"
            "- `waybill/api/shipments.py:31`, the only one with validation: `NewShipment` checks the "
            "number (6 to 32 characters), the carrier and the recipient.\n"
            "- `tests/factories.py` creates them without any check, for tests alone.\n\n"
            "The form in `ShipmentForm.tsx:32` allows numbers of any length, so the server is "
            "stricter. An import should reuse `NewShipment`."
        ),
    ],
    model=HAIKU,
)

DIALOG = """
export function ImportDialog({ onDone }: { onDone: (report: ImportReport) => void }) {
  const [report, setReport] = useState<ImportReport | null>(null);
  const send = async (file: File) => {
    const answer = await api.importShipments(file);
    setReport(answer);
    onDone(answer);
  };
  return (
    <dialog open>
      <input type="file" accept=".csv" onChange={(e) => e.target.files && send(e.target.files[0])} />
      {report && <p>{report.created} created, {report.errors.length} skipped</p>}
    </dialog>
  );
}
"""

A11Y = agent(
    "general-purpose",
    "Check the dialog with a keyboard",
    "Read web/src/components/ImportDialog.tsx and its test. Check that it can be used with a "
    "keyboard and a screen reader: focus, labels, live region for the result. List what is wrong.",
    [
        read(
            "web/src/components/ImportDialog.tsx",
            DIALOG,
        ),
        answer(
            "Three things:\n\n1. `<dialog open>` does not trap focus; use `showModal()`.\n"
            "2. The file input has no label.\n3. The result is not announced: give the paragraph "
            '`role="status"` and keep it in the page from the start.'
        ),
    ],
    model=HAIKU,
)

API = agent(
    "general-purpose",
    "Build the import endpoint",
    "Add POST /shipments/import to waybill/api/shipments.py. It takes a CSV file (columns "
    "tracking_number, carrier, recipient, notify), validates each row with NewShipment, creates the "
    "good rows in one transaction and reports the others with line number and reason. At most "
    "5,000 rows. Write tests in tests/test_import.py. Do not touch web/.",
    [
        whole("waybill/api/shipments.py"),
        together(whole("waybill/api/schemas.py"), whole("tests/conftest.py")),
        write(
            "waybill/imports.py",
            IMPORTS,
        ),
        edit(
            "waybill/api/schemas.py",
            "class TrackingPage(BaseModel):",
            """
            class RowError(BaseModel):
                line: int
                reason: str


            class ImportReport(BaseModel):
                created: int
                errors: list[RowError]


            class TrackingPage(BaseModel):
            """,
            line=55,
        ),
        edit(
            "waybill/api/shipments.py",
            '@router.get("/shipments/{id}")',
            """
            @router.post("/shipments/import")
            def import_csv(
                file: UploadFile, user: User = Depends(user), db: Session = Depends(session)
            ) -> ImportReport:
                rows = list(parse(file.file.read().decode("utf-8-sig")))
                good = [row for row in rows if isinstance(row, NewShipment)]
                db.add_all(Shipment(**row.model_dump(), owner_id=user.id) for row in good)
                db.commit()
                return ImportReport(created=len(good), errors=[r for r in rows if isinstance(r, RowError)])


            @router.get("/shipments/{id}")
            """,
            line=52,
        ),
        write(
            "tests/test_import.py",
            """
            GOOD = "tracking_number,carrier,recipient,notify\\nNL-100200,northline,Front desk,true\\n"


            def test_good_rows_become_shipments(client):
                report = client.post("/shipments/import", files={"file": GOOD}).json()

                assert report == {"created": 1, "errors": []}


            def test_a_bad_row_is_reported_with_its_line(client):
                report = client.post("/shipments/import", files={"file": GOOD + "x,northline,,\\n"}).json()

                assert report["created"] == 1
                assert report["errors"][0]["line"] == 3


            def test_a_number_that_is_known_already_is_an_error_of_its_row(client):
                client.post("/shipments/import", files={"file": GOOD})
                report = client.post("/shipments/import", files={"file": GOOD}).json()

                assert report["errors"][0]["reason"] == "tracking_number: is known already"
            """,
        ),
        bash(
            "pytest -q tests/test_import.py",
            """
            ..F                                                                      [100%]
            E   sqlalchemy.exc.IntegrityError: (psycopg.errors.UniqueViolation) duplicate key value violates unique constraint "shipments_tracking_number_key"
            FAILED tests/test_import.py::test_a_number_that_is_known_already_is_an_error_of_its_row
            1 failed, 2 passed in 1.31s
            """,
            exit=1,
            took=2.6,
        ),
        say("A known number must not fail the whole file. I'll ask for known numbers first."),
        edit(
            "waybill/api/shipments.py",
            "    good = [row for row in rows if isinstance(row, NewShipment)]",
            """
                rows = reject_known(db, user, rows)
                good = [row for row in rows if isinstance(row, NewShipment)]
            """,
            line=57,
        ),
        bash(
            "pytest -q tests/test_import.py",
            "...                            [100%]\n3 passed in 1.22s",
            took=2.4,
        ),
        bash(
            "ruff check . && mypy waybill",
            "All checks passed!\nSuccess: no issues found in 40 source files",
            took=8.0,
        ),
        bash("pytest -v", suite(141, "15.20"), took=17.0),
        answer(
            "The endpoint works: `POST /shipments/import` with `waybill/imports.py`, "
            "three tests. Rows with a known number are reported, not fatal."
        ),
    ],
    model=SONNET,
)

WEB = agent(
    "general-purpose",
    "Build the import dialog",
    "Add an import dialog to web/src/pages/Shipments.tsx: pick a CSV file, send it to POST "
    "/shipments/import, show how many were created and a table of rejected rows. Let another agent "
    "check it for keyboard use before you finish. Do not touch waybill/.",
    [
        together(whole("web/src/api.ts"), whole("web/src/pages/Shipments.tsx")),
        whole("web/src/components/ShipmentForm.tsx"),
        edit(
            "web/src/api.ts",
            '  createShipment: (body: NewShipment) => post<Shipment>("/shipments", body),',
            """
              createShipment: (body: NewShipment) => post<Shipment>("/shipments", body),
              importShipments: (file: File) => upload<ImportReport>("/shipments/import", file),
            """,
            line=24,
        ),
        write(
            "web/src/components/ImportDialog.tsx",
            DIALOG,
        ),
        A11Y,
        say("All three are right. I'll fix them."),
        edit(
            "web/src/components/ImportDialog.tsx",
            """
                <dialog open>
                  <input type="file" accept=".csv" onChange={(e) => e.target.files && send(e.target.files[0])} />
                  {report && <p>{report.created} created, {report.errors.length} skipped</p>}
            """,
            """
                <dialog ref={dialog} aria-labelledby="import-title">
                  <h2 id="import-title">Import shipments</h2>
                  <label>
                    CSV file <input type="file" accept=".csv" onChange={choose} />
                  </label>
                  <p role="status">{report && `${report.created} created, ${report.errors.length} skipped`}</p>
            """,
            line=9,
        ),
        bash(
            "npm --prefix web run check && npm --prefix web test -- --run ImportDialog",
            """
            > waybill-web check
            > tsc --noEmit && eslint src

             ✓ src/components/ImportDialog.test.tsx (4 tests) 88ms
             Test Files  1 passed (1)
            """,
            took=16.2,
        ),
        bash("npm --prefix web test -- --run --reporter=verbose", web_suite(84, "6.52"), took=9.0),
        answer(
            "The dialog works with mouse and keyboard, and its result is announced. Four tests."
        ),
    ],
    model=SONNET,
)

DOCS = agent(
    "general-purpose",
    "Describe the import in the manual",
    "Add a page docs/import.md: the columns, an example file of three rows, what is reported and "
    "the limit of 5,000 rows. Plain words, at most one screen.",
    [
        write(
            "docs/import.md",
            """
            # Import shipments

            Choose **Shipments → Import** and pick a CSV file. Its first line names the columns:

                tracking_number,carrier,recipient,notify
                NL-100200,northline,Front desk,true
                PC-77-1204,parcelio,Reception,false

            Rows that cannot be imported are listed with their line and the reason; all others are
            created. A file may have 5,000 rows.
            """,
        ),
        answer("`docs/import.md` is written: one screen, with an example."),
    ],
    model=HAIKU,
    background=True,
)

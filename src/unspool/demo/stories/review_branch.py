"""A review of a branch before it is merged."""

from unspool.demo.script.steps import FABLE, Story, answer, prompt, say, think, together
from unspool.demo.script.tools import bash, fails, read
from unspool.demo.stories.waybill_files import search, whole

_REST_OF_DIFF = """
    +def test_a_label_is_a_pdf(client, shipment):
    +    answer = client.get(f"/labels.pdf?ids={shipment.id}")
    +
    +    assert answer.headers["content-type"] == "application/pdf"
    +    assert len(answer.content) > 5_000
    +
    +
    +def test_four_labels_fit_on_a_page(client, shipments):
    +    ids = ",".join(str(one.id) for one in shipments[:4])
    +
    +    assert len(client.get(f"/labels.pdf?ids={ids}").content) > 20_000
    +
    +
    +def test_the_button_prints_what_was_chosen(page, shipments):
    +    page.check(shipments[0].tracking_number)
    +    page.click("Print labels")
    +
    +    assert page.requested("/labels.pdf?ids=" + str(shipments[0].id))
    @@ -61,4 +61,19 @@ export function Shipments() {
    +      {chosen.size > 0 && (
    +        <a className="button" href={`/labels.pdf?ids=${[...chosen].join(",")}`}>
    +          Print labels ({chosen.size})
    +        </a>
    +      )}
"""

STORY = Story(
    name="review-labels",
    title="Review: print labels as PDF",
    day=4,
    at="15:10",
    model=FABLE,
    branch="pdf-labels",
    steps=[
        prompt(
            "Review the branch pdf-labels against main. I care about correctness and about what "
            "happens with many labels at once. No style remarks, ruff does that.",
            after=5,
        ),
        together(
            bash(
                "git diff --stat main...pdf-labels",
                """
                 pyproject.toml                     |   1 +
                 waybill/api/labels.py              |  58 +++++++++++++++++++
                 waybill/labels.py                  | 127 ++++++++++++++++++++++++++++++++++++
                 tests/test_labels.py               |  64 +++++++++++++++++++
                 web/src/pages/Shipments.tsx        |  19 ++++-
                 5 files changed, 267 insertions(+), 2 deletions(-)
                """,
            ),
            bash(
                "git log --oneline main..pdf-labels",
                """
                e04b7aa Print button in the list of shipments
                51c9d0f Labels: four on a page
                0bd2c66 Labels as PDF
                """,
            ),
        ),
        bash(
            "git diff main...pdf-labels -- waybill/api/labels.py",
            """
            +@router.get("/labels.pdf")
            +def labels(ids: str, user: User = Depends(user), db: Session = Depends(session)) -> Response:
            +    wanted = [int(id) for id in ids.split(",")]
            +    shipments = [db.get(Shipment, id) for id in wanted]
            +    pdf = render(shipments)
            +    return Response(pdf, media_type="application/pdf")
            """,
        ),
        together(whole("waybill/api/shipments.py"), whole("waybill/models.py")),
        think(
            "db.get without checking the owner: any user can print any label, with the recipient's "
            "address on it. That is the serious one. Also None for unknown ids, and N queries, and "
            "int() on garbage gives 500."
        ),
        read(
            "waybill/labels.py",
            """
            def render(shipments: list[Shipment]) -> bytes:
                canvas = Canvas(BytesIO())
                for n, shipment in enumerate(shipments):
                    if n % 4 == 0:
                        canvas.showPage()
                    draw(canvas, shipment, CORNERS[n % 4])
                    canvas.drawImage(barcode_png(shipment.tracking_number), *BARCODE[n % 4])
                return canvas.getpdfdata()


            def barcode_png(number: str) -> str:
                path = f"/tmp/barcode-{number}.png"
                Code128(number).save(path)
                return path
            """,
            line=40,
            total=127,
        ),
        bash(
            "git diff main...pdf-labels -- tests/test_labels.py web/src/pages/Shipments.tsx",
            _REST_OF_DIFF,
        ),
        search(r"Depends\(user\)|owner_id", "waybill"),
        whole("web/src/pages/Shipments.tsx"),
        think(
            "The tests compare the number of bytes, and only with one user. `showPage` before the first label: "
            "reportlab ends a page with it, so the document would begin with an empty one. And a PNG for each "
            "number in /tmp that nobody deletes. Do not guess: run it with 1, 4, 5 and 400 labels."
        ),
        fails(read("waybill/barcodes.py", ""), "File does not exist."),
        say(
            "I'll check three suspicions instead of guessing: the owner, the first page, and many labels."
        ),
        bash(
            """
            git worktree add -q /tmp/review pdf-labels && cd /tmp/review && python - <<'PY'
            from waybill.labels import render
            from tests.factories import shipment
            from pypdf import PdfReader
            import io, time
            for count in (1, 4, 5, 400):
                began = time.process_time()
                pdf = render([shipment(id=n) for n in range(count)])
                pages = len(PdfReader(io.BytesIO(pdf)).pages)
                print(count, "labels:", pages, "pages,", len(pdf) // 1024, "kB,", round(time.process_time() - began, 1), "s")
            PY
            """,
            """
            1 labels: 2 pages, 9 kB, 0.1 s
            4 labels: 2 pages, 33 kB, 0.2 s
            5 labels: 3 pages, 41 kB, 0.2 s
            400 labels: 101 pages, 3204 kB, 14.8 s
            """,
            about="Render labels in a worktree of the branch",
            took=17.3,
            asks=11,
        ),
        bash(
            """
            cd /tmp/review && python -m cProfile -s tottime -c "from waybill.labels import render; \\
              from tests.factories import shipment; render([shipment(id=n) for n in range(400)])" | head -14
            """,
            """
                     9120411 function calls (9118204 primitive calls) in 15.102 seconds

               Ordered by: internal time

               ncalls  tottime  percall  cumtime  percall filename:lineno(function)
                  400    6.914    0.017    6.914    0.017 {method 'encode' of 'ImagingEncoder' objects}
                  400    3.310    0.008   11.873    0.030 barcode/writer.py:301(render)
                 9600    1.212    0.000    1.871    0.000 PIL/ImageDraw.py:121(text)
                  400    0.804    0.002    0.811    0.002 {built-in method posix.open}
                  101    0.402    0.004    0.655    0.006 reportlab/pdfgen/canvas.py:711(showPage)
            """,
            about="Where 400 labels spend their time",
            took=16.8,
        ),
        bash("ls /tmp/barcode-* | wc -l; git worktree remove --force /tmp/review", "400"),
        answer(
            "I would not merge this yet. Most serious first:\n\n"
            "1. **Anybody can print anybody's labels** (`api/labels.py:31`). `db.get` does not check "
            "`owner_id`; the other routes do. A label carries the recipient's name and street.\n"
            "2. **The first page is always empty.** `showPage()` is called before the first label: "
            "one label gives 2 pages, 400 give 101.\n"
            "3. **400 labels take 14.8 s of CPU** in a request, nearly all of it barcodes written as "
            "PNG. `reportlab.graphics.barcode` draws them as vectors: no file, a fraction of the time.\n"
            "4. Those PNG files stay in `/tmp` for ever, and two requests for the same number write "
            "the same file.\n"
            "5. An unknown id gives 500: `draw(None)`. So does `ids=abc`.\n\n"
            "The tests check the number of bytes only, so none of these is caught. A test with two "
            "users and one that counts pages would be enough for 1 and 2."
        ),
        prompt(
            "Thanks. Is 1 already exploitable, or is the branch not deployed anywhere?", after=4_400
        ),
        bash(
            "git branch -r --contains 0bd2c66; ssh staging 'cd /srv/waybill && git rev-parse --abbrev-ref HEAD'",
            "  origin/pdf-labels\nmain",
            took=1.8,
            asks=5,
        ),
        answer(
            "It is not deployed: only `origin/pdf-labels` contains the commit, staging runs `main`. "
            "There is nothing to clean up."
        ),
    ],
)

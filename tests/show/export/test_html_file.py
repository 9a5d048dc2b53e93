from base64 import b64encode
from hashlib import sha256

from tests.show.made import NOON, call, chunk, document, step
from tests.show.webs import Seen
from unspool.model.api import RemovedSecrets
from unspool.model.document import SessionDocument
from unspool.show.export.html_file import csp, html_file
from unspool.show.export.notes import ExportInfo
from unspool.show.html.links import ExportLinks
from unspool.show.html.render_context import ReaderOptions

READER = ReaderOptions(now=NOON, is_whole=True)
EDIT = call("Edit", "ok", id="e1", file_path="/p/a.py", old_string="a\nb", new_string="a\nc\nd")
CHUNKS = (
    chunk("user", "Make it quick", id="u1", turn=1),
    chunk("ai", "", step("tool_call", id="e1"), id="a1", turn=1),
    chunk("user", "Again", id="u2", turn=2),
)


def made(*windows: SessionDocument, taken: tuple[RemovedSecrets, ...] | None = ()) -> str:
    whole = document(*CHUNKS, tool_executions=(EDIT,), session={"title": "</title>A title"})
    asked = None if taken is None else lambda: taken
    said = ExportInfo(version="1.0", at="now", taken=asked)
    return "".join(html_file(whole, windows or (whole,), READER, ExportLinks(), said))


def test_the_file_holds_everything_it_needs() -> None:
    seen = Seen(made())

    assert seen.all("link") == seen.all("script") == seen.all("form") == []
    assert len(seen.all("style")) == 1
    assert {href[0] for href in seen.hrefs} == {"#"}


def test_only_its_own_styles_may_be_worn() -> None:
    style = made().partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()

    assert f"style-src 'sha256-{digest}'" in csp()
    assert csp().startswith("default-src 'none'; ")
    assert f'content="{csp()}"' in made()


def test_the_policy_comes_before_anything_it_is_for() -> None:
    assert made().index("Content-Security-Policy") < made().index("<title>&lt;/title&gt;A title")


def test_windows_put_together_are_the_whole() -> None:
    windows = (document(*CHUNKS[:2], tool_executions=(EDIT,)), document(*CHUNKS[2:]))

    assert made(*windows) == made()


def test_files_are_counted_over_all_windows() -> None:
    windows = (document(tool_executions=(EDIT,)), document(tool_executions=(EDIT,)))

    assert "+4" in Seen(made(*windows)).text


def test_the_end_leads_to_what_was_left_out() -> None:
    seen = Seen(made(taken=(RemovedSecrets("step-e1", "token", 2),)))

    assert "Secrets are redacted in 2 places: 2 tokens." in seen.text
    assert "#step-e1" in seen.hrefs


def test_a_file_with_secrets_says_so() -> None:
    assert "Secrets are NOT redacted" in made(taken=None)

"""A page of our own for one script at a time: the real files, under the server's own CSP."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from unspool.serve.auth.middleware import CSP
from unspool.show.html import render

ORIGIN = "http://unspool.test"
_STATIC = Path(render.__file__).parent.parent / "static"
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HEADERS = {"content-security-policy": CSP.decode()}


def bench(browser: Browser, body: str, **answers: str) -> Page:
    """A page with this body; `answers` are what the server says, by the last word of a path."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0].partition("#")[0]
        file = _STATIC / path.removeprefix("/static/")
        if path.startswith("/static/") and file.is_file():
            kind = _KINDS[file.suffix]
            route.fulfill(body=file.read_text(), content_type=kind, headers=_HEADERS)
        elif path == "/":
            made = f"<!doctype html><html lang=en><title>bench</title><body><main>{body}</main>"
            route.fulfill(body=made, content_type="text/html", headers=_HEADERS)
        elif (said := answers.get(path.rpartition("/")[2])) is not None:
            route.fulfill(body=said, content_type="text/html", headers=_HEADERS)
        else:
            route.fulfill(status=404, body="{}", headers=_HEADERS)

    made = browser.new_page()
    made.set_default_timeout(60_000)
    made.route("**/*", answer)
    made.goto(f"{ORIGIN}/")
    return made


def loads(page: Page, *scripts: str) -> None:
    """Import scripts of ours into the page."""
    for name in scripts:
        page.evaluate("name => import(`/static/js/${name}.js`).then(() => 0)", name)


def stop_clock(page: Page) -> None:
    """Let no timer of the page run but by `page.clock.run_for`."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1_000)

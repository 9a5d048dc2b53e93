"""Pages for tests: read back by Python's own HTML parser, as a browser would see them."""

from html.parser import HTMLParser

from unspool.show.html.links import LiveLinks
from unspool.show.html.render import Page, render
from unspool.show.html.shell import Shell

# Each would be an element, an attribute or an address if anything let it through.
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)><foreign-one a='",
    "' onmouseover='alert(1)' x='",
    "javascript:alert(1)",
    "</title></textarea></pre><iframe src=//evil.test>",
    "{{ 7*7 }}{% raw %}<b id=foreign-one>",
    "[x](javascript:alert(1)) ![y](http://evil.test/y.png)",
    "\x1b]8;;http://evil.test\x07link\x1b]8;;\x07 \u202e \x00 \ud800",
)


class Seen(HTMLParser):
    """Every element and attribute, and the text between."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Tags and the names of their attributes: what content must never change."""
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def hrefs(self) -> list[str]:
        return [found["href"] for found in self.all("a") if "href" in found]


def shell(title: str = "Title") -> Shell:
    return Shell(title=title)


def seen(page: Page) -> Seen:
    """A page as the server would send it."""
    return Seen(render(page, LiveLinks()))

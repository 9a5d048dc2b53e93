"""HTML -> what it is made of: elements, attributes and ids, as a browser would see them."""

from collections import Counter
from html.parser import HTMLParser
from typing import Final

PAYLOAD: Final = (
    "</p></pre></script><script>alert(1)</script><img src=x onerror=alert(1)>"
    "<svg onload=alert(1)>\"'><b onmouseover=alert(1) style=x>{{ 7*7 }}\x1b]0;x\x07\u202e"
    "[a](javascript:alert(1)) ![i](http://evil.example/i.png)"
)


class Seen(HTMLParser):
    """Collects what a page consists of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.names: set[str] = set()
        self.addresses: set[str] = set()
        self.fetched: set[str] = set()  # without a click
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.names.add(name)
            if name in ("href", "src", "data-src"):
                self.addresses.add(value or "")
            if name == "src":
                self.fetched.add(value or "")
            if name == "id":
                self.ids.append(value or "")

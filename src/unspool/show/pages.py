"""Page Structs -> HTML: the one Jinja environment, in which everything is escaped."""

from typing import Any, ClassVar, Final, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: TID251 - here it is
from markupsafe import Markup

from unspool.show import money, times
from unspool.show.ansi import ansi, visible
from unspool.show.code import code
from unspool.show.links import Links
from unspool.show.prose import prose


class Page(Protocol):
    """What a template is given; the Struct says which template."""

    template: ClassVar[str]


# Those that every page loads; a template names more in its block `scripts`.
SCRIPTS: Final = ("app",)


def render(page: Page, links: Links) -> str:
    """A whole page."""
    return _ENVIRONMENT.get_template(page.template).render(page=page, links=links)


def piece(template: str, macro: str, *values: Any, **named: Any) -> str:
    """What one macro makes: a fragment of a page, the same as in the page itself."""
    return str(drawn(template, macro, *values, **named))


def drawn(template: str, macro: str, *values: Any, **named: Any) -> Markup:
    """The same for a page to hold: it is not escaped again there."""
    made: Markup = getattr(_ENVIRONMENT.get_template(template).module, macro)(*values, **named)
    return made


def ready() -> None:
    """Read every template now, so that the first page does not take longer than others."""
    for name in _ENVIRONMENT.list_templates():
        _ENVIRONMENT.get_template(name)


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("unspool.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    del made.filters["safe"]
    made.filters |= {
        "prose": prose,
        "usd": money.format_usd,
        "count": money.format_count,
        "plural": money.plural,
        "duration": times.duration,
        "spans_ansi": ansi,
        "spans_code": code,
        "visible": visible,
    }
    made.globals["SCRIPTS"] = SCRIPTS
    return made


_ENVIRONMENT: Final = _environment()

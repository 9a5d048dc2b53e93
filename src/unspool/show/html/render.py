"""Page Structs -> HTML: the one Jinja environment, which escapes everything."""

from typing import Any, ClassVar, Final, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: TID251 - here it is
from markupsafe import Markup

from unspool.show import numbers, times
from unspool.show.ansi import ansi, visible
from unspool.show.html.highlight import Highlighter
from unspool.show.html.links import PageLinks
from unspool.show.html.prose import copyable_prose
from unspool.show.labels import COST_CAUSES


class Page(Protocol):
    """A Struct that names its template."""

    template: ClassVar[str]


# Those that every page loads; a template names more in its block `scripts`.
SCRIPTS: Final = ("app",)


def render(page: Page, links: PageLinks) -> str:
    """A whole page."""
    return _ENVIRONMENT.get_template(page.template).render(page=page, links=links)


def render_macro(template: str, macro: str, *values: Any, **named: Any) -> str:
    """Render one macro: a fragment, identical to that part of the page."""
    return str(markup_of_macro(template, macro, *values, **named))


def markup_of_macro(template: str, macro: str, *values: Any, **named: Any) -> Markup:
    """The same as markup, which is not escaped again when a page includes it."""
    markup: Markup = getattr(_ENVIRONMENT.get_template(template).module, macro)(*values, **named)
    return markup


def load_templates() -> None:
    """Compile every template now, so that the first page is not slower."""
    for name in _ENVIRONMENT.list_templates():
        _ENVIRONMENT.get_template(name)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("unspool.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    del environment.filters["safe"]
    environment.filters |= {
        "prose": copyable_prose,
        "usd": numbers.format_usd,
        "count": numbers.format_count,
        "plural": numbers.plural,
        "duration": times.duration,
        "spans_ansi": ansi,
        "spans_code": lambda text, language: Highlighter().highlight(text, language),
        "visible": visible,
    }
    environment.globals |= {"SCRIPTS": SCRIPTS, "COST_CAUSES": COST_CAUSES}
    return environment


_ENVIRONMENT: Final = _environment()

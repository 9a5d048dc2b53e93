"""Sessions in which everything that can hold a text holds one that means harm."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import ConsoleMessage, Dialog, Page, Request, expect

from tests.browser.payloads import PAYLOADS
from unspool.demo import Transcript

CWD, PROJECT = "/home/dev/kettle", "-home-dev-kettle"
_SEEN = """() => {
  const all = [...document.querySelectorAll('*')];
  const places = ['href', 'src', 'srcset', 'data-src', 'action', 'poster', 'formaction'];
  return {
    ran: window.ran || 0,
    elements: all.map(e => e.localName),
    // Of the strip of a session only its script moves some things.
    attributes: all.flatMap(e => e.getAttributeNames()
      .filter(n => n !== 'style' || !e.matches('#deck, #over > div'))
      .map(n => `${e.localName} ${n}`)),
    classes: all.flatMap(e => [...e.classList]),
    addresses: all.flatMap(e => places.map(n => e.getAttribute(n))).filter(x => x),
  }
}"""
# No page of ours has any of these.
NEVER = frozenset(
    "iframe object embed base video audio source track picture math template noscript applet "
    "plaintext xmp listing marquee frameset portal textarea foreignObject animate set image "
    "feImage isindex".split()
)
# Several together: each has its own steps, what a session has once is made of all of them.
TOGETHER = 4
GROUPS = [PAYLOADS[at : at + TOGETHER] for at in range(0, len(PAYLOADS), TOGETHER)]


def some_are_slow(first: int = 0) -> list[object]:
    """The number of each group; one in four is for `make test`."""
    return [
        pytest.param(number, marks=[] if number % 4 == first else [pytest.mark.slow])
        for number in range(len(GROUPS))
    ]


# Whatever prose, code, tables and colours may be made of.
PLAIN = (
    "# a\n\n**b** *i* ~~s~~ `c` [l](http://a.test) <http://a.test>\n\n> q\n\n- u\n\n1. o\n\n"
    "3. o\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```html\n<p class='x' id=1>y</p>\n```\n"
    "a  \nb \x1b[1;31mred\x1b[0m \u202e\n\n## a\n\n### a\n\n#### a\n\n- u\n  - v"
)


def session(number: int, payloads: Sequence[str]) -> Transcript:
    """One session, its payloads in every place; their agents have files of their own."""
    all_of_them = " ".join(payloads)
    made = Transcript(session=f"hostile-{number}", cwd=CWD, branch=all_of_them)
    made.entry("custom-title", customTitle=all_of_them)
    for at, payload in enumerate(payloads):
        tell(made, f"a{number}x{at}", payload)
    return made


def tell(made: Transcript, agent: str, payload: str) -> Transcript:
    """A payload as everything that can happen in a session."""
    made.user(payload).thinks(payload).says(payload)
    for tool, given in _calls(payload):
        made.calls(tool, given).returns(payload)
    made.calls("Bash", command=payload).returns(f"Exit code 1\n{payload}", failed=True)
    made.calls("Agent", description=payload, prompt=payload, subagent_type=payload, id=agent)
    made.returns(payload, result={"agentId": agent, "status": "completed"})
    hook = {"hookName": payload, "hookEvent": "PreToolUse", "command": payload, "exitCode": 1}
    made.attachment("hook_non_blocking_error", stdout=payload, stderr=payload, **hook)
    made.system("api_error", error={"message": payload})
    made.compacts(trigger=payload, summary=payload)
    made.user(f'<teammate-message teammate_id="{payload}" color="red">{payload}</teammate-message>')
    made.user(f"<bash-input>{payload}</bash-input>").says(payload)
    # More than its lines explain, so that the chart of the context has all its rows.
    return made.says(payload, usage={"cache_read_input_tokens": 90_000})


def _calls(payload: str) -> Iterable[tuple[str, Any]]:
    yield payload or "x", {"value": payload, payload or "x": [payload]}
    yield f"mcp__{payload}__{payload}", {"q": payload}
    yield "Read", {"file_path": f"{CWD}/{payload}"}
    yield "Edit", {"file_path": payload, "old_string": f"a\n{payload}", "new_string": payload}
    yield "Grep", {"pattern": payload, "path": payload}
    yield "WebFetch", {"url": payload, "prompt": payload}
    yield "TodoWrite", {"todos": [{"content": payload, "status": payload, "activeForm": payload}]}
    option = {"label": payload, "description": payload}
    yield "AskUserQuestion", {"questions": [{"question": payload, "options": [option]}]}
    yield "ExitPlanMode", {"plan": payload}
    yield "Skill", {"skill": payload, "args": payload}


def save(root: Path, number: int, payloads: Sequence[str]) -> str:
    """All files in a root; the session's id."""
    name = f"hostile-{number}"
    session(number, payloads).save(root)
    for at, payload in enumerate(payloads):
        id = f"a{number}x{at}"
        made = Transcript(session=name, agent=id, cwd=CWD, branch=payload, uuid_prefix=id)
        made.user(payload).thinks(payload).calls("Bash", command=payload).returns(payload)
        made.says(payload).meta(agentType=payload, description=payload, toolUseId=id).save(root)
    return name


def unfold(page: Page) -> None:
    """Open and fetch all that is folded on a page, and wait until its script has drawn."""
    page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true })")
    page.evaluate(
        "document.querySelectorAll('load-part:not([data-loaded]) a').forEach(a => a.click())"
    )
    page.wait_for_load_state("networkidle")
    expect(page.locator("load-part[aria-busy]")).to_have_count(0)
    if page.query_selector("#over"):
        page.wait_for_selector("#over[aria-valuetext]")


def watched(page: Page, own: str) -> list[str]:
    """From here on, what a page asks for that is not of its own place, and what it opens."""
    found: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith((own, "data:image/")):
            found.append(request.url)

    def said(dialog: Dialog) -> None:
        found.append(dialog.message)
        dialog.dismiss()

    def told(message: ConsoleMessage) -> None:
        # What the policy had to stop should not have been there to be stopped.
        if "Content Security Policy" in message.text:
            found.append(message.text)

    page.add_init_script("window.pwned = () => { window.ran = (window.ran || 0) + 1 }")
    page.on("request", asked)
    page.on("dialog", said)
    page.on("console", told)
    page.on("popup", lambda popup: found.append(f"popup {popup.url}"))
    return found


class Seen(NamedTuple):
    """What a page is made of."""

    elements: frozenset[str]
    attributes: frozenset[str]
    classes: frozenset[str]
    addresses: frozenset[str]
    ran: bool


def seen(page: Page) -> Seen:
    """All of a page, what is folded too."""
    found = page.evaluate(_SEEN)
    return Seen(
        elements=frozenset(found["elements"]),
        attributes=frozenset(found["attributes"]),
        classes=frozenset(found["classes"]),
        addresses=frozenset(found["addresses"]),
        ran=bool(found["ran"]),
    )


def both(one: Seen, other: Seen) -> Seen:
    """What either of two pages is made of."""
    return Seen(
        elements=one.elements | other.elements,
        attributes=one.attributes | other.attributes,
        classes=one.classes | other.classes,
        addresses=one.addresses | other.addresses,
        ran=one.ran or other.ran,
    )


def foreign(here: Seen, ours: Seen, own: str) -> list[str]:
    """What a page has that one without hostile texts has not."""
    found = [f"element {one}" for one in here.elements - (ours.elements - NEVER)]
    found += [f"attribute {one}" for one in here.attributes - ours.attributes]
    found += [f"attribute {one}" for one in here.attributes if _acts(one.partition(" ")[2])]
    # Which categories a chart has depends on how long a text is.
    found += [f"class {one}" for one in here.classes - ours.classes if one[:2] != "c-"]
    found += [f"address {one}" for one in here.addresses if not _may_lead(one, own)]
    return [*found, *(["a script ran"] if here.ran else [])]


def _acts(attribute: str) -> bool:
    return attribute.startswith("on") or attribute in ("style", "srcdoc", "ping", "srcset")


def _may_lead(address: str, own: str) -> bool:
    return address.startswith(
        (own, "http://", "https://", "mailto:", "#", "/", "?", "data:image/png;")
    )

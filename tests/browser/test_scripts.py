"""One script at a time, on a page of its own: what it does for the reader."""

import json

from playwright.sync_api import Browser, Page, expect

from tests.browser.bench import ORIGIN, bench, loads, stop_clock

PART = "<load-part data-src=/part/more><a href=/part/more>Show all</a></load-part>"
TABLE = """<table data-sort><thead><tr><th>Tool<th>Calls<tbody>
<tr><td>Read<td>9<tr><td>Bash<td data-value=1200>1.2 k<tr><td>Edit<td>30</table>"""
FILTER = """<form data-filter=/part/list><input name=q><input type=hidden name=empty></form>
<a data-filter href="/sessions?status=idle">Idle</a><div id=list>old</div>"""
PALETTE = """<a data-palette href=/search>Search</a><dialog id=palette>
<form><input name=q role=combobox></form><div id=palette-list role=listbox></div><p data-say></p>
<ul hidden><li><a href=/spend data-keys="g m" data-about=dollars>Spend</a></ul></dialog>"""
FIGURE = """<figure><figcaption>Cost</figcaption>
<svg class=chart width=200 height=50><rect width=100 height=50><title>1 May: $3</title></rect></svg>
<details><table><thead><tr><th>Day<th>Cost<tbody><tr><td>1 May<td>3<tr><td>2 May<td>4</table>
</details></figure>"""


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_inner_texts()


def test_a_part_is_fetched_when_its_link_is_followed(browser: Browser) -> None:
    page = bench(browser, PART, more="<p>all of it</p>")
    loads(page, "part")
    page.click("load-part a")

    expect(page.locator("load-part")).to_have_text("all of it")
    page.close()


def test_a_part_that_is_on_the_page_takes_its_own_place(browser: Browser) -> None:
    page = bench(browser, f"<div id=slab>{PART}</div>", more="<div id=slab>unfolded</div>")
    loads(page, "part")
    page.click("load-part a")

    expect(page.locator("main")).to_have_text("unfolded")
    page.close()


def test_a_part_that_cannot_be_read_says_so_and_can_be_asked_again(browser: Browser) -> None:
    page = bench(browser, PART)
    loads(page, "part")
    page.click("load-part a")

    expect(page.get_by_role("alert")).to_have_text("Not found.")
    assert page.is_visible("load-part a")
    page.close()


def test_a_table_is_sorted_by_the_head_that_is_pressed(browser: Browser) -> None:
    page = bench(browser, TABLE)
    loads(page, "filter")
    page.click("text=Calls")
    most = texts(page, "tbody td:first-child")
    page.click("text=Calls")

    assert most == ["Bash", "Edit", "Read"]
    assert texts(page, "tbody td:first-child") == most[::-1]
    page.close()


def test_what_is_typed_filters_without_a_reload(browser: Browser) -> None:
    page = bench(browser, FILTER, list="<div id=list>new</div>")
    loads(page, "filter")
    page.fill("[name=q]", "word")

    expect(page.locator("#list")).to_have_text("new")
    expect(page).to_have_url(f"{ORIGIN}/?q=word")
    page.close()


def test_a_filter_link_changes_the_list_and_the_address(browser: Browser) -> None:
    page = bench(browser, FILTER, list="<div id=list>new</div>")
    loads(page, "filter")
    page.click("text=Idle")

    expect(page.locator("#list")).to_have_text("new")
    expect(page).to_have_url(f"{ORIGIN}/sessions?status=idle")
    page.close()


def test_the_palette_finds_pages_and_sessions_and_draws_them_as_text(browser: Browser) -> None:
    status = {"state": "idle"}
    session = {"id": "s/1", "projectId": "p", "title": "<b>Kettle</b>", "status": status}
    page = bench(browser, PALETTE, sessions=json.dumps({"items": [{"session": session}]}))
    loads(page, "palette")
    page.click("[data-palette]")
    page.fill("#palette input", "kettle")

    expect(page.get_by_role("option").first).to_have_text("<b>Kettle</b>idle")
    assert page.get_by_role("option", name="Spend").count() == 0
    page.keyboard.press("Enter")
    page.wait_for_url(f"{ORIGIN}/s/p/s%2F1")
    page.close()


def test_keys_are_not_heard_while_words_are_typed(browser: Browser) -> None:
    page = bench(browser, f"<input id=i>{PALETTE}")
    loads(page, "keys", "palette")
    page.type("#i", "?/j")

    assert page.input_value("#i") == "?/j"
    assert page.locator("dialog[open]").count() == 0
    page.close()


def test_a_chart_reads_out_the_bar_under_the_pointer(browser: Browser) -> None:
    page = bench(browser, FIGURE)
    loads(page, "hover")
    page.hover("rect")
    bar = texts(page, ".readout")
    page.hover("svg", position={"x": 150, "y": 20})

    assert bar == ["1 May: $3"]
    assert texts(page, ".readout") == ["2 May · Cost 4"]
    page.close()


def copying(browser: Browser, write: str) -> Page:
    """A page with one copy button, and what its clipboard does with a text."""
    page = bench(browser, "<button data-copy='claude --resume x'>Copy</button>")
    clipboard = f"{{ value: {{ writeText: {write} }} }}"
    page.evaluate(f"() => Object.defineProperty(navigator, 'clipboard', {clipboard})")
    loads(page, "copy")
    stop_clock(page)
    return page


def test_a_copy_button_copies_what_it_says(browser: Browser) -> None:
    page = copying(browser, "(text) => { window.copied = text; }")
    page.click("button")
    expect(page.locator("button")).to_have_attribute("data-copied", "yes")
    page.clock.run_for(400)

    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("window.copied") == "claude --resume x"
    page.close()


def test_a_copy_that_is_not_allowed_is_told(browser: Browser) -> None:
    page = copying(browser, "() => Promise.reject(new Error('no'))")
    page.click("button")
    expect(page.locator("button")).to_have_attribute("data-copied", "no")
    page.clock.run_for(400)

    expect(page.get_by_role("status")).to_contain_text("blocked")
    assert page.locator("button").inner_html() == "Copy"
    page.close()


def test_what_is_revealed_is_text(browser: Browser) -> None:
    body = "<button data-reveal=1.0.2>Reveal</button><pre class=revealed hidden></pre>"
    page = bench(browser, body, **{"1.0.2": json.dumps({"text": "key <b>is</b> 7"})})
    loads(page, "reveal")
    page.click("button")

    expect(page.locator("pre")).to_have_text("key <b>is</b> 7")
    page.click("button")
    expect(page.locator("pre")).to_be_hidden()
    assert page.text_content("pre") == ""
    page.close()


def test_a_mark_that_cannot_be_kept_is_taken_back(browser: Browser) -> None:
    page = bench(browser, "<button data-mark=pinned data-session=s aria-pressed=false>Pin</button>")
    loads(page, "marks")
    page.click("button")

    expect(page.locator("button")).to_have_attribute("title", "It could not be saved.")
    assert page.get_attribute("button", "aria-pressed") == "false"
    page.close()


TOLD = """states => {
  for (const [n, state] of states.entries()) {
    const session = { id: "s", projectId: "p", title: "Kettle", status: { state } };
    const type = n ? "session_update" : "init";
    const data = n ? { session } : { sessions: [{ session }] };
    document.dispatchEvent(new CustomEvent("told", { detail: { type, data } }));
  }
  return window.said;
}"""
FAKE = """() => {
  window.said = [];
  window.Notification = class {
    static permission = "granted";
    static requestPermission = async () => "granted";
    constructor(title, { body }) { window.said.push(`${title}: ${body}`); }
  };
}"""


def test_only_who_asked_is_told_and_only_when_it_begins_to_wait(browser: Browser) -> None:
    page = bench(browser, "<button data-notify hidden>Tell me</button>")
    page.evaluate(FAKE)
    loads(page, "notify")
    waits = ["working", "waiting_for_approval", "waiting_for_approval"]
    unasked = page.evaluate(TOLD, waits)
    page.click("[data-notify]")

    expect(page.locator("[data-notify]")).to_have_attribute("aria-pressed", "true")
    assert unasked == []
    assert page.evaluate(TOLD, waits) == ["Waiting for your approval: Kettle"]
    page.close()

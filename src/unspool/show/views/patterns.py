"""Made-up sessions and sums -> the page that shows every component in every state."""

from typing import ClassVar, Final

from msgspec import Struct

from unspool.model.document import Categories, Compaction, Context, ContextTurn, Phase
from unspool.show.charts.bars import Bars, Day, bars
from unspool.show.charts.context import ContextChart, context
from unspool.show.charts.heatmap import Heatmap, heatmap
from unspool.show.charts.ranked import Amount, Ranked, ranked
from unspool.show.charts.spool import Live, Spool, spool
from unspool.show.charts.tape import Agent, Stretch, Tape, Tool
from unspool.show.charts.waterfall import Step, Waterfall, waterfall
from unspool.show.views.patterns_rows import Rows, rows
from unspool.show.views.shell import Shell


class PatternsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "patterns.html"
    shell: Shell
    rows: tuple[tuple[str, Spool], ...]
    cards: tuple[tuple[str, Spool], ...]
    page: Spool
    days: Bars
    ranked: Ranked
    heat: Heatmap
    context: ContextChart
    waterfall: Waterfall
    made: Rows
    ansi: str = (
        "\x1b[1mbold\x1b[0m \x1b[2mdim\x1b[0m \x1b[31mred\x1b[0m \x1b[32mgreen\x1b[0m "
        "\x1b[33myellow\x1b[0m \x1b[34mblue\x1b[0m \x1b[35mmagenta\x1b[0m \x1b[36mcyan\x1b[0m "
        "\x1b[7minverse\x1b[0m\n\x1b[31mFAILED\x1b[0m tests/test_limits.py::test_per_tenant"
    )
    hidden: str = 'access = "user\u202enimda"'
    prose: str = (
        "Plain prose in one column of 72 characters, with `code`, **weight** and a "
        "[link](https://example.com).\n\n- One item\n- Another\n\n```python\n"
        'def limit(tenant: str) -> int:\n    """How many calls."""\n    return 100\n```\n'
    )
    diff: tuple[tuple[str, str, str, tuple[tuple[str, str], ...]], ...] = (
        ("@", "", "", (("", "lines 41 to 44"),)),
        (" ", "41", "41", (("", "def check(self, request):"),)),
        ("-", "42", "", (("", "    key = "), ("del", "request.route"))),
        ("+", "", "42", (("", "    key = "), ("ins", "(request.tenant, request.route)"))),
        (" ", "43", "43", (("", "    return self._take(key)"),)),
    )


_TURNS: Final = ((0.0, 0.16), (0.2, 0.36), (0.38, 0.6), (0.63, 0.78), (0.8, 0.985))


def patterns_page(shell: Shell) -> PatternsPage:
    """Always the same: the page that screenshots and checks look at."""
    days = [Day(f"{n} Nov", _costs(n)) for n in range(1, 20)]
    causes = (("Reading the cache", 199.61), ("Answers", 110.31), ("Writing the cache", 78.79))
    return PatternsPage(
        shell=shell,
        rows=_rows(),
        cards=_cards(),
        page=spool(_tape(), "page", "work", "a session of five turns, at work", brush=(0.38, 0.6)),
        days=bars(days, "m"),
        ranked=ranked((Amount(name, usd) for name, usd in causes), "by cause"),
        heat=heatmap({(day, hour): _hour(day, hour) for day in range(7) for hour in range(24)}),
        context=context(_context(), 200_000, "m"),
        waterfall=waterfall(_STEPS, "turn 1"),
        made=rows(shell),
    )


def _rows() -> tuple[tuple[str, Spool], ...]:
    cases: tuple[tuple[str, Live, Tape], ...] = (
        ("at work", "work", _tape()),
        ("waits for you", "wait", _tape(wait=True)),
        ("your turn, or idle", "", _tape()),
        ("ended well", "ok", _tape(0.96)),
        ("failed", "fail", _tape(0.96)),
        ("just begun", "work", _tape(0.05)),
        ("nothing known yet", "", Tape()),
    )
    made = [(name, spool(tape, "row", live, f"a session, {name}")) for name, live, tape in cases]
    hits = spool(_tape(), "row", "", "a session with four hits", hits=(0.1, 0.3, 0.33, 0.7))
    return (*made, ("search hits", hits), ("10,000 steps", spool(_long(), "row", "work", "long")))


def _cards() -> tuple[tuple[str, Spool], ...]:
    return (
        ("at work", spool(_tape(), "card", "work", "a session, at work")),
        ("waits for you", spool(_tape(wait=True), "card", "wait", "a session, waits for you")),
        ("failed", spool(_tape(0.96), "card", "fail", "a session, failed")),
    )


def _tape(part: float = 1.0, *, wait: bool = False) -> Tape:
    tools = [Tool(n / 90, (n * 7 % 11) / 500, n in (31, 68)) for n in range(90) if n * 5 % 13 > 3]
    inside = [tool for tool in tools if any(a <= tool.start < b for a, b in _TURNS)]
    return Tape(
        turns=tuple(Stretch(a * part, b * part) for a, b in _TURNS),
        thinking=tuple(Stretch((a + 0.01) * part, (a + 0.03) * part) for a, _ in _TURNS),
        tools=tuple(Tool(t.start * part, t.length, t.failed) for t in inside),
        agents=tuple(Agent(a * part, b * part, n) for n, (a, b) in enumerate(_TURNS[1:4])),
        waits=(Stretch(0.93 * part, 0.985 * part),)
        if wait
        else (Stretch(0.3 * part, 0.33 * part),),
        cuts=(0.615 * part,),
    )


def _long() -> Tape:
    turns = tuple(Stretch(n / 40, (n + 0.8) / 40) for n in range(40))
    tools = tuple(Tool(n / 10_000, (n * 7 % 23) / 4_000, n % 900 == 7) for n in range(10_000))
    return Tape(turns=turns, tools=tools, cuts=(0.12, 0.4, 0.69))


def _costs(day: int) -> dict[str, float]:
    part = 0.2 if day % 7 in (0, 1) else 1.0
    size = 12 + day * 7 % 19
    return {"opus-5": size * part, "sonnet-5": size * part / 2.6, "haiku-4-5": size * part / 9}


def _hour(day: int, hour: int) -> float:
    busy = 0.0 if hour < 7 or hour > 21 else 4.0 if 9 <= hour <= 17 else 1.2
    return busy * (0.25 if day > 4 else 1.0) * (0.4 + (day * 5 + hour * 3) % 7 / 7)


def _context() -> Context:
    turns = [_context_turn(n, n if n < 14 else n - 13) for n in range(24)]
    compaction = Compaction("auto", 168_000, 31_000, 137_000)
    phases = (
        Phase(number=1, first_chunk="c0", last_chunk="c13", compaction=compaction),
        Phase(number=2, first_chunk="c14", last_chunk="c23"),
    )
    return Context(tuple(turns), phases)


def _context_turn(number: int, age: int) -> ContextTurn:
    held = Categories(
        claude_md=14_000,
        mentioned_files=2_000 + age * 700,
        tool_outputs=5_000 + age * 7_000,
        thinking_text=age * 900,
        task_coordination=1_000 + age * 200,
        user_messages=600 + age * 150,
        skills=3_000,
    )
    return ContextTurn(turn=number + 1, chunk_id=f"c{number}", total=held, untracked=11_000)


_STEPS: Final = (
    Step("Thinking", 0, 10_000, "think"),
    Step("Read 6 files", 10_000, 13_000),
    Step("Agent: callers", 13_000, 58_000, "agent"),
    Step("Grep", 15_000, 17_000, depth=1),
    Step("waited for you", 58_000, 74_000, "wait"),
    Step("Bash pytest", 74_000, 82_000, "err"),
    Step("Answer", 84_000, 100_000, "turn"),
)

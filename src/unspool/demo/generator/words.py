"""Made-up words and ids, in the shapes that transcripts have."""

from __future__ import annotations

from random import Random

_VERBS = (
    "load parse merge split index fetch store check render route queue drain retry prune sort "
    "group count trace guard bind open close seal scan fold watch flush patch lift trim resolve"
).split()
_NOUNS = (
    "session ledger cursor buffer segment window token branch parcel invoice tenant schema record "
    "packet header worker broker lease shard digest anchor margin quota budget ticket folder "
    "widget palette gutter lantern harbour orchard compass valley anvil kettle ribbon saddle"
).split()
_TRAITS = (
    "stale empty nested partial late final broken quiet narrow pending remote local sparse "
    "double hidden loose steady early tidy brittle"
).split()
_SYLLABLES = "ka lo mi ren tav sul der pim oss ark vel nu tor bri eth qua zen fol hex jun".split()
_SENTENCES = (
    "The {t} {n} should {v} the {n} before the {n} is closed.",
    "I will {v} the {n} first and then look at the {t} {n}.",
    "When a {n} is {t} we {v} it again, so the {n} never sees it twice.",
    "There are two ways to {v} this {n}; the {t} one keeps the {n} untouched.",
    "Nothing in the {n} depends on the {t} {n} any more.",
    "That explains why the {n} looked {t} after the last {v}.",
)
_CODE = (
    "def {v}_{n}({n}: {N}, *, {t}: bool = False) -> {N} | None:",
    "    if {n}.{t} or not {n}.{v}_{x}():",
    "        return {v}_{n}({n}, {t}=True)",
    "    for {x}, {n} in enumerate({v}_{n}s({x})):",
    '    {x} = {n}.{v}("{t}-{x}", limit={d})',
    "    return [{n}.{x} for {n} in {x} if {n}.{t}]",
    "export function {v}{N}({n}: {N}[]): Map<string, {N}> {{",
    "  const {x} = await {v}{N}({{ {n}, {t}: {d} }});",
    "  if (!{x}.ok) throw new {N}Error(`{t} {n} ${{{x}.status}}`);",
    "func ({x} *{N}) {v}{N}(ctx context.Context, {n} []{N}) error {{",
    "\tif err := {x}.{v}(ctx, {n}[:{d}]); err != nil {{ return err }}",
    "",
)
_LOGS = (
    "tests/{n}/test_{x}.py::test_a_{t}_{n}_is_{v}ed PASSED [ {d}%]",
    "INFO  {x}.{n}: {v} of {d} {n}s took {d} ms",
    "WARN  {x}.{n}: {t} {n} '{x}' ignored",
    "src/{n}/{x}.py:{d}: {v}_{n}({t}={d})",
    "drwxr-xr-x 2 dev dev  4096 {x}_{n}",
    "  {n}-{x}@{d}.{d}.{d}  {t}",
)
_POOL_LINES = 9_000


class TextSource:
    """Everything the made-up people and tools of a root say."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._invented = [
            "".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(1_500)
        ]
        self._prose = self._pool(_SENTENCES, " ")
        self._code = self._pool(_CODE, "\n")
        self._logs = self._pool(_LOGS, "\n")
        self._sayings = [self._fill(rng.choice(_SENTENCES)) for _ in range(400)]
        self._paths = [self._new_path() for _ in range(600)]

    def prose(self, size: int) -> str:
        """About `size` characters of English."""
        return self._cut(self._prose, size, ". ")

    def code(self, size: int) -> str:
        """About `size` characters of source code."""
        return self._cut(self._code, size, "\n")

    def log(self, size: int) -> str:
        """About `size` characters of command output."""
        return self._cut(self._logs, size, "\n")

    def sentence(self) -> str:
        """Say one sentence."""
        return self._rng.choice(self._sayings)

    def title(self) -> str:
        """Name a task in a few words."""
        return self._fill("{v} the {t} {n}").capitalize()

    def word(self) -> str:
        """Give one word, now and then an invented one."""
        return self._rng.choice(_NOUNS if self._rng.random() < 0.6 else self._invented)

    def nickname(self) -> str:
        """Give the three-word nickname of a session."""
        pick = self._rng.choice
        return f"{pick(_TRAITS)}-{pick(_VERBS)}ing-{pick(self._invented)}"

    def path(self) -> str:
        """Give the relative path of a source file."""
        return self._rng.choice(self._paths)

    def paths(self, count: int) -> list[str]:
        """Give some paths of source files that lie side by side."""
        start = self._rng.randrange(len(self._paths))
        return (self._paths * (2 + count // len(self._paths)))[start : start + count]

    def _new_path(self) -> str:
        ending = self._rng.choice(("py", "ts", "go", "md"))
        return f"src/{self._rng.choice(_NOUNS)}/{self.word()}_{self.word()}.{ending}"

    def _pool(self, forms: tuple[str, ...], glue: str) -> str:
        draws = (forms, _VERBS, _NOUNS, _TRAITS, self._invented, range(1, 100))
        drawn = [self._rng.choices(words, k=_POOL_LINES) for words in draws]
        return glue.join(
            form.format(v=verb, n=noun, N=noun.capitalize(), t=trait, x=word, d=number)
            for form, verb, noun, trait, word, number in zip(*drawn, strict=True)
        )

    def _fill(self, form: str) -> str:
        pick = self._rng.choice
        noun = pick(_NOUNS)
        return form.format(
            v=pick(_VERBS),
            n=noun,
            N=noun.capitalize(),
            t=pick(_TRAITS),
            x=pick(self._invented),
            d=self._rng.randint(1, 99),
        )

    def _cut(self, pool: str, size: int, seam: str) -> str:
        if size >= len(pool):
            return pool * (size // len(pool)) + pool[: size % len(pool)]
        start = pool.find(seam, self._rng.randrange(len(pool) - size)) + len(seam)
        return pool[start : start + size]


_LETTERS = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ANY_BYTE = (_LETTERS * 5)[:256]


class Ids:
    """Names in the shapes transcripts have, drawn from one source of chance."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def uuid(self) -> str:
        """Name an entry or a session."""
        bits = self._rng.getrandbits(128) & ~(0xF << 76) & ~(0x3 << 62) | 4 << 76 | 2 << 62
        digits = f"{bits:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def hex(self, digits: int) -> str:
        """Name an agent, a task or a run."""
        return f"{self._rng.getrandbits(4 * digits):0{digits}x}"

    def named(self, kind: str) -> str:
        """Name an API object: a message, a request or a tool call."""
        return f"{kind}01{self._rng.randbytes(22).translate(_ANY_BYTE).decode()}"

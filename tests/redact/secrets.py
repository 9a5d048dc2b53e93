"""Made-up secrets, put together when they are asked for: none lies in the repository whole."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from string import ascii_letters, ascii_uppercase, digits
from typing import NamedTuple

import re2  # type: ignore[import-untyped]

WORD = ascii_letters + digits
URL = WORD + "_-"
BASE64 = WORD + "+/"
HEX = "0123456789abcdef"
PIECE = 12  # a secret of which so much is to be read is out


class Planted(NamedTuple):
    """A text, and what must not be read in it afterwards."""

    name: str
    text: str
    secret: str


def _random(chance: random.Random, letters: str, length: int) -> str:
    made = "".join(chance.choices(letters, k=length - 3))
    return made + chance.choice(digits) + chance.choice(letters[:10]) + chance.choice(digits)


# Maker, what a token of it begins with (in two halves), its letters, how many.
TOKENS = [
    ("github", "gh" + "p_", WORD, 36),
    ("github app", "gh" + "s_", WORD, 36),
    ("github fine", "github" + "_pat_", WORD, 82),
    ("gitlab", "gl" + "pat-", URL, 20),
    ("slack bot", "xo" + "xb-", digits + ascii_letters, 50),
    ("slack app", "xap" + "p-1-", WORD, 60),
    ("stripe live", "sk" + "_live_", WORD, 24),
    ("stripe restricted", "rk" + "_live_", WORD, 24),
    ("stripe webhook", "wh" + "sec_", WORD, 32),
    ("npm", "np" + "m_", WORD, 36),
    ("pypi", "py" + "pi-AgEIcHlwaS5vcmc", URL, 140),
    ("huggingface", "h" + "f_", WORD, 34),
    ("openai", "s" + "k-", WORD, 48),
    ("openai project", "sk" + "-proj-", URL, 100),
    ("anthropic api", "sk-" + "ant-api03-", URL, 93),
    ("anthropic oauth", "sk-" + "ant-oat01-", URL, 93),
    ("google key", "AI" + "za", URL, 35),
    ("google oauth", "GOC" + "SPX-", URL, 28),
    ("google token", "ya" + "29.", URL, 120),
    ("aws id", "AK" + "IA", ascii_uppercase + digits, 16),
    ("aws session id", "AS" + "IA", ascii_uppercase + digits, 16),
    ("sendgrid", "S" + "G.abcdefghij0123456789AB.", URL, 43),
    ("digitalocean", "dop" + "_v1_", HEX, 64),
    ("shopify", "shp" + "at_", HEX, 32),
    ("linear", "lin" + "_api_", WORD, 40),
    ("groq", "gs" + "k_", WORD, 52),
    ("docker", "dckr" + "_pat_", URL, 27),
    ("grafana", "gl" + "sa_", WORD, 41),
]


def _jwt(chance: random.Random) -> str:
    head, body, sign = (_random(chance, URL, length) for length in (33, 120, 43))
    return "ey" + f"J{head}.ey" + f"J{body}.{sign}"


def _key_block(chance: random.Random, kind: str = "RSA ") -> str:
    lines = [_random(chance, BASE64, 64) for _ in range(12)]
    dashes = "-" * 5
    first, last = (
        f"{dashes}BEGIN {kind}PRIVATE KEY{dashes}",
        f"{dashes}END {kind}PRIVATE KEY{dashes}",
    )
    return "\n".join([first, *lines, last])


# What a line looks like, with {} where the secret stands; its letters, how many.
NAMED = [
    ("env password", "export DB_PASS" + "WORD={}", WORD, 14),
    ("env secret", "SESSION_SEC" + "RET={}", WORD, 32),
    ("env quoted", "ADMIN_PASS" + 'WORD="{}"', WORD + "!#%+", 16),
    ("aws secret", "aws_secret_access" + "_key = {}", BASE64, 40),
    ("aws secret env", "AWS_SECRET_ACCESS" + "_KEY={}", BASE64, 40),
    ("json key", '{{"api' + '_key": "{}", "x": 1}}', WORD, 32),
    ("json camel", '{{"client' + 'Secret": "{}"}}', WORD, 40),
    ("yaml password", "  pass" + "word: {}", WORD, 12),
    ("python", "api" + "_key = '{}'", WORD, 30),
    ("bearer", "Authorization: Bea" + "rer {}", URL, 40),
    ("bearer alone", "use Bea" + "rer {} for it", URL, 40),
    ("basic", "Authorization: Ba" + "sic {}==", WORD, 24),
    ("header", "X-Api" + "-Key: {}", WORD, 32),
    ("query", "https://example.org/v1?access" + "_token={}&page=2", WORD, 40),
    ("postgres", "postgres" + "ql://app:{}@db.example.org:5432/app", WORD, 18),
    ("mongo", "mongodb" + "+srv://app:{}@cluster.example.org", WORD, 18),
    ("redis", "redis" + "://:{}@cache.example.org:6379/0", WORD, 18),
    ("git remote", "https://" + "bot:{}@git.example.org/x.git", WORD, 22),
    ("azure", "DefaultEndpointsProtocol=https;AccountName=x;Account" + "Key={}==", BASE64, 86),
    ("cookie", "Coo" + "kie: session={}; theme=dark", WORD, 40),
    ("set-cookie", "Set-Coo" + "kie: sid={}; HttpOnly", WORD, 40),
    ("option", "deploy --to" + "ken {} --now", WORD, 32),
    ("curl", "curl -u admin:{} https://example.org", WORD, 16),
    ("npmrc", "//registry.example.org/:_auth" + "Token={}", WORD, 36),
    (
        "slack hook",
        "https://hooks.example.com/services/T0" + "ABCDEF12/B0" + "ABCDEF12/{}",
        WORD,
        24,
    ),
]


def _made(chance: random.Random) -> Iterator[Planted]:
    for name, prefix, letters, length in TOKENS:
        token = prefix + _random(chance, letters, length)
        yield Planted(name, f"the token is {token}, keep it", token)
    for name, pattern, letters, length in NAMED:
        secret = _random(chance, letters, length)
        yield Planted(name, pattern.format(secret), secret)
    token = _jwt(chance)
    yield Planted("jwt", f"got {token} back", token)
    for kind in ("RSA ", "", "OPENSSH "):
        block = _key_block(chance, kind)
        yield Planted(
            f"{kind}key block", f"$ cat id\n{block}\n$ ", "".join(block.split("\n")[1:-1])
        )


def planted(count: int = 150, seed: int = 7) -> list[Planted]:
    """So many secrets, every kind in its turn, no two the same."""
    chance = random.Random(seed)
    made: list[Planted] = []
    while len(made) < count:
        made += _made(chance)
    return made[:count]


def escaped(one: Planted) -> str:
    """In a string inside a string, as a tool's JSON stands in a transcript."""
    return json.dumps({"content": json.dumps({"stdout": one.text, "code": 0})})


def broken(one: Planted, chance: random.Random) -> str:
    """In colour, or over the end of a line in its middle, or percent-encoded."""
    if one.name.endswith("key block"):
        return _numbered(one)
    ways: list[Callable[[Planted], str]] = [_coloured, _encoded]
    if len(one.secret) >= 40 or one.name in {name for name, *_ in TOKENS}:
        ways.append(_wrapped)
    return chance.choice(ways)(one)


def _numbered(one: Planted) -> str:
    lines = enumerate(one.text.split("\n"), 1)
    return "\n".join(f"{number:>6}→\x1b[33m{line}\x1b[0m" for number, line in lines)


def _coloured(one: Planted) -> str:
    middle = len(one.secret) // 2
    shown = f"\x1b[01;31m{one.secret[:middle]}\x1b[0m\x1b[K{one.secret[middle:]}\x1b[0m"
    return one.text.replace(one.secret, shown) if one.secret in one.text else one.text


def _encoded(one: Planted) -> str:
    if one.secret not in one.text:
        return one.text
    signs = {sign: f"%{ord(sign):02X}" for sign in '=:/+@" '}
    return "".join(signs.get(letter, letter) for letter in one.text)


def _wrapped(one: Planted) -> str:
    middle = one.text.find(one.secret) + len(one.secret) * 2 // 3
    return f"{one.text[:middle]}\n{one.text[middle:]}" if one.secret in one.text else one.text


def pieces(one: Planted) -> Iterator[str]:
    """What shows that a secret is out."""
    size = min(PIECE, len(one.secret))
    return (one.secret[at : at + size] for at in range(0, len(one.secret) - size + 1, 4))


def is_out(one: Planted, text: str) -> bool:
    """Whether a piece of the secret can still be read."""
    return any(piece in text for piece in pieces(one))


class Watch:
    """Tells which of many secrets are out; where none is, it looks at a text once."""

    def __init__(self, secrets: Sequence[Planted]) -> None:
        self._secrets = secrets
        every = sorted({re2.escape(piece) for one in secrets for piece in pieces(one)})
        self._any = re2.compile("|".join(every))

    def out(self, text: str) -> list[str]:
        """Their names."""
        if not self._any.search(text):
            return []
        return [one.name for one in self._secrets if is_out(one, text)]

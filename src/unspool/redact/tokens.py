"""Tokens that are known by their own form: a prefix such as `ghp_`, or a shape."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from unspool.redact.rules import SecretRule
from unspool.redact.spans import GAP, Runs, SecretSpan, begins, is_shuffled

_WORD: Final = re.compile(r"[A-Za-z0-9]*")
_HEX: Final = re.compile(r"[0-9a-f]*")
_URL: Final = re.compile(r"[A-Za-z0-9_-]*")
_DOTTED: Final = re.compile(r"[A-Za-z0-9_.-]*")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_=-]*")
_DIGIT: Final = re.compile(r"[0-9]")
# Only the start of a token is examined: otherwise every prefix in a long run would cost all of it.
_LOOK: Final = 2_048
# The first part of a JWT may contain certificates.
_LOOK_JWT: Final = 16_384
_LEAST_CUT: Final = 6
_LEAST_ANYWHERE: Final = 12
# Prefixes that ordinary words share.
COMMON: Final = frozenset("key- secret_ sk- hf_ npm_ r8_ xai- SG. eyJ".split())
# How a private key begins in base64, whatever follows: the first 40 bytes or so.
_PEM_KINDS: Final = ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ")
_PEM: Final = [b64encode(f"-----BEGIN {kind}PRIVATE".encode()).decode() for kind in _PEM_KINDS]
_PEM_PREFIX: Final = "LS0tLS1CRUdJ"


_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def _mixed(letters: str, count: int) -> str:
    """So many letters, with a digit among them."""
    return rf"(?=[{letters}]{{0,{count}}}\d)[{letters}]{{{count}}}"


# No name in a program has both capitals and digits, and is as long.
_URL_43: Final = r"(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}"


class Token(NamedTuple):
    """The tokens of one vendor, and how to recognise them."""

    prefix: str
    kind: str
    run: re.Pattern[str]
    least: int  # fewer characters are something else
    full: int  # its usual length
    shape: re.Pattern[str] | None = None  # what it begins with, where words share its prefix


def _many(
    kind: str, run: re.Pattern[str], least: int, full: int, prefixes: str, shape: str = ""
) -> list[Token]:
    known = re.compile(shape) if shape else None
    return [Token(prefix, kind, run, least, full, known) for prefix in prefixes.split()]


TOKENS: Final = [
    *_many("github token", _WORD, 30, 36, "ghp_ gho_ ghu_ ghs_ ghr_"),
    *_many("github token", _URL, 40, 82, "github_pat_"),
    *_many("stripe key", _WORD, 16, 24, "sk_live_ sk_test_ rk_live_ rk_test_"),
    *_many("webhook secret", _BASE64, 24, 32, "whsec_"),
    *_many("npm token", _WORD, 30, 36, "npm_"),
    *_many("huggingface token", _WORD, 30, 34, "hf_ api_org_"),
    *_many("digitalocean token", _HEX, 40, 64, "dop_v1_ doo_v1_ dor_v1_"),
    *_many("shopify token", _HEX, 32, 32, "shpat_ shpss_ shpca_ shppa_"),
    *_many("langsmith key", _URL, 36, 43, "lsv2_pt_ lsv2_sk_"),
    *_many("resend key", _URL, 33, 33, "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    *_many("elevenlabs key", _HEX, 48, 48, "sk_", r"[0-9a-f]{48}"),
    *_many("neon key", _WORD, 40, 64, "napi_"),
    *_many("1password token", _BASE64, 60, 400, "ops_eyJ"),
    *_many("fly token", _BASE64, 43, 43, "fo1_ fm2_", _URL_43),
    *_many("render key", _WORD, 28, 32, "rnd_", _mixed("A-Za-z0-9", 26)),
    *_many("fireworks key", _WORD, 24, 24, "fw_", _mixed("A-Za-z0-9", 22)),
    *_many("jina key", _URL, 60, 60, "jina_", r"[0-9a-f]{32}[\w-]{20}"),
    *_many("honeycomb key", _WORD, 58, 58, "hcaik_", r"[a-z0-9]{58}"),
    *_many("posthog key", _WORD, 40, 43, "phx_", _mixed("A-Za-z0-9", 40)),
    *_many("typeform token", _URL, 40, 44, "tfp_", _URL_43),
    *_many("shippo token", _HEX, 40, 40, "shippo_live_ shippo_test_"),
    *_many("sonar token", _HEX, 40, 40, "squ_ sqp_ sqa_", r"[0-9a-f]{40}"),
    *_many("sourcegraph token", _URL, 40, 57, "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    *_many("prefect key", _WORD, 36, 36, "pnu_", r"[a-z0-9]{36}"),
    *_many("e2b key", _HEX, 40, 40, "e2b_", r"[0-9a-f]{40}"),
    *_many("linear key", _WORD, 32, 40, "lin_api_ lin_oauth_"),
    *_many("figma token", _URL, 36, 40, "figd_"),
    *_many("grafana token", _URL, 32, 41, "glsa_ glc_"),
    *_many("groq key", _WORD, 40, 52, "gsk_"),
    *_many("replicate token", _WORD, 30, 37, "r8_"),
    *_many("notion token", _WORD, 40, 46, "ntn_ secret_"),
    *_many("docker token", _URL, 24, 27, "dckr_pat_ dckr_oat_"),
    *_many("sentry token", _BASE64, 40, 64, "sntrys_ sntryu_"),
    *_many("rubygems key", _HEX, 40, 48, "rubygems_"),
    *_many("planetscale token", _URL, 30, 43, "pscale_tkn_ pscale_pw_ pscale_oauth_"),
    *_many("supabase key", _URL, 30, 40, "sbp_ sb_secret_"),
    *_many("netlify token", _WORD, 30, 36, "nfp_"),
    *_many("buildkite token", _WORD, 30, 40, "bkua_"),
    *_many("circleci token", _URL, 40, 60, "CCIPAT_"),
    *_many("pinecone key", _URL, 40, 69, "pcsk_"),
    *_many("anthropic key", _URL, 24, 95, "sk-ant-"),
    *_many("openai key", _URL, 24, 100, "sk-proj- sk-svcacct- sk-admin-"),
    *_many("langfuse key", _URL, 30, 36, "sk-lf-"),
    *_many("nvidia key", _URL, 40, 64, "nvapi-"),
    *_many("tavily key", _URL, 28, 32, "tvly-"),
    *_many("firecrawl key", _HEX, 32, 32, "fc-", r"[0-9a-f]{32}"),
    *_many("pulumi token", _HEX, 40, 40, "pul-", r"[0-9a-f]{40}"),
    *_many("cerebras key", _WORD, 48, 48, "csk-", r"[a-z0-9]{48}"),
    *_many("voyage key", _URL, 43, 43, "pa-", _URL_43),
    *_many("llamacloud key", _WORD, 48, 48, "llx-", r"[A-Za-z0-9]{48}"),
    *_many("axiom token", _URL, 36, 36, "xaat- xapt-", _UUID),
    *_many("hubspot token", _URL, 36, 36, "pat-na1- pat-eu1- pat-na2-", _UUID),
    *_many("flutterwave key", _URL, 34, 34, "FLWSECK- FLWSECK_TEST-", r"[0-9a-f]{12,32}-X"),
    *_many("octopus key", _WORD, 25, 26, "API-", _mixed("A-Z0-9", 25)),
    *_many("cloudflare key", _URL, 171, 171, "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100}"),
    *_many("openrouter key", _WORD, 40, 64, "sk-or-v1-"),
    *_many("openai key", _WORD, 32, 48, "sk-"),
    *_many("gitlab token", _URL, 20, 20, "glpat- gldt- glptt- glrt- glcbt- glft- glsoat- glimt-"),
    *_many("slack token", _URL, 16, 40, "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp-"),
    *_many("pypi token", _URL, 50, 150, "pypi-"),
    *_many("google secret", _URL, 24, 28, "GOCSPX-"),
    *_many("postman key", _URL, 50, 59, "PMAK-"),
    *_many("newrelic key", _WORD, 24, 27, "NRAK-"),
    *_many("brevo key", _URL, 60, 81, "xkeysib-"),
    *_many("xai key", _WORD, 60, 80, "xai-"),
    *_many("perplexity key", _WORD, 40, 48, "pplx-"),
    *_many("mailgun key", _HEX, 32, 32, "key-"),
    *_many("age key", _WORD, 50, 58, "AGE-SECRET-KEY-"),
    *_many("heroku key", _URL, 36, 60, "HRKU-"),
    *_many("tailscale key", _URL, 20, 40, "tskey-auth- tskey-api- tskey-client-"),
    *_many("square token", _URL, 22, 43, "sq0atp- sq0csp-"),
    *_many("contentful token", _URL, 40, 43, "CFPAT-"),
    *_many("atlassian token", _BASE64, 60, 180, "ATATT3xFfGF0 ATCTT3xFfGN0"),
    *_many("bitbucket password", _WORD, 28, 32, "ATBB"),
    *_many("bedrock key", _BASE64, 100, 130, "ABSK"),
    *_many("artifactory key", _WORD, 60, 73, "AKCp"),
    *_many("dropbox token", _URL, 130, 135, "sl.", r"[\w-]{100}"),
    *_many("vault token", _URL, 24, 95, "hvs. hvb. hvr."),
    *_many("doppler token", _DOTTED, 40, 43, "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit."),
    *_many("dynatrace token", _DOTTED, 80, 89, "dt0c01. dt0s01. dt0s02."),
    *_many("aws key id", _WORD, 16, 16, "AKIA ASIA ABIA"),
    *_many("google key", _URL, 30, 35, "AIza"),
    *_many("google token", _DOTTED, 30, 100, "ya29."),
    *_many("sendgrid key", _DOTTED, 60, 66, "SG."),
    # Base64 of {"auths":, as a cluster holds the logins of registries.
    *_many("docker logins", _BASE64, 40, 100, "eyJ", "hdXRocyI6"),
    *_many("private key", _BASE64, 60, 1_000, _PEM_PREFIX, "|".join(one[12:28] for one in _PEM)),
    *_many("jwt", _DOTTED, 30, 60, "eyJ"),
]
# The last letters of a prefix, which the gates look for -> candidates, longest prefix first.
_BY_END: Final[dict[str, list[Token]]] = {}
for _one in sorted(TOKENS, key=lambda one: -len(one.prefix)):
    _BY_END.setdefault(_one.prefix[-3:], []).append(_one)


class Shape(NamedTuple):
    """A token without a prefix of its own: known by what stands around one sign in it."""

    kind: str
    sign: str
    before: re.Pattern[str]
    after: str
    last: str = ""  # what stands right before the sign, to save time or for others with this sign


SHAPES: Final = [
    Shape(kind, sign, re.compile(rf"{before}\Z"), after, *last)
    for kind, sign, before, after, *last in (
        ("crates.io token", "cio", r"", rf"{_mixed('A-Za-z0-9', 32)}(?![A-Za-z0-9])"),
        ("nuget key", "oy2", r"", r"[a-z0-9]{43}(?![a-z0-9])"),
        ("twilio key", "SK", r"", r"[0-9a-f]{32}(?![0-9a-z])"),
        ("easypost key", "EZ", r"", r"[AT]K[A-Za-z0-9]{54}"),
        # Not inside of other base64.
        (
            "facebook token",
            "EAA",
            r"(?<![+/])",
            rf"{_mixed('A-Za-z0-9', 80)}[A-Za-z0-9]{{0,240}}+(?![+/])",
        ),
        ("alibaba key id", "LTAI", r"", _mixed("A-Za-z0-9", 12) + "[A-Za-z0-9]{0,12}"),
        ("google token", "1//0", r"", r"[\w-]{40,160}"),
        ("openshift token", "~", r"sha256", r"[\w-]{43}", "6"),
        ("airtable token", "p", r"", r"at[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
        ("terraform token", ".", r"[A-Za-z0-9]{14}", r"atlasv1\.[A-Za-z0-9_=-]{60,120}"),
        # Its first part is a number in base64.
        (
            "discord token",
            ".",
            r"[MNO][DTjz][A-Za-z0-9]{21,25}",
            r"[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,60}",
            "[AEIMQUYcgkw-z0-5]",
        ),
        ("telegram token", "A", r"(?:bot)?\d{8,10}:", r"A[A-Za-z0-9_-]{33}"),
        ("databricks token", "p", r"da", r"i[0-9a-f]{32}(?:-\d)?"),
        ("azure secret", "~", r"[\w.-]{3}\dQ", r"[\w.~-]{31,34}", "Q"),
        ("mailchimp key", "-", r"[0-9a-f]{32}", r"us\d{1,2}"),
    )
]
_LONGEST_BEFORE: Final = 40


def _shaped(shape: Shape) -> SecretRule:
    def read(runs: Runs, match: "re.Match[str]") -> Iterator[SecretSpan]:
        text, at = runs.text, match.start()
        before = shape.before.search(text, max(0, at - _LONGEST_BEFORE), at)
        if before and begins(text, before.start()):
            # The pattern knows the usual length; a longer one is hidden whole.
            yield SecretSpan(before.start(), runs.end(match.end(), _URL), shape.kind)

    last = f"(?<={shape.last}{re.escape(shape.sign)})" if shape.last else ""
    return SecretRule(shape.sign, last + shape.after, read)


def _ends_with(sign: str) -> str:
    """A pattern for the prefixes that end with a sign."""
    some = [one for one in TOKENS if one.prefix.endswith(sign)]
    # Two character sets reject most positions before the prefixes are tried.
    first, second = ("".join(sorted({one.prefix[at] for one in some})) for at in (-3, -2))
    ends = sorted({one.prefix[-5:] for one in some if not one.shape}, key=len)
    sorts = ("|".join(map(re.escape, sorted(same))) for _, same in groupby(ends, len))
    known = [f"(?<={sort})" for sort in sorts]
    known += [f"(?<={re.escape(one.prefix)})(?={one.shape.pattern})" for one in some if one.shape]
    return f"(?<=[{first}][{second}]{re.escape(sign)})(?:{'|'.join(known)})"


def _starts_with(sign: str) -> str:
    """A pattern for the prefixes that start with a sign."""
    rests = sorted(one.prefix[1:] for one in TOKENS if one.prefix.startswith(sign))
    return f"(?:{'|'.join(rest for rest in rests if rest[-1] not in '_-.')})"


def _token(runs: Runs, match: "re.Match[str]") -> Iterable[SecretSpan]:
    """The token whose prefix ends with a match."""
    at, last = match.end(), runs.token
    is_inside = last.start < at <= last.end
    if is_inside or not (found := _ending(runs, at)):
        return ()
    runs.token = found
    return (found,)


def _ending(runs: Runs, at: int) -> SecretSpan | None:
    """The token whose prefix ends here."""
    text = runs.text
    for one in _BY_END.get(text[at - 3 : at], ()):
        start = at - len(one.prefix)
        if text.startswith(one.prefix, start) and begins(text, start):
            end = runs.body_end(at, one.run, one.full)
            written = body = text[at : min(end, at + _LOOK)]
            if "\n" in body or "\\" in body:
                body = GAP.sub("", body)
            if one.kind == "jwt":
                is_one = len(body) >= one.least and _has_parts(text, at, min(end, at + _LOOK_JWT))
            else:
                is_one = _is_body(one, body, written)
            if is_one or _is_cut(one, text, body, end):
                return SecretSpan(start, runs.end(end, one.run), one.kind)
    return None


def _has_parts(text: str, at: int, end: int) -> bool:
    """Whether there are one to four dots, as in a JWT; no more of them are counted."""
    dots = 0
    while dots <= 4 and (at := text.find(".", at, end) + 1):
        dots += 1
    return 1 <= dots <= 4


def _is_body(one: Token, body: str, written: str) -> bool:
    if one.shape:
        return bool(one.shape.match(body))
    return len(body) >= one.least and _is_varied(written) and len(set(body)) > 7


def _is_varied(body: str) -> bool:
    """Whether it has a digit, or else is all capitals on one line, or shuffled."""
    return bool(_DIGIT.search(body)) or (body.isalpha() and body.isupper()) or is_shuffled(body)


def _is_cut(one: Token, text: str, body: str, end: int) -> bool:
    """Whether this is the start of a token that was cut off, which still must not be shown."""
    if one.shape:
        return False
    is_end = len(body) >= _LEAST_CUT and text[end : end + 1] in ("", "…", '"')
    if not is_end and (len(body) < _LEAST_ANYWHERE or one.prefix in COMMON):
        return False
    return bool(_DIGIT.search(body)) and not (body.islower() and "_" in body)


RULES: Final = [
    *map(_shaped, SHAPES),
    *(SecretRule(sign, _ends_with(sign), _token) for sign in "_-."),
    SecretRule("A", _starts_with("A"), _token),
    SecretRule("J", f"(?:(?<=eyJ)|(?<={_PEM_PREFIX}))", _token),
]

import pytest

from tests.redact.secrets import TOKENS, planted
from unspool.redact.rules import RuleSet
from unspool.redact.spans import SecretSpan
from unspool.redact.tokens import COMMON, RULES, SHAPES, Token
from unspool.redact.tokens import TOKENS as TOKEN_KINDS

TOKEN_RULES = RuleSet(RULES)
SECRETS = {one.name: one.secret for one in planted(60)}


def token_secrets(text: str) -> list[SecretSpan]:
    return sorted(TOKEN_RULES.spans(text))


@pytest.mark.parametrize("name", [name for name, *_ in TOKENS])
def test_a_token_is_found_whole(name: str) -> None:
    token = SECRETS[name]
    found = token_secrets(f"x={token} y")

    assert [(one.start, one.end) for one in found] == [(2, 2 + len(token))]


def test_a_token_says_whose_it_is() -> None:
    assert [one.kind for one in token_secrets(SECRETS["npm"])] == ["npm token"]


@pytest.mark.parametrize("end", ["…", ""])
def test_a_token_that_was_cut_short_is_one_still(end: str) -> None:
    cut = SECRETS["github"][:18]

    assert [one.end for one in token_secrets(f"see {cut}{end}")] == [4 + 18]


@pytest.mark.parametrize(
    "text",
    [
        "task-0123456789abcdefABCDEF0123456789abcdefABCDEF01",
        "npm_config_registry and npm_lifecycle_event_of_2026_01_31",
        "sk-learn is no key, and neither is disk-usage-of-all-the-hosts",
        "toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL req_011CQ2mzHS8GDwC7",
        "3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f and 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6==",
        "the AKIAS of Asia and the ASIANS",
    ],
)
def test_what_only_looks_like_a_token_stays(text: str) -> None:
    assert not token_secrets(text)


def test_many_beginnings_in_a_row_take_no_longer_than_they_are() -> None:
    """Each looks at a bounded part of what follows: else this test would not end."""
    assert not token_secrets("sk-" * 100_000)


BODY = "0a1b2c3d4e5f6789" * 10
LOWER = "0a_1b2c3d4e5f678" * 10  # is taken for a name in a program, where it may be one
HEAD = "0a1b2.c3d4e5f6789" + BODY
SHUFFLED = "aBcDeFgHiJkLmNoPqRsTuVwXyZ" * 5  # without a digit it is one only in its full length


PLAIN = [one for one in TOKEN_KINDS if one.shape is None]
BY_PREFIX = {one.prefix: one for one in TOKEN_KINDS}


def is_found(text: str) -> bool:
    return bool(token_secrets(text))


# How many letters make one of each: of those that others begin with too, that may be a name, or
# that have no digit.
LEAST = {
    16: (
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp- "
        "sk_live_ sk_test_ rk_live_ rk_test_ AKIA ASIA ABIA"
    ),
    20: (
        "glpat- gldt- glptt- glrt- glcbt- glft- glsoat- glimt- tskey-auth- tskey-api- tskey-client-"
    ),
    22: "sq0atp- sq0csp-",
    24: (
        "whsec_ dckr_pat_ dckr_oat_ sk-ant- sk-proj- sk-svcacct- sk-admin- GOCSPX- "
        "hvs. hvb. hvr. NRAK-"
    ),
    28: "tvly- ATBB",
    30: (
        "npm_ hf_ r8_ pscale_tkn_ pscale_pw_ pscale_oauth_ sbp_ sb_secret_ AIza ya29. eyJ sk-lf- "
        "ghp_ gho_ ghu_ ghs_ ghr_ api_org_ nfp_ bkua_"
    ),
    32: "glsa_ glc_ sk- key- lin_api_ lin_oauth_",
    36: "figd_ HRKU- lsv2_pt_ lsv2_sk_",
    40: (
        "github_pat_ secret_ sntrys_ sntryu_ CCIPAT_ pcsk_ CFPAT- nvapi- "
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. napi_ gsk_ ntn_ sk-or-v1- pplx-"
    ),
    50: "pypi- PMAK- AGE-SECRET-KEY-",
    60: "xkeysib- xai- SG. ops_eyJ ATATT3xFfGF0 ATCTT3xFfGN0 AKCp",
    80: "dt0c01. dt0s01. dt0s02.",
    100: "ABSK",
}


@pytest.mark.parametrize(
    ("prefix", "least"),
    [(prefix, least) for least, prefixes in LEAST.items() for prefix in prefixes.split()],
)
def test_a_token_has_its_least_length(prefix: str, least: int) -> None:
    may_be_name = BY_PREFIX[prefix].run.fullmatch("a_")
    body = HEAD if prefix == "eyJ" else BODY if prefix in COMMON else LOWER
    body = body if may_be_name or prefix in COMMON else SHUFFLED

    assert is_found(f"{prefix}{body[:least]} x")
    assert not is_found(f"{prefix}{body[: least - 1]} x")


def test_every_token_has_its_least_length_tried() -> None:
    # Of hexadecimal digits, twelve are always enough.
    counts = {one.prefix for one in PLAIN if one.prefix in COMMON or one.run.fullmatch("Z")}

    assert {prefix for prefixes in LEAST.values() for prefix in prefixes.split()} == counts


@pytest.mark.parametrize("one", [one for one in PLAIN if one.prefix not in COMMON], ids=str)
def test_twelve_letters_of_a_token_are_enough_anywhere(one: Token) -> None:
    assert is_found(f"{one.prefix}{BODY[:12]} x")
    assert not is_found(f"{one.prefix}{BODY[:11]} x")


@pytest.mark.parametrize("one", PLAIN, ids=str)
@pytest.mark.parametrize("end", ["", "…", '"'])
def test_six_are_where_it_was_cut(one: Token, end: str) -> None:
    assert is_found(f"{one.prefix}{BODY[:6]}{end}")
    assert not is_found(f"{one.prefix}{BODY[:5]}{end}")


def test_a_token_has_eight_different_letters_at_least() -> None:
    bodies = ["1bcdefgh" * 5, "1bcdefgb" * 5]

    assert [is_found(f"sk-{body} x") for body in bodies] == [True, False]


@pytest.mark.parametrize(("dots", "found"), [(0, False), (1, True), (4, True), (5, False)])
def test_a_jwt_has_one_dot_at_least_and_four_at_most(dots: int, found: bool) -> None:
    assert is_found(f"eyJ{'a1b2c3d4.' * dots}{BODY[:40]} x") is found


ID = "MTIzNDU2Nzg5MDEyMzQ1Njc"  # 17 digits in base64
HEX = "0a1b2c3d4e5f6789" * 4
LONG = HEX * 2
MIXED = "0a1B2c3D_4e5F6-g" * 3
UUID = "0a1b2c3d-4e5f-4678-9a0b-1c2d3e4f5a6b"


# Tokens whose form says what they are, and what has one character too few of it.
FORMS = [
    ("resend key", f"re_{BODY[:8]}_{BODY[:24]}", f"re_{BODY[:8]}_{BODY[:23]}"),
    ("resend key", f"re_{BODY[:8]}_{BODY[:24]}", f"re_{BODY[:7]}_{BODY[:24]}"),
    ("elevenlabs key", f"sk_{HEX[:48]}", f"sk_{HEX[:47]}"),
    ("firecrawl key", f"fc-{HEX[:32]}", f"fc-{HEX[:31]}"),
    ("fly token", f"fo1_{MIXED[:43]}", f"fo1_{MIXED[:42]}"),
    ("fly token", f"fm2_{MIXED[:43]}", f"fm2_{MIXED[:43].lower()}"),
    ("render key", f"rnd_{BODY[:26]}", f"rnd_{BODY[:25]}"),
    ("fireworks key", f"fw_{BODY[:22]}", f"fw_{BODY[:21]}"),
    ("fireworks key", f"fw_{'a' * 21}1", f"fw_{'a' * 22}"),
    ("jina key", f"jina_{HEX[:32]}{MIXED[:20]}", f"jina_{HEX[:32]}{MIXED[:19]}"),
    ("honeycomb key", f"hcaik_{BODY[:58]}", f"hcaik_{BODY[:57]}"),
    ("posthog key", f"phx_{BODY[:40]}", f"phx_{BODY[:39]}"),
    ("typeform token", f"tfp_{MIXED[:43]}", f"tfp_{MIXED[:42]}"),
    ("sonar token", f"squ_{HEX[:40]}", f"squ_{HEX[:39]}"),
    ("sourcegraph token", f"sgp_{HEX[:16]}_{HEX[:40]}", f"sgp_{HEX[:16]}_{HEX[:39]}"),
    ("sourcegraph token", f"sgp_{HEX[:40]}", f"sgp_{HEX[:39]}"),
    ("prefect key", f"pnu_{BODY[:36]}", f"pnu_{BODY[:35]}"),
    ("e2b key", f"e2b_{HEX[:40]}", f"e2b_{HEX[:39]}"),
    ("cerebras key", f"csk-{BODY[:48]}", f"csk-{BODY[:47]}"),
    ("voyage key", f"pa-{MIXED[:43]}", f"pa-{MIXED[:42]}"),
    ("llamacloud key", f"llx-{BODY[:48]}", f"llx-{BODY[:47]}"),
    ("axiom token", f"xaat-{UUID}", f"xaat-{UUID[:-1]}"),
    ("hubspot token", f"pat-na1-{UUID}", f"pat-na1-{UUID[:-1]}"),
    ("flutterwave key", f"FLWSECK-{HEX[:12]}-X", f"FLWSECK-{HEX[:11]}-X"),
    ("octopus key", f"API-{BODY[:25].upper()}", f"API-{BODY[:24].upper()}"),
    ("cloudflare key", f"v1.0-{HEX[:24]}-{LONG[:100]}", f"v1.0-{HEX[:24]}-{LONG[:99]}"),
    ("dropbox token", f"sl.{MIXED}{BODY[:52]}", f"sl.{MIXED}{BODY[:51]}"),
    ("crates.io token", f"cio{BODY[:32]}", f"cio{BODY[:31]}"),
    ("crates.io token", f"cio{BODY[:32]}", f"cio{BODY[:33]}"),
    ("nuget key", f"oy2{BODY[:43]}", f"oy2{BODY[:42]}"),
    ("nuget key", f"oy2{BODY[:43]}", f"oy2{BODY[:44]}"),
    ("twilio key", f"SK{HEX[:32]}", f"SK{HEX[:31]}"),
    ("twilio key", f"SK{HEX[:32]}", f"SK{HEX[:33]}"),
    ("easypost key", f"EZAK{BODY[:54]}", f"EZAK{BODY[:53]}"),
    ("facebook token", f"EAA{BODY[:80]}", f"EAA{BODY[:79]}"),
    ("facebook token", f"EAA{BODY[:80]}", f"EAA{BODY[:80]}/"),
    ("alibaba key id", f"LTAI{BODY[:12]}", f"LTAI{BODY[:11]}"),
    ("google token", f"1//0{MIXED[:40]}", f"1//0{MIXED[:39]}"),
    ("openshift token", f"sha256~{MIXED[:43]}", f"sha256~{MIXED[:42]}"),
    ("pulumi token", f"pul-{HEX[:40]}", f"pul-{HEX[:39]}"),
    ("airtable token", f"pat{BODY[:14]}.{HEX}", f"pat{BODY[:14]}.{HEX[:63]}"),
    ("airtable token", f"pat{BODY[:14]}.{HEX}", f"pat{BODY[:13]}.{HEX}"),
    ("terraform token", f"{BODY[:14]}.atlasv1.{BODY[:60]}", f"{BODY[:14]}.atlasv1.{BODY[:59]}"),
    ("terraform token", f"{BODY[:14]}.atlasv1.{BODY[:60]}", f"{BODY[:13]}.atlasv1.{BODY[:60]}"),
    ("discord token", f"{ID}.{BODY[:6]}.{BODY[:27]}", f"{ID}.{BODY[:6]}.{BODY[:26]}"),
    ("discord token", f"{ID}.{BODY[:6]}.{BODY[:27]}", f"{ID}.{BODY[:5]}.{BODY[:27]}"),
    ("discord token", f"{ID}.{BODY[:6]}.{BODY[:27]}", f"{ID[:-1]}.{BODY[:6]}.{BODY[:27]}"),
    ("telegram token", f"12345678:AA{BODY[:33]}", f"12345678:AA{BODY[:32]}"),
    ("telegram token", f"12345678:AA{BODY[:33]}", f"1234567:AA{BODY[:33]}"),
    ("telegram token", f"bot12345678:AA{BODY[:33]}", f"robot12345678:AA{BODY[:33]}"),
    ("databricks token", f"dapi{HEX[:32]}", f"dapi{HEX[:31]}"),
    ("azure secret", f"a1b8Q~{BODY[:31]}", f"a1b8Q~{BODY[:30]}"),
    ("azure secret", f"a1b8Q~{BODY[:31]}", f"b8Q~{BODY[:31]}"),
    ("mailchimp key", f"{HEX[:32]}-us1", f"{HEX[:31]}-us1"),
    ("docker logins", "eyJhdXRocyI6" + BODY[:20], "eyJhdXRocyI" + BODY[:20]),
    (
        "private key",
        f"LS0tLS1CRUdJTiBSU0EgUFJJVkFU{BODY}",
        f"LS0tLS1CRUdJTiBSU0EgUFVCTElD{BODY}",
    ),
]


@pytest.mark.parametrize(("kind", "token", "shorter"), FORMS)
def test_a_token_with_a_form_has_all_of_it(kind: str, token: str, shorter: str) -> None:
    assert [(one.kind, one.start) for one in token_secrets(f"x={token} y")] == [(kind, 2)]
    assert not is_found(f"x={shorter} y")


def test_every_form_is_tried() -> None:
    known = {one.kind for one in TOKEN_KINDS if one.shape} | {one.kind for one in SHAPES}

    assert known == {kind for kind, *_ in FORMS}


# One character too many, or too few, of what a form has.
@pytest.mark.parametrize(
    ("text", "other"),
    [
        (f"FLWSECK-{HEX[:32]}-X", f"FLWSECK-{HEX[:33]}-X"),
        (f"{ID}abcw.{BODY[:6]}.{BODY[:27]}", f"{ID}abcdw.{BODY[:6]}.{BODY[:27]}"),
        (f"{ID}.{BODY[:6]}.{BODY[:27]}", f"{ID[:-2]}w.{BODY[:6]}.{BODY[:27]}"),
        (f"fo1_1{'a' * 41}A", f"fo1_1{'a' * 42}A"),  # a capital among the first 43
        (f"fo1_A{'a' * 41}1", f"fo1_A{'a' * 42}1"),
        (f"1234567890:AA{BODY[:33]}", f"12345678901:AA{BODY[:33]}"),
        (f"{HEX[:32]}-us1", f"{HEX[:33]}-us1"),
        (f"{HEX[:32]}-us1", f"{HEX[:32]}-us"),
        (f"{BODY[:14]}.atlasv1.{BODY[:60]}", f"{BODY[:15]}.atlasv1.{BODY[:60]}"),
        (f"EAA{BODY * 2}a/", f"EAA{BODY * 2}/"),  # inside of other base64
        (f"glpat-{'abcdefgh' * 255}abcdefg1", f"glpat-{'abcdefgh' * 256}1"),
        (f"eyJ{'a' * 16_383}.{BODY}", f"eyJ{'a' * 16_384}.{BODY}"),
    ],
)
def test_what_has_another_length_is_something_else(text: str, other: str) -> None:
    assert [is_found(f"x={one} y") for one in (text, other)] == [True, False]


# How many letters of each are looked for in the next line, where a line ends in the middle of it.
FULL = {
    16: "AKIA ASIA ABIA",
    20: "glpat- gldt- glptt- glrt- glcbt- glft- glsoat- glimt-",
    24: "sk_live_ sk_test_ rk_live_ rk_test_ fw_",
    26: "API-",
    27: "dckr_pat_ dckr_oat_ NRAK-",
    28: "GOCSPX-",
    32: "whsec_ shpat_ shpss_ shpca_ shppa_ rnd_ tvly- fc- key- ATBB",
    33: "re_",
    34: "hf_ api_org_ FLWSECK- FLWSECK_TEST-",
    35: "AIza",
    36: "ghp_ gho_ ghu_ ghs_ ghr_ npm_ pnu_ nfp_ sk-lf- xaat- xapt- pat-na1- pat-eu1- pat-na2-",
    37: "r8_",
    40: (
        "shippo_live_ shippo_test_ squ_ sqp_ sqa_ e2b_ lin_api_ lin_oauth_ figd_ sbp_ "
        "sb_secret_ bkua_ pul- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp- "
        "tskey-auth- tskey-api- tskey-client-"
    ),
    41: "glsa_ glc_",
    43: (
        "lsv2_pt_ lsv2_sk_ fo1_ fm2_ phx_ pscale_tkn_ pscale_pw_ pscale_oauth_ pa- sq0atp- "
        "sq0csp- CFPAT- dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit."
    ),
    44: "tfp_",
    46: "ntn_ secret_",
    48: "sk_ rubygems_ csk- llx- sk- pplx-",
    52: "gsk_",
    57: "sgp_",
    58: "hcaik_ AGE-SECRET-KEY-",
    59: "PMAK-",
    60: "jina_ CCIPAT_ HRKU- eyJ",
    64: "dop_v1_ doo_v1_ dor_v1_ napi_ sntrys_ sntryu_ nvapi- sk-or-v1-",
    66: "SG.",
    69: "pcsk_",
    73: "AKCp",
    80: "xai-",
    81: "xkeysib-",
    82: "github_pat_",
    89: "dt0c01. dt0s01. dt0s02.",
    95: "sk-ant- hvs. hvb. hvr.",
    100: "sk-proj- sk-svcacct- sk-admin- ya29.",
    130: "ABSK",
    135: "sl.",
    150: "pypi-",
    171: "v1.0-",
    180: "ATATT3xFfGF0 ATCTT3xFfGN0",
    400: "ops_eyJ",
    1_000: "LS0tLS1CRUdJ",
}


def body_of(one: Token) -> str:
    """What may follow a token's prefix, and more of it than the token has."""
    if not one.shape:
        return (HEAD if one.kind == "jwt" else BODY) * 7
    form = next(token for kind, token, _ in FORMS if kind == one.kind)
    same = (other.prefix for other in TOKEN_KINDS if other.kind == one.kind)
    return form.removeprefix(next(filter(form.startswith, same))) + "a" * one.full


@pytest.mark.parametrize(
    ("prefix", "full"),
    [(prefix, full) for full, prefixes in FULL.items() for prefix in prefixes.split()],
)
def test_a_token_goes_on_in_the_next_line_until_it_is_full(prefix: str, full: int) -> None:
    one = BY_PREFIX[prefix]
    whole, cut = (prefix + body_of(one)[:length] for length in (full, full - 1))
    found = [token_secrets(f"{text}\ndead beef")[-1:] for text in (whole, cut)]

    assert [place.end for place in found[0]] == [len(whole)]
    if not one.shape or one.shape.match(cut, len(prefix)):
        assert [place.end for place in found[1]] == [len(f"{cut}\ndead")]


def test_every_token_is_looked_for_in_the_next_line() -> None:
    assert {prefix for some in FULL.values() for prefix in some.split()} == set(BY_PREFIX)


# These have a length of their own, and more letters are something else.
EXACT = {"crates.io token", "nuget key", "twilio key"}


@pytest.mark.parametrize(
    "token",
    [token for kind, token, _ in FORMS if kind not in EXACT]
    + [f"{one.prefix}{body_of(one)[: one.full]}" for one in TOKEN_KINDS],
)
def test_a_long_token_is_found_whole(token: str) -> None:
    long = f"{token}{HEX * 100}"

    assert {place.end for place in token_secrets(f"x={long} y")} == {2 + len(long)}

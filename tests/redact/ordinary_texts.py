"""Ordinary texts of transcripts, made by chance: what looks like a secret to a careless rule."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from tests.redact.secret_kinds import pattern

Make: TypeAlias = Callable[[random.Random], str]
_WORDS: Final = """account address agent alert archive batch block board branch bucket buffer build
cache call change chart check chunk client clock column command commit context cookie copy count
cursor date day delta depth detail device digest draft edge editor engine entry error event export
factory field file filter flag folder footer frame gate graph group guard handle header history
hook host image index input insert issue item job journal key kind label layer layout ledger length
level limit line link list loader lock log login map marker match member merge message method metric
mirror model module mount name network node note number object offset order origin owner package
page panel parser part password patch path pattern payload peer phase pixel place plan point policy
pool port prefix price process profile project proxy query queue range rank rate reader record
region report request reset result review role root route row rule scale schema scope score screen
secret section segment sender series server session setting shape shard share sheet signal size slot
snapshot source span stage state status step store stream string style switch symbol system table
task tenant theme thread ticket token topic total trace track trigger turn type unit update upload
user value vector version view volume watch weight widget window worker writer zone""".split()
_VERBS: Final = (
    "add apply build check close copy drop find fix keep load move read send show".split()
)
_ENDINGS: Final = "py ts tsx go rs java md json yaml toml css html sql sh lock log txt".split()
# Names that end as the name of a secret does, and name none.
KEY_NAMES: Final = """s3_key shard_key dedupe_key storageKey lookup_key fixture_key hotkey monkey
turkey whiskey cacheKey cache_key primary_key foreign_key sort_key partition_key row_key group_key
idempotency_key query_key queryKey object_key public_key publicKey routing_key i18n_key storage_key
feature_key event_key job_key lock_key redis_key SHARD_KEY S3_KEY CACHE_KEY HOTKEY PRIMARY_KEY
api_key_id key_id token_count max_tokens tokenizer secretary password_hash cookie_name keyboard
passenger bypass compass tokens_used secret_name token_type access_key_count""".split()
_SENTENCES: Final = """The password is checked before the {} is read.
Rotate the token when the {} changes, then {} the {}.
I'll {} the {} and look at the {} again.
Where is the secret {} kept, and who may {} it?
The key of a {} is its {}; the value is the {}.
Please {} the cookie {} so that {} {} do not fail.
Authorization is decided by the {} and not by the {}.
Use a bearer {} only where the {} needs one.
Tests: {} passed, {} failed in the {} of the {}.
Do not log the password or the {}, and never the {}.
It says "Unexpected token" at the {} of line 12 in the {}.
Basic understanding of the {} is enough to {} it.
The API key setting moved from the {} to the {}.
Enter your password to {} the {}: it is not stored.
Login with password authentication is off for the {}.
The machine you login to has a {} and a {}.""".split("\n")
_CODE: Final = """def {}_{}(self, {}: str, token: str | None = None) -> {}:
    password = get_password({}, {})
token = os.environ["{}_TOKEN"]
const {{ {}, password, token }} = req.body;
if (token.kind === TokenKind.{}) return this.{}(token);
self.{}_key = f"{{{}}}:{{self.{}_id}}"
    secret: ${{{{ secrets.{}_TOKEN }}}}
password: process.env.{}_PASSWORD,
api_key = settings.{}.api_key
private_key: Uint8Array = new Uint8Array({})
key = hashlib.sha256({}.encode()).hexdigest()
for key, {} in sorted({}.items(), key=lambda one: one[1]):
headers = {{"Authorization": f"Bearer {{{}}}"}}
assert token.{} == "{}", token
@pytest.mark.parametrize("token", ["{}", "{}"])
SELECT {}, token_count FROM {} WHERE key = ? ORDER BY {}
type Secret = {{ name: string; {}: {} }};
cookie = request.cookies.get("{}_session")
let password = prompt("password for {}")?;
export const {}Key = (id: string) => ["{}", id] as const;
<input type="password" name="{}" autocomplete="current-password" />
ALTER TABLE {} ADD COLUMN password_hash text NOT NULL;
class {}Token(NamedTuple): {}: int
client_secret=args.{}_secret, token_url={}
os.getenv("{}_PASSWORD", "")
password = "********"  # {}
token=$({} auth print-access-token)
Authorization: Bearer $TOKEN  # of the {}
API_KEY=<your {} key>
postgres://app:$PASSWORD@{}/{}
password = forms.CharField(widget=forms.PasswordInput, label="{}")
fields = ("{}", "password1", "password2")
token: {}Token = {}.token
get("password", "{}")
setattr(self, "token", "{}_{}")
--token-file {}/{} --key-file {}.pem
docker run -p 8080:80 -u 1000:1000 {}:{}
mkdir -p {}/{} && cp -a {} {}
ssh -p 2222 {}@{}.example.org""".split("\n")
_LOGS: Final = """{t} INFO {}.{}: token refreshed for user {n} in {n} ms
{t} WARN [{}] password reset requested id={u}
{t} ERROR {} failed: invalid token at offset {n} (commit {g})
[{t}] "GET /{}/{n}?page={n} HTTP/1.1" 200 {n} "-" "Mozilla/5.0"
{t} DEBUG cache key={}:{n}:{} hit=true
input_tokens={n}, output_tokens={n}, cache_read_input_tokens={n}
level=info ts={t} msg="secret {} synced" trace={h}
{t} request_id=req_{i} session_id={u} status=200
--- PASS: Test{}Of{}2 (0.0{n}s)
npm WARN deprecated {}@1.{n}.0: use {}@2 instead
{} | {t} GET /api/{}/{u} 304
Compiling {} v0.{n}.1 (/home/dev/{}/{})
##[group]Run actions/checkout@{g}
Successfully built {g8} and tagged {}:{g8}
tests/{}/test_{}.py::test_{}_{} PASSED [ {n}%]""".split("\n")


def _words(chance: random.Random, count: int) -> list[str]:
    return chance.choices(_WORDS, k=count)


def _filled(texts: list[str]) -> Make:
    def make(chance: random.Random) -> str:
        text = chance.choice(texts)
        return text.format(
            *(chance.choice([word, word.title(), word]) for word in _words(chance, 8)),
            t=pattern("2026-0<d1>T1<d1>:00:0<d1>Z")(chance),
            n=chance.randint(1, 99_999),
            u=_uuid(chance),
            g=pattern("<h40>")(chance),
            g8=pattern("<h8>")(chance),
            h=pattern("<h32>")(chance),
            i=pattern("01<w22>")(chance),
        )

    return make


_uuid: Final = pattern("<h8>-<h4>-4<h3>-a<h3>-<h12>")


def _identifier(chance: random.Random) -> str:
    words = _words(chance, chance.randint(2, 5))
    camel = words[0] + "".join(map(str.title, words[1:]))
    snake = "_".join(words)
    return chance.choice(
        [camel, snake, snake.upper(), "-".join(words), camel.title(), f"{snake}_2"]
    )


def _path(chance: random.Random) -> str:
    start = chance.choice(["/home/dev/", "src/", "~/", "C:\\code\\", "./", "/etc/", "../"])
    name = "/".join([*_words(chance, 3), _identifier(chance)])
    return f"{start}{name}.{chance.choice(_ENDINGS)}:{chance.randint(1, 900)}"


def _prose(chance: random.Random) -> str:
    words = [chance.choice([*_WORDS, *_VERBS]) for _ in range(chance.randint(8, 40))]
    return " ".join(words).capitalize() + "."


def _key_name(chance: random.Random) -> str:
    name, value = chance.choice(KEY_NAMES), chance.choice(_VALUES)(chance)
    return chance.choice(
        ['{0} = "{1}"', '"{0}": "{1}"', "{0}: {1}", "{0}={1}", "'{0}': '{1}',", "--{0} {1}"]
    ).format(name, value)


_VALUES: Final[list[Make]] = [
    pattern("<h16>"),
    pattern("<w20>"),
    pattern("uploads/2026/<h12>.csv"),
    pattern("order:<d6>"),
    _uuid,
    _identifier,
    pattern("<h40>"),
]


def _json(chance: random.Random) -> str:
    record = {
        "sessionId": _uuid(chance),
        "requestId": pattern("req_011<w20>")(chance),
        "toolUseId": pattern("toolu_01<w22>")(chance),
        "message": {"id": pattern("msg_01<w22>")(chance), "usage": {"input_tokens": 7}},
        chance.choice(KEY_NAMES): chance.choice(_VALUES)(chance),
        "cwd": _path(chance),
    }
    text = json.dumps(record)
    return text if chance.random() < 0.5 else json.dumps({"content": text})


def _minified(chance: random.Random) -> str:
    parts = [
        f"function {chance.choice('abcdefg')}({chance.choice('tnre')}){{return "
        f"{chance.choice('tnre')}.{_identifier(chance)}?{chance.randint(0, 99)}:null}}"
        for _ in range(chance.randint(3, 12))
    ]
    return (
        ";".join(parts)
        + f',token=t.next(),key=e[{chance.randint(0, 9)}],secret=n(e,"{_words(chance, 1)[0]}")'
    )


def _image(chance: random.Random) -> str:
    start, media = chance.choice([("iVBORw0KGgo", "png"), ("/9j/", "jpeg"), ("R0lGOD", "gif")])
    data = start + pattern("<b160>")(chance)
    return chance.choice(
        [f"data:image/{media};base64,{data}==", json.dumps({"media_type": media, "data": data})]
    )


def _lock(chance: random.Random) -> str:
    name = "-".join(_words(chance, 2))
    return chance.choice(
        [
            f'"integrity": "sha512-{pattern("<b86>")(chance)}=="',
            f"  integrity sha512-{pattern('<b86>')(chance)}==",
            f'{{file = "{name}-1.0.tar.gz", hash = "sha256:{pattern("<h64>")(chance)}"}},',
            f"{name} v1.{chance.randint(0, 30)}.0 h1:{pattern('<b43>')(chance)}=",
            f'checksum = "{pattern("<h64>")(chance)}"',
            f"    --hash=sha256:{pattern('<h64>')(chance)} \\",
            f'"resolved": "https://registry.example.org/{name}/-/{name}-1.0.tgz#{pattern("<h40>")(chance)}"',
        ]
    )


def _hash(chance: random.Random) -> str:
    commit = pattern("<h40>")(chance)
    return chance.choice(
        [
            f"commit {commit} (HEAD -> main)",
            f"{commit[:8]}..{pattern('<h8>')(chance)}  main -> origin/main",
            f"index {commit[:7]}..{pattern('<h7>')(chance)} 100644",
            f"sha256:{pattern('<h64>')(chance)}",
            f"{pattern('<h32>')(chance)}  {_path(chance)}",
            f'ETag: W/"{pattern("<h10>")(chance)}-{pattern("<w22>")(chance)}"',
            f"docker.io/library/x@sha256:{pattern('<h64>')(chance)}",
            f"SHA256:{pattern('<b43>')(chance)} dev@host (ED25519)",
        ]
    )


def _number(chance: random.Random) -> str:
    return chance.choice(
        [
            f"{chance.random() * 1e6:.6f}",
            f"token: {chance.randint(0, 10**15)}",
            f'"token": {chance.randint(0, 10**15)}',
            f"+{chance.randint(10**10, 10**11)}",
            f"10.{chance.randint(0, 255)}.0.{chance.randint(0, 255)}:{chance.randint(80, 9_999)}",
            f"0x{chance.randint(0, 2**32):08x} {chance.randint(0, 2**32):#x}",
            f"$ {chance.randint(1, 10_000)}.{chance.randint(10, 99)}",
        ]
    )


def _address(chance: random.Random) -> str:
    one, two = _words(chance, 2)
    return chance.choice(
        [
            f"https://{one}.example.org/{two}/{_uuid(chance)}?page=2&sort_key={one}",
            f"https://example.org:8080/@{one}/{two}",
            f"git@git.example.org:{one}/{two}.git",
            f"http://localhost:{chance.randint(1_000, 9_999)}/{one}#L{chance.randint(1, 900)}",
            f"s3://{one}-{two}/{pattern('<h32>')(chance)}/part-0000.parquet",
            f"arn:aws:iam::{pattern('<d12>')(chance)}:role/{one}-{two}",
            f"{one}@example.org, {two}@example.org",
            f"https://pkg.example.org/{one}@v1.2.3/{two}.js?v={pattern('<h8>')(chance)}",
        ]
    )


def _diff(chance: random.Random) -> str:
    return "\n".join(
        f"{chance.choice(' +-')}{_filled(_CODE)(chance)}" for _ in range(chance.randint(2, 6))
    )


def _public(chance: random.Random) -> str:
    kind, dashes = chance.choice(["CERTIFICATE", "PUBLIC KEY"]), "-" * 5
    return chance.choice(
        [
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{pattern('<b43>')(chance)} dev@host",
            f"{dashes}BEGIN {kind}{dashes}\n{pattern('<b64>')(chance)}\n{dashes}END {kind}{dashes}",
            f"pk_live_{pattern('<w24>')(chance)}",
            f"PublicKey = {pattern('<b43>')(chance)}=",
            f'{{"kty":"RSA","n":"{pattern("<u171>")(chance)}","e":"AQAB"}}',
            f"pub   rsa4096 2026-01-01 [SC]\n      {pattern('<H40>')(chance)}",
        ]
    )


def _settings(chance: random.Random) -> str:
    one, two, three = _words(chance, 3)
    return chance.choice(
        [
            f"- name: {one.upper()}_LEVEL\n  value: {two}{chance.randint(1, 99)}\n",
            f"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {{name: {one}, key: {two}}}\n",
            f"{one}:\n  secretName: {two}-tls\n  keyRef: {three}\n",
            f"token: ${{{one.upper()}_TOKEN}}\n{two}: {three}\n",
            f"password: {{{{ {one}_password }}}}\n",
            f"<{one}>{two}</{one}><password-policy>{three}</password-policy>",
            f"[{one}]\nkey_file = /etc/{two}/{three}.pem\ncookie_name = {one}_session\n",
            f'{{"name": "{one}_level", "value": "{pattern("<w12>")(chance)}"}}',
            f"{one.upper()}_TOKEN_FILE=/run/secrets/{two}\n{three.upper()}_TTL=3600",
            f"uses: {one}/{two}@{pattern('<h40>')(chance)}\nwith:\n  key: {three}-${{{{ x }}}}",
        ]
    )


MAKERS: Final[dict[str, Make]] = {
    "identifiers": _identifier,
    "names that end in key": _key_name,
    "paths": _path,
    "prose": _prose,
    "prose about secrets": _filled(_SENTENCES),
    "code lines": _filled(_CODE),
    "diffs": _diff,
    "log lines": _filled(_LOGS),
    "JSON": _json,
    "minified scripts": _minified,
    "images": _image,
    "lock files": _lock,
    "hashes": _hash,
    "UUIDs": _uuid,
    "ids of Claude Code": pattern("toolu_01<w22> msg_01<w22> req_011<w20> agent-<h8>"),
    "numbers": _number,
    "addresses": _address,
    "public keys": _public,
    "settings": _settings,
    "random words": pattern("<l12> <w16> <h24> <U10> <b20>"),
}


def ordinary(count: int = 1_050, seed: int = 43) -> Iterator[tuple[str, str]]:
    """So many texts of each sort."""
    chance = random.Random(seed)
    for sort, make in MAKERS.items():
        yield from ((sort, make(chance)) for _ in range(count))

"""Kinds of secrets, each as a made-up value in three forms: none lies in the repository whole."""

import json
import random
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Final, NamedTuple, TypeAlias

from tests.redact.secrets import Planted

Make: TypeAlias = Callable[[random.Random], str]
_ALPHABETS: Final = {
    "w": ascii_letters + digits,
    "a": ascii_letters,
    "u": ascii_letters + digits + "_-",
    "b": ascii_letters + digits + "+/",
    "l": ascii_lowercase + digits,
    "U": ascii_uppercase + digits,
    "A": ascii_uppercase + "234567",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": digits,
}
_PART: Final = re.compile(r"<([a-zA-Z])(\d+)>")
_UUID: Final = "<h8>-<h4>-4<h3>-a<h3>-<h12>"
_WORDS: Final = "winter falcon hunter sunshine dragon orchid magnet pepper granite velvet".split()
_DASHES: Final = "-" * 5


class Kind(NamedTuple):
    """What a secret is made of, and where it stands: `{}` in a typed line, and in a file."""

    name: str
    make: Make
    line: str
    file: str


def pattern(text: str) -> Make:
    """A value of random letters: `<h8>` is eight of the alphabet `h`."""

    def make(chance: random.Random) -> str:
        return _PART.sub(
            lambda part: "".join(chance.choices(_ALPHABETS[part[1]], k=int(part[2]))), text
        )

    return make


def password(chance: random.Random) -> str:
    """As a person or a program makes one up."""
    word, number = chance.choice(_WORDS), chance.randint(10, 9_999)
    return chance.choice(
        [
            f"{word.title()}{number}{chance.choice('!?*+.')}",
            f"{word}{number}",
            f"{word}-{chance.choice(_WORDS)}-{number}",
            pattern("<w16>")(chance),
            pattern("<l20>")(chance),
        ]
    )


def _encoded(of: Make) -> Make:
    return lambda chance: b64encode(of(chance).encode()).decode()


def _login(chance: random.Random) -> str:
    return b64encode(f"deploy:{password(chance)}".encode()).decode()


def _discord(chance: random.Random) -> str:
    number = b64encode(pattern("1<d17>")(chance).encode()).decode()
    return number + pattern(".G<u5>.<u38>")(chance)


def _lines(count: int) -> Make:
    return pattern("\n".join(["<b64>"] * count + ["<b24>=="]))


# Whose it is, what it looks like, and the name it has in an environment.
TOKENS: Final = """
github|ghp_<w36>|GITHUB_TOKEN
github oauth|gho_<w36>|GH_TOKEN
github app|ghs_<w36>|GITHUB_TOKEN
github fine-grained|github_pat_<w22>_<w59>|GH_PAT
gitlab|glpat-<u20>|GITLAB_TOKEN
gitlab runner|glrt-<u20>|RUNNER_TOKEN
slack bot|xoxb-<d12>-<d13>-<w24>|SLACK_BOT_TOKEN
slack user|xoxp-<d12>-<d12>-<d13>-<h32>|SLACK_TOKEN
slack app|xapp-1-A<U10>-<d13>-<h64>|SLACK_APP_TOKEN
stripe live|sk_live_<w24>|STRIPE_KEY
stripe restricted|rk_live_51<w97>|STRIPE_RESTRICTED_KEY
stripe webhook|whsec_<w32>|STRIPE_WEBHOOK_SECRET
npm|npm_<w36>|NPM_TOKEN
pypi|pypi-AgEIcHlwaS5vcmc<u150>|TWINE_PASSWORD
rubygems|rubygems_<h48>|GEM_HOST_API_KEY
crates.io|cio<w32>|CARGO_REGISTRY_TOKEN
nuget|oy2<l43>|NUGET_API_KEY
hugging face|hf_<a34>|HF_TOKEN
openai|sk-<w20>T3BlbkFJ<w20>|OPENAI_API_KEY
openai project|sk-proj-<u74>T3BlbkFJ<u74>|OPENAI_API_KEY
anthropic|sk-ant-api03-<u93>AA|ANTHROPIC_API_KEY
anthropic oauth|sk-ant-oat01-<u93>AA|CLAUDE_CODE_OAUTH_TOKEN
openrouter|sk-or-v1-<h64>|OPENROUTER_API_KEY
groq|gsk_<w52>|GROQ_API_KEY
xai|xai-<w80>|XAI_API_KEY
perplexity|pplx-<w48>|PPLX_API_KEY
replicate|r8_<w37>|REPLICATE_API_TOKEN
nvidia|nvapi-<u64>|NVIDIA_API_KEY
cerebras|csk-<l48>|CEREBRAS_API_KEY
fireworks|fw_<w24>|FIREWORKS_API_KEY
voyage|pa-<u43>|VOYAGE_API_KEY
jina|jina_<h32><u28>|JINA_API_KEY
llamacloud|llx-<w48>|LLAMA_CLOUD_API_KEY
elevenlabs|sk_<h48>|ELEVENLABS_API_KEY
tavily|tvly-dev-<w32>|TAVILY_API_KEY
firecrawl|fc-<h32>|FIRECRAWL_API_KEY
langsmith|lsv2_pt_<h32>_<h10>|LANGSMITH_API_KEY
langfuse|sk-lf-UUID|LANGFUSE_SECRET_KEY
resend|re_<w8>_<w24>|RESEND_API_KEY
google|AIza<u35>|GOOGLE_API_KEY
google oauth client|GOCSPX-<u28>|GOOGLE_CLIENT_SECRET
google access|ya29.a0<u150>|GOOGLE_ACCESS_TOKEN
google refresh|1//0<u60>|GOOGLE_REFRESH_TOKEN
aws access key|AKIA<A16>|AWS_ACCESS_KEY_ID
aws session key|ASIA<A16>|AWS_ACCESS_KEY_ID
aws bedrock|ABSK<b126>==|AWS_BEARER_TOKEN_BEDROCK
azure client secret|<w3>8Q~<u34>|AZURE_CLIENT_SECRET
databricks|dapi<h32>|DATABRICKS_TOKEN
digitalocean|dop_v1_<h64>|DIGITALOCEAN_TOKEN
heroku|HRKU-AA<u58>|HEROKU_API_KEY
netlify|nfp_<w36>|NETLIFY_AUTH_TOKEN
fly.io|fo1_<u43>|FLY_API_TOKEN
cloudflare origin|v1.0-<h24>-<h146>|CF_ORIGIN_CA_KEY
render|rnd_<w28>|RENDER_API_KEY
terraform cloud|<w14>.atlasv1.<u67>|TFE_TOKEN
pulumi|pul-<h40>|PULUMI_ACCESS_TOKEN
vault|hvs.<u92>|VAULT_TOKEN
doppler|dp.pt.<w43>|DOPPLER_TOKEN
1password|ops_eyJ<w240>|OP_SERVICE_ACCOUNT_TOKEN
sendgrid|SG.<u22>.<u43>|SENDGRID_API_KEY
mailgun|key-<h32>|MAILGUN_API_KEY
mailchimp|<h32>-us12|MAILCHIMP_API_KEY
brevo|xkeysib-<h64>-<w16>|BREVO_API_KEY
twilio|SK<h32>|TWILIO_API_KEY
telegram|<d10>:AA<u33>|TELEGRAM_BOT_TOKEN
docker hub|dckr_pat_<u27>|DOCKERHUB_TOKEN
grafana|glsa_<w32>_<h8>|GRAFANA_TOKEN
grafana cloud|glc_eyJ<w120>|GRAFANA_CLOUD_TOKEN
sentry|sntrys_eyJ<w120>_<b43>|SENTRY_AUTH_TOKEN
sentry user|sntryu_<h64>|SENTRY_AUTH_TOKEN
new relic|NRAK-<U27>|NEW_RELIC_API_KEY
dynatrace|dt0c01.<U24>.<U64>|DT_API_TOKEN
honeycomb|hcaik_<l58>|HONEYCOMB_API_KEY
axiom|xaat-UUID|AXIOM_TOKEN
posthog|phx_<w43>|POSTHOG_PERSONAL_API_KEY
atlassian|ATATT3xFfGF0<u170>=<H8>|JIRA_API_TOKEN
bitbucket|ATBB<w24><H8>|BITBUCKET_APP_PASSWORD
linear|lin_api_<w40>|LINEAR_API_KEY
notion|ntn_<w46>|NOTION_TOKEN
notion, old|secret_<w43>|NOTION_TOKEN
figma|figd_<u40>|FIGMA_TOKEN
airtable|pat<w14>.<h64>|AIRTABLE_API_KEY
typeform|tfp_<u44>|TYPEFORM_TOKEN
shopify|shpat_<h32>|SHOPIFY_ACCESS_TOKEN
square|sq0csp-<u43>|SQUARE_SECRET
hubspot|pat-na1-UUID|HUBSPOT_TOKEN
shippo|shippo_live_<h40>|SHIPPO_TOKEN
easypost|EZAK<w54>|EASYPOST_API_KEY
flutterwave|FLWSECK-<h32>-X|FLW_SECRET_KEY
planetscale|pscale_tkn_<u43>|PLANETSCALE_TOKEN
supabase|sbp_<h40>|SUPABASE_ACCESS_TOKEN
supabase secret|sb_secret_<u22>_<u8>|SUPABASE_SECRET_KEY
neon|napi_<l64>|NEON_API_KEY
pinecone|pcsk_<w6>_<w63>|PINECONE_API_KEY
postman|PMAK-<h24>-<h34>|POSTMAN_API_KEY
circleci|CCIPAT_<w22>_<h40>|CIRCLE_TOKEN
buildkite|bkua_<h40>|BUILDKITE_TOKEN
sonar|squ_<h40>|SONAR_TOKEN
sourcegraph|sgp_<h16>_<h40>|SRC_ACCESS_TOKEN
mapbox|sk.eyJ1Ijoi<w70>.<u22>|MAPBOX_SECRET_TOKEN
tailscale|tskey-auth-<w11>CNTRL-<w32>|TS_AUTHKEY
contentful|CFPAT-<u43>|CONTENTFUL_TOKEN
dropbox|sl.<u135>|DROPBOX_TOKEN
facebook|EAA<w180>|FB_ACCESS_TOKEN
artifactory|AKCp8<w68>|ARTIFACTORY_API_KEY
alibaba|LTAI5t<w18>|ALIBABA_CLOUD_ACCESS_KEY_ID
openshift|sha256~<u43>|OPENSHIFT_TOKEN
octopus|API-<U26>|OCTOPUS_API_KEY
prefect|pnu_<l36>|PREFECT_API_KEY
e2b|e2b_<h40>|E2B_API_KEY
age|AGE-SECRET-KEY-1<U58>|SOPS_AGE_KEY
json web token|eyJhbGciOi<w26>.eyJ<u120>.<u43>|ACCESS_TOKEN
""".replace("UUID", _UUID)

_PROSE: Final = (
    "the deploy failed with {}, please rotate it",
    "Use {} for now.",
    "curl -H 'PRIVATE: {}' https://api.example.org/v1/me",
    "login({!r}) gives 401".replace("{!r}", "'{}'"),
    "`{}` is what I have",
)
_FILES: Final = (
    "# .env\nDEBUG=1\nNAME={}\nPORT=8080\n",
    "services:\n  web:\n    environment:\n      - NAME={}\n",
    "env:\n  NAME: {}\n  LOG_LEVEL: info\n",
    '{\n  "mcpServers": {"x": {"command": "npx", "env": {"NAME": "{}"}}}\n}\n',
    "[default]\nregion = eu-1\nname = {}\n",
)


def _tokens() -> Iterator[Kind]:
    for number, row in enumerate(TOKENS.strip().split("\n")):
        name, made, variable = row.split("|")
        file = _FILES[number % len(_FILES)]
        given = file.replace("NAME", variable).replace("\nname =", f"\n{variable.lower()} =")
        yield Kind(name, pattern(made), _PROSE[number % len(_PROSE)], given)


# Values that are more than a pattern.
_MAKERS: Final[dict[str, Make]] = {
    "password": password,
    "password in base64": _encoded(password),
    "login": _login,
    "discord": _discord,
    "key in base64": _encoded(pattern(f"{_DASHES}BEGIN RSA PRIVATE KEY{_DASHES}\n<b64>\n<b64>")),
}


def _known_by_place() -> Iterator[Kind]:
    """Kinds that are known by what stands around them, as their file tells."""
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    dashed = re.sub("@(BEGIN|END)([A-Z ]+)@", rf"{_DASHES}\1\2{_DASHES}", text)
    for block in dashed.split("## ")[1:]:
        head, _, forms = block.rstrip("\n").partition("\n")
        name, _, value = head.partition(" | ")
        line, _, file = forms.partition("\n--\n")
        lines = int(value.removeprefix("key lines ")) if value.startswith("key lines") else 0
        make = _MAKERS.get(value) or (_lines(lines) if lines else pattern(value))
        yield Kind(name, make, line, f"{file}\n")


KINDS: Final = [*_tokens(), *_known_by_place()]
FORMS: Final = ("line", "file", "nested")


def evaluation(values: int = 20, seed: int = 41) -> Iterator[tuple[str, Planted]]:
    """Each form of each kind with some values: the form, and what must not be read in it."""
    chance = random.Random(seed)
    for kind in KINDS:
        for _ in range(values):
            for form in FORMS:
                secret = kind.make(chance)
                text = _filled(kind.line if form == "line" else kind.file, secret)
                if form == "nested":
                    text = json.dumps({"content": json.dumps({"stdout": text, "code": 0})})
                yield form, Planted(kind.name, text, secret)


def _filled(text: str, secret: str) -> str:
    is_string = "\\n{}" in text  # its line ends are written as \\n
    return text.replace("{}", secret.replace("\n", "\\n") if is_string else secret)

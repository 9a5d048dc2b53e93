"""Names -> the kind of secret each promises."""

import re
from functools import lru_cache
from typing import Final

# The end of a name, without punctuation -> the kind of its value.
KINDS: Final = {
    "password": "password",
    "passwd": "password",
    "passphrase": "password",
    "psk": "password",
    "pwd": "password",  # where it is no working directory
    "secret": "secret",
    "token": "token",
    "apikey": "api key",
    "accesskey": "api key",
    "secretkey": "api key",
    "privatekey": "private key",
    "accountkey": "api key",
    "authkey": "api key",
    "signingkey": "api key",
    "encryptionkey": "api key",
    "masterkey": "api key",
    "licensekey": "api key",
    "authorization": "credentials",
    "cookie": "cookie",
}
# A key of these is a secret; one of anything else is where something is found.
_OWNERS: Final = frozenset(
    "access account admin aes app application auth client crypto decryption deploy developer ecdsa "
    "ed25519 encrypt encryption gpg hmac ingest integration jwk jwt license master oauth pgp "
    "preshared private rsa secret server service sign signature signing ssh ssl storageaccount "
    "subscription tls vault wallet webhook write "
    "ai alchemy algolia amplitude anthropic assemblyai aws azure binance brevo cerebras claude "
    "cloudflare cohere coinbase datadog dd deepgram deepseek discord elevenlabs etherscan exa "
    "figma firebase firecrawl fireworks gcp gemini github gitlab google grafana groq heroku "
    "honeycomb hubspot huggingface infura intercom jina kraken langchain langfuse langsmith linear "
    "livekit llm mailchimp mailgun mapbox maps mistral mixpanel newrelic notion nvidia openai "
    "openrouter pagerduty perplexity pinecone plaid posthog postmark pusher qdrant rapidapi "
    "replicate resend segment sendgrid sentry serpapi serper shopify slack snyk square stripe "
    "supabase tavily telegram together twilio vercel voyage wandb weaviate xai zendesk".split()
)
# In capitals, as in an environment, any other key may be a secret; not these.
_PLACES: Final = frozenset(
    "archive attribute block bucket cache column composite config context cookie cron data dedup "
    "dedupe dict entity event experiment feature field file fixture flag foreign form group hash "
    "header host hot i18n id idempotency index issue item job join known label list local "
    "localstorage lock log lookup map memo menu message metadata metric mutation natural node "
    "object option order page param partition path persist preference primary project prop public "
    "publishable query queue range rate react redis ref registry report resource result route "
    "routing row s3 schema selector sequence session setting settings shard shared sort source "
    "state storage store tag tenant theme thread topic track translation trigger unique user view "
    "window".split()
)
_VARIANT: Final = re.compile(
    r"(?:[_-](?:prod|production|dev|test|live|staging|value|base|data|base64|b64|old|new|local"
    r"|backup)|[_-]?\d{1,3})\Z",
    re.IGNORECASE,
)
_PASS: Final = re.compile(r"(?:\Apass|[_.-](?i:pass))\Z")  # not bypass, not PASS
_SIGNS: Final = re.compile(r"[_.-]")
_PARTS: Final = re.compile(r"[_.-]|(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=4_096)
def secret_kind(name: str) -> str:
    """The kind of secret a name promises; '' if none."""
    bare = _SIGNS.sub("", plain := _VARIANT.sub("", name)).lower()
    for end, kind in KINDS.items():
        if bare.endswith(end):
            return kind
    if _PASS.search(name):
        return "password"
    return "key" if bare.endswith("key") and _is_secret_key(plain) else ""


def _is_secret_key(name: str) -> bool:
    """Whether a name that ends in `key` says whose key it is: app_key, STRIPE_KEY, not hotkey."""
    *owners, last = [part.lower() for part in _PARTS.split(name)]
    if last != "key":
        return last[:-3] in _OWNERS
    if not owners or not _OWNERS.isdisjoint(owners):
        return bool(owners)
    return name.isupper() and _PLACES.isdisjoint(owners)

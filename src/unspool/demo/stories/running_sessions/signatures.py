"""Finishes soon after the demo begins: webhooks are signed."""

from unspool.demo.script.steps import RELEASE, SONNET, Now, Story, answer, prompt, think
from unspool.demo.script.tools import bash, edit, grep, read, write

_LATER = 330  # seconds until somebody comes back to a session that is done

STORY = Story(
    name="webhook-signatures",
    title="Verify Parcelio's webhook signatures",
    model=SONNET,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt(
            "Parcelio now signs its webhooks (HMAC-SHA256 over the body, header X-Parcelio-Signature). Verify it, for 1.8.1.",
            after=5,
        ),
        read(
            "waybill/carriers/parcelio.py",
            'class Parcelio:\n    name = "parcelio"\n    pause = 0.4',
            line=20,
            total=92,
        ),
        write(
            "waybill/signatures.py",
            '''
            """A body and its signature -> whether the sender knew the secret."""

            import hashlib
            import hmac


            def is_signed(body: bytes, signature: str, secret: bytes) -> bool:
                """Compare in constant time: how long it takes must not tell how much was right."""
                wanted = hmac.new(secret, body, hashlib.sha256).hexdigest()
                return hmac.compare_digest(wanted, signature.removeprefix("sha256="))
        ''',
        ),
        Now(),
        edit(
            "waybill/webhooks.py",
            "    payload = await request.json()",
            "    body = await request.body()\n    known.verify(body, request.headers)\n    payload = json.loads(body)",
            line=34,
        ),
        bash(
            "pytest -q tests/test_webhooks.py",
            "...F......                                                               [100%]\nE   starlette.requests.ClientDisconnect\nFAILED tests/test_webhooks.py::test_an_event_changes_the_status\n1 failed, 9 passed in 1.44s",
            exit=1,
            took=3.0,
        ),
        think(
            "request.json() is still called further down, after the body was consumed? No: request.body() caches. The disconnect comes from the middleware that reads the stream for logging."
        ),
        grep(
            "request.stream",
            "waybill/middleware.py:22:        async for chunk in request.stream():",
            path="waybill",
        ),
        edit(
            "waybill/middleware.py",
            "        async for chunk in request.stream():\n            size += len(chunk)",
            '        size = int(request.headers.get("content-length", 0))',
            line=22,
        ),
        bash(
            "pytest -q tests/test_webhooks.py",
            "..........                                                               [100%]\n10 passed in 1.38s",
            took=2.8,
        ),
        answer(
            "Signatures are checked before the body is parsed. The logging middleware had eaten the body; it only wanted the size, which is in a header."
        ),
        prompt(
            "Reject unsigned events only from next month on. Until then, log them.", after=_LATER
        ),
        edit(
            "waybill/carriers/parcelio.py",
            "    pause = 0.4",
            '    pause = 0.4\n    signatures = "log"  # "require" from next month on',
            line=22,
        ),
        bash(
            "pytest -q && git commit -qam 'Parcelio: check signatures, log what is not signed'",
            "209 passed in 19.30s",
            took=22.0,
        ),
        answer(
            "Unsigned events are accepted and logged as a warning. Requiring a signature is a one-word change in `parcelio.py`. Committed; 209 tests pass."
        ),
    ],
)

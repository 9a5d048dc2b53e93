"""Messages as they are sent."""

import json

from unspool.model.live import ErrorMessage
from unspool.redact import Redactor
from unspool.serve.live.messages import Pen

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 8 + "AA"


def test_a_message_says_its_type_number_and_session() -> None:
    written = Pen(Redactor()).write("error", 7, None, ErrorMessage(detail="é"))

    assert json.loads(written.text) == {
        "type": "error",
        "seq": 7,
        "sessionId": None,
        "data": {"detail": "é"},
    }
    assert written.size == len(written.text.encode())


def test_a_message_has_no_secrets() -> None:
    written = Pen(Redactor()).write("error", 7, "s", ErrorMessage(detail=f"key {KEY}"))

    assert KEY not in written.text

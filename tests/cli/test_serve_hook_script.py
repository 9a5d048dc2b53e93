"""A hook script that posts events to a server: without a token, and with the documented line."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.conftest import REPOSITORY

DOCS = (REPOSITORY / "docs" / "hooks.md").read_text()
(LINE,) = re.findall(r'^ +(-H "Authorization: .*") \\$', DOCS, re.MULTILINE)
SCRIPT = """
event=$(cat)
transformed=$(echo "$event" | jq -c '{{
  type: .hook_event_name, sessionId: .session_id, timestamp: (now | todate), data: .
}}')
curl -X POST "{url}/api/events" -H "Content-Type: application/json" \\
  {line} \\
  -d "$transformed" --max-time 20 --silent
"""
EVENT = {"hook_event_name": "Notification", "session_id": "session-one", "message": "Hello"}

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "curl", "jq"))), reason="the script needs bash, curl and jq"
)


def posted(server: Serving, line: str) -> dict[str, object]:
    script = SCRIPT.format(url=server.url, line=line)
    given = json.dumps(EVENT)
    ran = subprocess.run(
        [shutil.which("bash") or "", "-c", script],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, object] = json.loads(ran.stdout)
    return answer


def test_a_hook_script_works_with_the_documented_line_and_is_told_that_line_without(
    tmp_path: Path, home: Path
) -> None:
    with serving(root(tmp_path, talk())) as server:
        refused = posted(server, '-H "X-Nothing: 1"')
        taken = posted(server, LINE)

    assert refused["status"] == 401
    assert str(refused["detail"]).endswith(LINE)
    assert (taken["type"], taken["sessionId"]) == ("notification", "session-one")

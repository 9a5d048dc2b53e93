"""A server that runs -> a code for its address, so that its token stands on no command line."""

from http.client import HTTPConnection, HTTPException
from typing import Final

import msgspec

from unspool.serve.routes.enter import Invitation
from unspool.serve.running import Runtime

_SECONDS: Final = 5.0


def invitation(runtime: Runtime) -> str:
    """Ask the server that another process runs for a code; "" where it gives none."""
    connection = HTTPConnection("127.0.0.1", runtime.port, timeout=_SECONDS)
    headers = {"Host": f"127.0.0.1:{runtime.port}", "Authorization": f"Bearer {runtime.token}"}
    try:
        connection.request("POST", "/api/invitations", headers=headers)
        return msgspec.json.decode(connection.getresponse().read(), type=Invitation).code
    except (OSError, HTTPException, ValueError):
        return ""  # the page asks for the printed address, unless its browser was let in before
    finally:
        connection.close()

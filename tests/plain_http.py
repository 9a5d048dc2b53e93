"""Requests over plain HTTP, without what TLS needs: to read all known certificates takes longer."""

import ssl
from typing import Final

# For `verify` of httpx, which otherwise reads them for each request. It trusts nobody.
NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

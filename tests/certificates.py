"""A certificate of this machine's own, which nobody trusts unless told to."""

import shutil
import subprocess
from pathlib import Path

import pytest


def certificate(place: Path) -> tuple[str, str]:
    """The files of a certificate that is good for `localhost` and for a day, and of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl is installed to make a certificate with")
    cert, key = str(place / "cert.pem"), str(place / "key.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, "-out", cert, "-keyout", key], check=True, capture_output=True)
    return cert, key

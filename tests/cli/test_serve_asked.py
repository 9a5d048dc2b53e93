from pathlib import Path

import pytest

from unspool.cli import serve_asked
from unspool.errors import ConfigError
from unspool.serve.running import Tls


def test_alone_it_is_this_machine_and_the_usual_port() -> None:
    asked = serve_asked.options([])

    assert (asked.host, asked.port) == ("127.0.0.1", 4100)
    assert not any((asked.demo, asked.keep_token, asked.insecure, asked.no_browser))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "LOCALHOST"])
def test_this_machine_needs_no_certificate(host: str) -> None:
    assert serve_asked.tls(serve_asked.options(["--host", host])) is None


def test_another_host_is_fine_with_a_certificate(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").touch()
    cert = str(tmp_path / "cert.pem")
    asked = serve_asked.options(["--host", "example.test", "--cert", cert])

    assert serve_asked.tls(asked) == Tls(cert)


def test_another_host_without_one_must_be_wanted_plainly() -> None:
    with pytest.raises(ConfigError, match="--insecure"):
        serve_asked.tls(serve_asked.options(["--host", "example.test"]))

    assert serve_asked.tls(serve_asked.options(["--host", "example.test", "--insecure"])) is None

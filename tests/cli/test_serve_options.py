from pathlib import Path

import pytest

from unspool.cli.serve import parse_options, tls_of
from unspool.errors import ConfigError, UsageError
from unspool.serve.running import Tls


def test_alone_it_is_this_machine_and_the_usual_port() -> None:
    options = parse_options([])

    assert (options.host, options.port) == ("127.0.0.1", 4100)
    assert not any((options.demo, options.keep_token, options.insecure, options.no_browser))
    assert (options.plain_localhost, options.public_url, options.sockets) == (False, None, 64)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "LOCALHOST"])
def test_this_machine_needs_no_certificate(host: str) -> None:
    assert tls_of(parse_options(["--host", host])) is None


def test_another_host_is_fine_with_a_certificate(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").touch()
    cert = str(tmp_path / "cert.pem")
    options = parse_options(["--host", "example.test", "--cert", cert])

    assert tls_of(options) == Tls(cert)


def test_another_host_without_one_must_be_wanted_plainly() -> None:
    with pytest.raises(ConfigError, match="--insecure"):
        tls_of(parse_options(["--host", "example.test"]))

    assert tls_of(parse_options(["--host", "example.test", "--insecure"])) is None


def test_a_public_url_that_is_none_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="--public-url"):
        parse_options(["--public-url", "localhost:8080"])

    assert parse_options(["--public-url", "http://localhost:8080/"]).public_url == (
        "http://localhost:8080"
    )

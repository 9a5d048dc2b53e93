from unspool.serve.auth.middleware import CSP, with_security_headers


def test_nothing_runs_but_our_own_files() -> None:
    said = dict(part.strip().split(" ", 1) for part in CSP.decode().split(";"))

    assert said == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "unspool",
    }


def test_every_answer_says_what_a_browser_may_not_do_with_it() -> None:
    made = dict(with_security_headers([(b"content-type", b"text/html")]))

    assert made == {
        b"content-type": b"text/html",
        b"x-content-type-options": b"nosniff",
        b"referrer-policy": b"no-referrer",
        b"cross-origin-opener-policy": b"same-origin",
        b"cross-origin-resource-policy": b"same-origin",
        b"x-frame-options": b"DENY",
        b"content-security-policy": CSP,
        b"cache-control": b"no-store",
    }


def test_a_route_may_have_a_policy_of_its_own() -> None:
    made = with_security_headers(
        [(b"Content-Security-Policy", b"sandbox"), (b"Cache-Control", b"no-cache")]
    )

    assert (b"Content-Security-Policy", b"sandbox") in made
    assert b"content-security-policy" not in dict(made)
    assert b"cache-control" not in dict(made)


def test_no_route_can_weaken_the_others_or_let_another_origin_read() -> None:
    made = with_security_headers(
        [(b"X-Frame-Options", b"ALLOWALL"), (b"Access-Control-Allow-Origin", b"*")]
    )

    assert dict(made)[b"x-frame-options"] == b"DENY"
    assert not [name for name, _ in made if name.lower().startswith(b"access-control")]
    assert b"X-Frame-Options" not in dict(made)

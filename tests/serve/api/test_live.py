"""`/api/dashboard` at the policy, and to one who leaves at once."""

from tests.serve.asking import OUR_SOCKET, OURS, knock
from tests.serve.served import Served
from unspool.serve.auth.middleware import AuthMiddleware


def test_whoever_has_the_token_is_let_in(site: Served) -> None:
    assert knock(site.guard, "/api/dashboard").status == 101


def test_without_a_token_nobody_is_let_in(site: Served) -> None:
    headers = [one for one in OUR_SOCKET if one[0] != "authorization"]

    assert knock(site.guard, "/api/dashboard", headers).status == 401


def test_a_page_of_another_origin_is_not_let_in(site: Served) -> None:
    headers = (*OURS, ("origin", "https://evil.example"))

    assert knock(site.guard, "/api/dashboard", headers).status == 403


def test_how_many_may_listen_is_a_setting(site: Served) -> None:
    crowded = AuthMiddleware(site.app, site.policy, sockets=0)

    assert knock(crowded, "/api/dashboard").status == 503

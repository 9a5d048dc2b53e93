import re

from unspool.serve.auth.tokens import (
    FailedAttempts,
    OneTimeCodes,
    ServerTokens,
    new_name,
    new_token,
)


def test_a_token_has_256_bits_and_is_never_the_same() -> None:
    made = {new_token() for _ in range(100)}

    assert len(made) == 100
    assert min(map(len, made)) >= 43


def test_a_name_below_localhost_cannot_be_guessed() -> None:
    made = {new_name() for _ in range(100)}

    assert len(made) == 100
    assert all(re.fullmatch("u-[0-9a-f]{16}", name) for name in made)


def test_each_secret_opens_only_what_it_is_for() -> None:
    tokens = ServerTokens("one", "two", 4100)
    cookie = tokens.new_cookie()

    assert [tokens.is_token(given) for given in ("one", "two", cookie, "")] == [
        True, False, False, False
    ]  # fmt: skip
    assert [tokens.is_ingest(given) for given in ("one", "two", "")] == [False, True, False]
    assert [tokens.is_cookie(given) for given in ("one", cookie, "", ".")] == [
        False, True, False, False
    ]  # fmt: skip


def test_the_cookie_does_not_tell_the_token_and_names_the_port() -> None:
    tokens = ServerTokens("one", "two", 4123)

    assert "one" not in tokens.new_cookie()
    assert tokens.cookie_name == "unspool-4123"


def test_every_browser_has_a_cookie_of_its_own_which_nobody_else_can_make() -> None:
    tokens = ServerTokens("one", "two", 4100)
    first, second = tokens.new_cookie(), tokens.new_cookie()
    id, signature = first.partition(".")[0], second.partition(".")[2]

    assert first != second
    assert not tokens.is_cookie(f"{id}.{signature}")


def test_a_token_that_is_kept_keeps_its_cookies() -> None:
    cookie = ServerTokens("same", "a", 1).new_cookie()

    assert ServerTokens("same", "b", 2).is_cookie(cookie)
    assert not ServerTokens("other", "a", 1).is_cookie(cookie)


def test_a_cookie_that_is_revoked_is_worth_nothing_and_the_others_stay() -> None:
    told: list[frozenset[str]] = []
    tokens = ServerTokens("one", "two", 4100, keep_revoked=told.append)
    gone, other = tokens.new_cookie(), tokens.new_cookie()
    tokens.revoke(gone)
    again = ServerTokens("one", "two", 4100, revoked=told[-1])

    assert [tokens.is_cookie(one) for one in (gone, other)] == [False, True]
    assert [again.is_cookie(one) for one in (gone, other)] == [False, True]


def test_what_is_no_cookie_is_not_remembered() -> None:
    told: list[frozenset[str]] = []
    ServerTokens("one", "two", 4100, keep_revoked=told.append).revoke("made.up")

    assert told == []


def test_a_token_no_header_can_hold_is_only_wrong() -> None:
    assert not ServerTokens("one", "two", 4100).is_token("\udcff\x00é")


def test_the_eleventh_wrong_token_of_a_minute_is_one_too_many() -> None:
    attempts = FailedAttempts(lambda: 0)

    assert [attempts.is_too_many("here") for _ in range(12)] == [False] * 10 + [True] * 2


def test_to_ask_counts_nothing() -> None:
    attempts = FailedAttempts(lambda: 0)
    asked = [attempts.has_too_many("here") for _ in range(20)]
    for _ in range(10):
        attempts.is_too_many("here")

    assert asked == [False] * 20
    assert attempts.has_too_many("here")


def test_addresses_are_counted_apart() -> None:
    attempts = FailedAttempts(lambda: 0)
    for _ in range(10):
        attempts.is_too_many("there")

    assert not attempts.is_too_many("here")


def test_after_a_minute_it_is_forgotten() -> None:
    clock = iter([*range(10), 60_008, 60_009])
    attempts = FailedAttempts(lambda: next(clock))

    assert [attempts.is_too_many("here") for _ in range(12)] == [False] * 12


def test_a_clock_set_back_locks_nobody_out() -> None:
    clock = iter([10**9] * 10 + [0])
    attempts = FailedAttempts(lambda: next(clock))

    assert [attempts.is_too_many("here") for _ in range(11)] == [False] * 11


def test_what_is_remembered_of_addresses_has_an_end() -> None:
    attempts = FailedAttempts(lambda: 0)
    for number in range(5_000):
        attempts.is_too_many(str(number))

    assert len(attempts._wrong) == 1_000


def test_a_code_is_good_once() -> None:
    made = OneTimeCodes(lambda: 0)
    code = made.make()

    assert [made.take(code), made.take(code), made.take("other")] == ["good", "used", "unknown"]


def test_a_code_is_good_for_ten_minutes() -> None:
    now = [0]
    made = OneTimeCodes(lambda: now[0])
    codes = [made.make(), made.make()]
    now[0] = 599_999
    assert made.state(codes[0], for_ms=1) == "expired"
    assert made.take(codes[0]) == "good"

    now[0] = 600_000
    assert made.take(codes[1]) == "expired"
    assert made.take(codes[0]) == "used"


def test_a_look_at_a_code_does_not_use_it() -> None:
    made = OneTimeCodes(lambda: 0)
    code = made.make()

    assert [made.state(code), made.take(code), made.state(code)] == ["good", "good", "used"]


def test_what_is_remembered_of_old_codes_has_an_end() -> None:
    made = OneTimeCodes(lambda: 0)
    codes = [made.make() for _ in range(3_000)]
    for code in codes:
        made.take(code)

    assert made.take(codes[0]) == "unknown"
    assert len(made._created) == len(made._used) == 1_000

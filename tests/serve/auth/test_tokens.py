from unspool.serve.auth.tokens import FailedAttempts, OneTimeCodes, ServerTokens, new_token


def test_a_token_has_256_bits_and_is_never_the_same() -> None:
    made = {new_token() for _ in range(100)}

    assert len(made) == 100
    assert min(map(len, made)) >= 43


def test_each_secret_opens_only_what_it_is_for() -> None:
    tokens = ServerTokens("one", "two", 4100)

    assert [tokens.is_token(given) for given in ("one", "two", tokens.cookie, "")] == [
        True, False, False, False
    ]  # fmt: skip
    assert [tokens.is_ingest(given) for given in ("one", "two", "")] == [False, True, False]
    assert [tokens.is_cookie(given) for given in ("one", tokens.cookie, "")] == [False, True, False]


def test_the_cookie_does_not_tell_the_token_and_names_the_port() -> None:
    tokens = ServerTokens("one", "two", 4123)

    assert "one" not in tokens.cookie
    assert tokens.cookie_name == "unspool-4123"


def test_a_token_that_is_kept_keeps_its_cookie() -> None:
    assert ServerTokens("same", "a", 1).cookie == ServerTokens("same", "b", 2).cookie
    assert ServerTokens("same", "a", 1).cookie != ServerTokens("other", "a", 1).cookie


def test_a_token_no_header_can_hold_is_only_wrong() -> None:
    assert not ServerTokens("one", "two", 4100).is_token("\udcff\x00é")


def test_the_eleventh_wrong_token_of_a_minute_is_one_too_many() -> None:
    attempts = FailedAttempts(lambda: 0)

    assert [attempts.is_too_many("here") for _ in range(12)] == [False] * 10 + [True] * 2


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


def test_an_invitation_is_good_once() -> None:
    made = OneTimeCodes(lambda: 0)
    code = made.make()

    assert [made.take(code), made.take(code), made.take("other")] == [True, False, False]


def test_an_invitation_is_good_for_a_minute() -> None:
    now = [0]
    made = OneTimeCodes(lambda: now[0])
    codes = [made.make(), made.make()]
    now[0] = 59_999
    assert made.take(codes[0])

    now[0] = 60_000
    assert not made.take(codes[1])


def test_invitations_nobody_took_are_forgotten() -> None:
    clock = iter(range(0, 10**9, 60_000))
    made = OneTimeCodes(lambda: next(clock))
    for _ in range(50):
        made.make()

    assert len(made._open) == 1

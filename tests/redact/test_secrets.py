from tests.redact.secrets import Watch, pieces, planted

PLANTED = planted(150)


def test_who_watches_sees_a_piece_of_any_secret_and_nothing_else() -> None:
    watch = Watch(PLANTED)
    last = [(one.name, list(pieces(one))[-1]) for one in PLANTED]

    assert [name for name, piece in last if name not in watch.out(f"a\n{piece} b")] == []
    assert watch.out("".join(f"a {one.secret[:5]} b" for one in PLANTED)) == []

from unspool.model.document import Diagnostics
from unspool.show.damage import damage


def test_each_kind_of_damage_is_counted_in_words() -> None:
    found = Diagnostics(bad_lines=2, oversize=1, unknown_types={"a": 1, "b": 2})

    assert damage(found) == "2 unreadable lines · 1 oversize line · 3 entries of unknown types"


def test_of_what_is_whole_nothing_is_said() -> None:
    assert damage(Diagnostics()) == ""

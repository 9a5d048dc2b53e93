import pytest

from unspool.engine.sessions.grouping import Grouping
from unspool.model.document import ProjectGroup
from unspool.source.checkouts import Checkout, by_path
from unspool.source.session_files import project_slug

ORIGIN = "github.com/org/shop"


def git(path: str, main: str = "", origin: str = "") -> Checkout:
    return Checkout(path, main or path, True, origin)


def grouping(*checkouts: Checkout, **rules: list[str]) -> Grouping:
    known = {project_slug(one.path): one for one in checkouts}
    return Grouping(known, [(name, tuple(paths)) for name, paths in rules.items()])


def shop(path: str = "/w/shop") -> ProjectGroup:
    return ProjectGroup(id=project_slug(path), name="shop", path=path)


def test_worktrees_are_one_project_with_their_main_checkout() -> None:
    made = grouping(git("/w/shop"), git("/tmp/wt", main="/w/shop"))

    assert made.of("-w-shop") == made.of("-tmp-wt") == shop()


def test_worktrees_are_named_after_a_main_checkout_that_has_no_sessions() -> None:
    made = grouping(by_path("/w/shop/.claude/worktrees/a"), git("/tmp/wt", main="/w/shop"))

    assert made.of("-w-shop--claude-worktrees-a") == made.of("-tmp-wt") == shop()


def test_clones_are_one_project_called_as_their_origin_is() -> None:
    made = grouping(git("/w/s2", origin=ORIGIN), git("/home/me/shop", origin=ORIGIN))

    assert made.of("-w-s2") == made.of("-home-me-shop") == shop("/home/me/shop")


def test_a_clone_of_a_local_repository_is_of_that_repository() -> None:
    made = grouping(git("/w/shop"), git("/w/copy", origin="/w/shop"))

    assert made.of("-w-copy") == shop()


def test_what_belongs_together_through_others_belongs_together() -> None:
    checkouts = [
        git("/w/a", origin="h/x"),
        git("/w/b", origin="h/y"),
        git("/w/c", main="/w/a", origin="h/y"),
        by_path("/w/b/.claude/worktrees/d"),
    ]
    for turn in range(4):
        made = grouping(*checkouts[turn:], *checkouts[:turn])
        ids = {made.key(project_slug(one.path)) for one in checkouts}

        assert ids == {"-w-a"}


def test_directories_that_share_nothing_stay_what_they_are() -> None:
    made = grouping(git("/w/shop", origin="h/a"), git("/v/shop", origin="h/b"), by_path("/w/x"))

    assert [made.key(id) for id in ("-w-shop", "-v-shop", "-w-x")] == ["-w-shop", "-v-shop", "-w-x"]


def test_a_directory_of_a_repository_stays_a_project_of_its_own() -> None:
    web = git("/m/web", origin="h/m/web")
    made = grouping(git("/m", origin="h/m"), web, git("/wt/web", main="/m/web", origin="h/m/web"))

    assert [made.key(id) for id in ("-m", "-m-web", "-wt-web")] == ["-m", "-m-web", "-m-web"]


def test_one_directory_in_two_roots_is_one_project_only_if_it_is_a_repository() -> None:
    made = Grouping(
        {
            "-w-a": git("/w/a"),
            "r2~-w-a": git("/w/a"),
            "-w-b": by_path("/w/b"),
            "r2~-w-b": by_path("/w/b"),
        }
    )

    assert (made.key("r2~-w-a"), made.key("r2~-w-b")) == ("-w-a", "r2~-w-b")


def test_a_project_nobody_has_seen_is_grouped_by_its_name() -> None:
    made = grouping(git("/w/shop", origin=ORIGIN), git("/w/s2", origin=ORIGIN))

    assert made.of("-w-s2--claude-worktrees-x") == shop()
    assert made.of("-v-x--claude-worktrees-y") == ProjectGroup(id="-v-x", name="-v-x")
    assert made.of("r2~-v-x") == ProjectGroup(id="r2~-v-x", name="r2~-v-x")
    assert made.of("") is None


def test_a_name_of_the_users_goes_before_all_else() -> None:
    made = grouping(
        git("/w/shop"),
        git("/tmp/wt", main="/w/shop"),
        by_path("/w/shop-api/v2"),
        by_path("/w/other"),
        Store=["/w/shop", "/w/shop-*"],
    )

    ids = "-w-shop", "-tmp-wt", "-w-shop-api-v2", "-w-other"
    assert [made.key(id) for id in ids] == ["Store", "Store", "Store", "-w-other"]
    assert made.of("-w-shop") == ProjectGroup(id="Store", name="Store")


def test_where_a_checkout_is_decides_before_where_its_main_checkout_is() -> None:
    made = grouping(git("/tmp/wt", main="/w/shop"), a=["/w/shop"], b=["/tmp"])

    assert made.key("-tmp-wt") == "b"


def test_the_first_of_the_users_names_that_fits_is_taken() -> None:
    made = grouping(by_path("/m/web"), by_path("/m/api"), web=["/m/web"], rest=["/m"])

    assert (made.key("-m-web"), made.key("-m-api")) == ("web", "rest")


def test_a_path_names_a_directory_whose_sessions_do_not_say_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    made = Grouping({}, [("tools", ("~/bin", "/x/*"))])

    assert (made.key("-home-me-bin"), made.key("-x-y")) == ("tools", "-x-y")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "a b c"),
        ("shop", "a b c"),
        ("SHO", "a b c"),
        ("-w-shop", "a b"),  # an id is that project alone
        ("-tmp-wt", "b"),
        ("-w-shop-", "c"),
        ("/w/shop", "a"),  # a path is one checkout
        ("/tmp/wt/", "b"),
        ("/w", ""),
        ("nothing", ""),
    ],
)
def test_projects_are_asked_for_by_name_part_id_or_path(text: str, found: str) -> None:
    made = grouping(git("/w/shop"), git("/tmp/wt", main="/w/shop"), by_path("/w/shop-api"))
    ids = {"-w-shop": "a", "-tmp-wt": "b", "-w-shop-api": "c"}

    chosen = made.select(text, ids)
    assert (chosen is None) == (text == "")
    assert " ".join(ids[id] for id in (ids if chosen is None else chosen)) == found
    assert " ".join(ids[id] for id in ids if made.matching(text)(id)) == found


def test_a_name_of_the_users_is_one_project() -> None:
    made = grouping(by_path("/w/a"), by_path("/w/shopping"), shop=["/w/a"])

    assert made.select("shop", ["-w-a", "-w-shopping"]) == ("-w-a",)


def test_twice_as_many_checkouts_take_twice_the_work() -> None:
    def work(count: int) -> int:
        looked = 0

        class Counted(str):
            __slots__ = ()

            def __hash__(self) -> int:
                nonlocal looked
                looked += 1
                return super().__hash__()

        trees = {f"-t{n}": git(f"/t{n}", main=Counted("/w/shop")) for n in range(count)}
        made = Grouping({**trees, "-w-shop": git("/w/shop")})
        assert {made.key(id) for id in trees} == {"-w-shop"}
        return looked

    assert work(2_000) < 3 * work(1_000)

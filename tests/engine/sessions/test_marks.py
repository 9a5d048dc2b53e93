from unspool.engine.sessions.grouping import Grouping
from unspool.engine.sessions.marks import apply_marks
from unspool.model.api import Marks
from unspool.model.document import ProjectGroup, SessionInfo, Status, StatusName
from unspool.model.session import Board, BoardRow


def info(id: str, state: StatusName = "working") -> SessionInfo:
    return SessionInfo(
        id=id, project_id="p", title="its own", status=Status(state=state, since=None)
    )


def marks(id: str, **given: object) -> dict[tuple[str, str], Marks]:
    return {("p", id): Marks(project_id="p", session_id=id, **given)}  # type: ignore[arg-type]


def test_a_title_goes_before_its_own_and_an_empty_one_does_not() -> None:
    board = Board(at=0, rows=(BoardRow(session=info("s1")),))

    for given, title in (({"title": "mine"}, "mine"), ({"pinned": True}, "its own")):
        (row,) = apply_marks(board, marks("s1", **given), Grouping()).rows
        assert row.session.title == title


def test_what_waits_for_approval_is_on_the_board_even_if_it_is_hidden() -> None:
    rows = (
        BoardRow(session=info("s1", "waiting_for_approval")),
        BoardRow(session=info("s2")),
    )
    hidden = marks("s1", hidden=True) | marks("s2", hidden=True)

    shown = apply_marks(Board(at=0, rows=rows), hidden, Grouping())
    assert [row.session.id for row in shown.rows] == ["s1"]


def test_a_row_says_which_project_its_checkout_belongs_to() -> None:
    board = Board(at=0, rows=(BoardRow(session=info("s1")),))

    (row,) = apply_marks(board, {}, Grouping({}, [("mine", ("p",))])).rows

    assert row.session.project_group == ProjectGroup(id="mine", name="mine")

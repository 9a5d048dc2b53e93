from tests.serve.served import Served
from unspool.engine.sessions.views import session_answer
from unspool.model.api import ChunkWindow, SessionAnswer


def document(site: Served, first: int | None, limit: int | None) -> SessionAnswer:
    with site.context.open_sessions.session("-home-dev-kettle", "session-one") as session:
        return session_answer(session, site.context.marks, first, limit)


def test_a_window_says_of_how_many_it_is(site: Served) -> None:
    assert document(site, 1, 5).window == ChunkWindow(first=1, limit=5, total=2)
    assert document(site, None, 1).window == ChunkWindow(first=0, limit=1, total=2)
    assert document(site, 1, None).window == ChunkWindow(first=1, limit=200, total=2)
    assert not document(site, None, None).window


def test_a_window_has_the_calls_turns_and_context_of_its_own_chunks(site: Served) -> None:
    prompt, answer, whole = (document(site, *w) for w in ((0, 1), (1, 1), (None, None)))

    assert (prompt.tool_executions, prompt.context.turns) == ((), ())
    assert answer.tool_executions == whole.tool_executions != ()
    assert answer.context.turns == whole.context.turns != ()
    assert prompt.turns == answer.turns == whole.turns


def test_a_window_beyond_the_end_is_empty(site: Served) -> None:
    beyond = document(site, 99, 10)

    assert (beyond.chunks, beyond.turns) == ((), ())
    assert beyond.metrics == document(site, None, None).metrics

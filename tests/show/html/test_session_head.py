from tests.show.html.sample_sessions import READER, waiting
from tests.show.made import at, document
from unspool.model.document import Context, ContextTurn, SessionLink, SessionLinks, Status
from unspool.show.html.session_head import session_head
from unspool.show.html.step_types import RelatedSession


def test_the_title_stands_first() -> None:
    assert (
        session_head(document(session={"title": "", "goal": "Be quick"}), READER).title
        == "Be quick"
    )


def test_what_waits_is_said_with_its_proof() -> None:
    made = session_head(waiting(), READER)

    assert made.status == "wait"
    assert made.status_label == "Waiting for your approval, 1 h ago"
    assert made.waiting is not None
    assert (made.waiting.step, made.waiting.what) == ("now", "rm -rf build")
    assert made.waiting.proof == "Bash, according to a hook"


def test_a_session_that_asks_nothing_has_no_question() -> None:
    assert session_head(document(), READER).waiting is None


def test_a_guess_at_its_status_is_called_one() -> None:
    assert "inferred" in session_head(document(), READER).proof


def test_an_ended_session_does_not_say_since_when() -> None:
    made = session_head(document(session={"status": Status("ended", at(1), "registry")}), READER)

    assert (made.status_label, made.proof) == ("Ended", "Status according to the session registry.")


def test_a_limit_says_when_it_is_reset() -> None:
    limit = Status("limited", at(1), "transcript", "2026-01-01T15:00:00.000Z", "You've hit it")
    failed = Status("failed", at(1), "transcript", None, "API Error: 500")

    heads = [session_head(document(session={"status": one}), READER) for one in (limit, failed)]
    assert [made.status_label.partition(",")[0] for made in heads] == [
        "Usage limit",
        "API Error: 500",
    ]
    assert ", resets 15:00, " in heads[0].status_label


def test_facts_that_are_not_known_are_left_away() -> None:
    texts = [fact.text for fact in session_head(document(), READER).facts]

    assert "" not in texts
    assert "$0.00" in texts


def test_models_go_by_their_short_names() -> None:
    made = session_head(document(session={"models": ("claude-opus-4-6-20260205",)}), READER)

    assert made.facts[0].text == "opus-4-6"


def test_its_origin_tells_id_and_version() -> None:
    made = session_head(document(session={"id": "abc", "version": "2.1.0"}), READER)

    assert made.origin == "session abc · Claude Code 2.1.0"


def test_how_to_go_on_with_it_can_be_copied() -> None:
    assert session_head(document(session={"id": "abc"}), READER).resume == "claude --resume abc"
    assert session_head(document(session={"is_subagent": True}), READER).resume == ""


def test_sessions_it_is_tied_to_stand_under_its_title() -> None:
    links = SessionLinks(plan=SessionLink("p", 0.9, "slug"), implementation=SessionLink("i"))

    assert session_head(document(session={"links": links}), READER).leads == (
        RelatedSession("Plan from", "p", "slug, 90% sure"),
        RelatedSession("Implemented in", "i", ""),
    )


def test_what_the_last_answer_read_is_the_context() -> None:
    turns = tuple(ContextTurn(turn=n, chunk_id="a", measured=n * 1_000) for n in (1, 2))
    facts = session_head(document(context=Context(turns=turns)), READER).facts

    assert "context 2.0k" in [fact.text for fact in facts]

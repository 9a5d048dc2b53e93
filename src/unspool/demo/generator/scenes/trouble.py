"""What goes wrong in a session: interruptions, refusals, errors and lost results."""

from __future__ import annotations

from unspool.demo.generator.play import Play

_REFUSED = "API Error: 529 the service is overloaded"


def interruption(play: Play) -> None:
    """Break off an answer."""
    play.prompt()
    play.main.say(play.words.sentence(), stop=None)
    play.main.reel.interrupted()
    play.turn(1)


def interrupted_tool(play: Play) -> None:
    """Break off a tool call."""
    _stopped(play, "interrupted", toolDenialKind="interrupted")


def rejected_tool(play: Play) -> None:
    """Say no to a tool call."""
    _stopped(play, "rejected")


def failed_tool(play: Play) -> None:
    """Let a command fail."""
    call = play.call("Bash")
    play.prompt()
    play.main.ask(call)
    play.main.result(call, "error")
    play.main.say(play.words.sentence())


def lost_result(play: Play) -> None:
    """Call a tool that never answers."""
    play.prompt()
    play.main.ask(play.call("Bash"))
    play.turn(1)


def repeated_result(play: Play) -> None:
    """Write one result twice, and one whose call is nowhere."""
    call = play.call("Read")
    play.prompt()
    play.main.use(call)
    play.main.result(call)
    lost = play.call("Bash")
    play.main.reel.returns(lost.content, call=lost.id)
    play.main.say(play.words.sentence())


def api_error(play: Play) -> None:
    """Retry twice, then give up with a line the client wrote."""
    play.prompt()
    for attempt in (1, 2):
        play.main.reel.system(
            "api_error",
            level="error",
            error={"status": 529},
            retryInMs=500 * attempt,
            retryAttempt=attempt,
            maxRetries=10,
        )
    play.main.reel.synthetic(_REFUSED, error="overloaded", apiErrorStatus=529)
    play.turn(1)


def synthetic_filler(play: Play) -> None:
    """Leave the filler line of a client that wanted no answer."""
    play.prompt()
    play.main.reel.synthetic("No response requested.")
    play.turn(1)


def _stopped(play: Play, state: str, **fields: str) -> None:
    call = play.call("Bash")
    play.prompt()
    play.main.ask(call)
    play.main.result(call, state, **fields)
    play.main.reel.interrupted(for_tool=True)
    play.turn(1)

"""Files as crashes, editors and old tools leave them: broken, odd or hardly there."""

from __future__ import annotations

from datetime import timedelta

from unspool.demo.generator.play import Play, Setting
from unspool.demo.lines import encode, stamp


def glued(play: Play) -> None:
    """Two whole records on one line, one of them a tool's result."""
    call = play.call("Bash")
    play.prompt()
    play.main.ask(call)
    with play.main.reel.held() as held:
        play.main.result(call)
        play.main.reel.reminder(play.words.sentence())
    play.main.reel.raw(held[0].rstrip(b"\n") + held[1].rstrip(b"\n"))
    _broken(play, "glued", salvaged=2)
    play.main.say(play.words.sentence())


def cut(play: Play) -> None:
    """A record cut short, with a whole one behind it on the same line."""
    call = play.call("Read")
    play.prompt()
    play.main.ask(call)
    with play.main.reel.held() as held:
        play.main.reel.reminder(play.words.prose(400))
        play.main.result(call)
    play.main.reel.raw(held[0][: len(held[0]) // 2] + held[1].rstrip(b"\n"))
    _broken(play, "cut", salvaged=1)
    play.main.say(play.words.sentence())


def nul_prefix(play: Play) -> None:
    """A record behind a run of NUL bytes, as a crash of the machine leaves it."""
    call = play.call("Bash")
    play.prompt()
    play.main.ask(call)
    with play.main.reel.held() as held:
        play.main.result(call)
    play.main.reel.raw(b"\0" * 512 + held[0].rstrip(b"\n"))
    _broken(play, "nul", salvaged=1)
    play.main.say(play.words.sentence())


def comment_line(play: Play) -> None:
    """A line that is no record at all."""
    play.main.reel.raw(b"// " + play.words.sentence().encode())
    _broken(play, "comment")
    play.turn(1)


def truncated_tail(play: Play) -> None:
    """The last line stops half way."""
    play.turn(1)

    def finale() -> None:
        with play.main.reel.held() as held:
            play.main.reel.says(play.words.prose(300))
        play.main.reel.raw(held[0][: len(held[0]) // 3], newline=False)
        _broken(play, "truncated")

    play.finales.append(finale)


def no_final_newline(play: Play) -> None:
    """The last line is whole but for its newline."""

    def finale() -> None:
        with play.main.reel.held() as held:
            play.main.user(play.words.sentence())
        play.main.reel.raw(held[0].rstrip(b"\n"), newline=False)

    play.finales.append(finale)


def blank_lines(play: Play) -> None:
    """Lines with nothing in them."""
    play.main.reel.raw(b"").raw(b"   ").raw(b"\r")
    play.stage.ledger.counts["blankLines"] += 3
    play.turn(1)


def windows_newlines(play: Play) -> None:
    """Lines that end as Windows ends them."""
    play.prompt()
    with play.main.reel.held() as held:
        play.main.user(play.words.sentence(), isMeta=True)
    play.main.reel.raw(held[0].rstrip(b"\n") + b"\r")
    play.main.say(play.words.sentence())


def byte_order_mark(play: Play) -> None:
    """A mark before the first record."""
    with play.main.reel.held() as held:
        play.prompt()
    play.main.reel.raw(b"\xef\xbb\xbf" + held[0].rstrip(b"\n"))
    play.main.say(play.words.sentence())


def separators(play: Play) -> None:
    """Unicode line separators, half a surrogate pair and an emoji inside strings."""
    play.prompt("one\u2028two\u2029three\x85four 🎈 漢字")
    play.main.say("half a pair: \ud83c")


def backwards_time(play: Play) -> None:
    """A line an hour older than the one before it, one dated nought, one not dated."""
    reel = play.main.reel
    early = stamp(reel.clock.next - timedelta(hours=1))
    play.main.user(play.words.sentence(), timestamp=early)
    play.main.user(play.words.sentence(), timestamp="0000-00-00T00:00:00.000000Z")
    play.main.user(play.words.sentence(), timestamp=reel.ABSENT)
    play.main.say(play.words.sentence())


def repeated_uuid(play: Play) -> None:
    """Two lines with one uuid."""
    play.prompt()
    play.main.user(play.words.sentence(), uuid=play.main.reel.leaf, parentUuid=None)
    play.main.say(play.words.sentence())


def foreign_lines(play: Play) -> None:
    """Lines of another session and of another version in the middle of a file."""
    play.main.user(play.words.sentence(), sessionId=play.stage.ids.uuid())
    play.main.user(play.words.sentence(), version="9.9.9")
    play.turn(1)


def unknown_things(play: Play) -> None:
    """An entry, a block, an attachment and a system line of kinds nobody has met."""
    reel = play.main.reel
    reel.entry("zeppelin-state", altitude=300)
    play.main.prompt([{"type": "hologram", "depth": 3}, {"type": "text", "text": "look"}])
    reel.attachment("tea_leaves", reading=play.words.sentence())
    reel.system("moon_phase", phase="waning")
    play.main.say(play.words.sentence())


def moved_worktree(play: Play) -> None:
    """Enter a worktree: the state, the move, and lines from another directory."""
    reel, path = play.main.reel, f"{play.setting.cwd}/.claude/worktrees/side"
    state = {"originalCwd": play.setting.cwd, "worktreePath": path, "worktreeName": "side"}
    reel.entry("worktree-state", worktreeSession=state)
    reel.entry("relocated", relocatedCwd=path)
    reel.set(cwd=path)
    play.turn(1)
    reel.set(cwd=play.setting.cwd)


def odd_paths(play: Play) -> None:
    """Projects in directories whose names are hard to write."""
    long = "/srv/" + "deep/" * 41
    for cwd in ("/home/dev/my_app.v2 (new)", "/home/dev/été-🎈-漢字", long):
        other = Play(play.stage, Setting(cwd, play.era, play.setting.day))
        other.turn(1)
        other.close()


def stub(play: Play) -> None:
    """Sessions that never began: nothing at all, a snapshot, a summary."""
    empty = Play(play.stage, play.setting)
    empty.stage.finish(empty.main.reel)
    play.stage.ledger.counts["emptyFiles"] += 1
    snapshot = {"messageId": play.stage.ids.uuid(), "trackedFileBackups": {}}
    for kind, fields in (
        ("file-history-snapshot", {"snapshot": snapshot}),
        ("summary", {"summary": play.title, "leafUuid": play.stage.ids.uuid()}),
    ):
        begun = Play(play.stage, play.setting)
        begun.main.reel.raw(encode({"type": kind, **fields}))
        begun.stage.finish(begun.main.reel)
        play.stage.ledger.counts["stubs"] += 1


def _broken(play: Play, kind: str, salvaged: int = 0) -> None:
    ledger = play.stage.ledger
    ledger.broken[kind] += 1
    ledger.counts["badLines"] += 1
    ledger.counts["salvaged"] += salvaged

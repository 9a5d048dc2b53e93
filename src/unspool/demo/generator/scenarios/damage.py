"""Files as crashes, editors and old tools leave them: damaged, odd or nearly empty."""

from __future__ import annotations

from datetime import timedelta

from unspool.demo.generator.session import SessionBuilder, SessionPlan
from unspool.demo.lines import encode, stamp


def glued(builder: SessionBuilder) -> None:
    """Two whole records on one line, one of them a tool's result."""
    call = builder.call("Bash")
    builder.prompt()
    builder.main.ask(call)
    with builder.main.writer.held() as held:
        builder.main.result(call)
        builder.main.writer.reminder(builder.words.sentence())
    builder.main.writer.raw(held[0].rstrip(b"\n") + held[1].rstrip(b"\n"))
    _broken(builder, "glued", salvaged=2)
    builder.main.say(builder.words.sentence())


def cut(builder: SessionBuilder) -> None:
    """A record cut short, with a whole one behind it on the same line."""
    call = builder.call("Read")
    builder.prompt()
    builder.main.ask(call)
    with builder.main.writer.held() as held:
        builder.main.writer.reminder(builder.words.prose(400))
        builder.main.result(call)
    builder.main.writer.raw(held[0][: len(held[0]) // 2] + held[1].rstrip(b"\n"))
    _broken(builder, "cut", salvaged=1)
    builder.main.say(builder.words.sentence())


def nul_prefix(builder: SessionBuilder) -> None:
    """A record behind a run of NUL bytes, as a crash of the machine leaves it."""
    call = builder.call("Bash")
    builder.prompt()
    builder.main.ask(call)
    with builder.main.writer.held() as held:
        builder.main.result(call)
    builder.main.writer.raw(b"\0" * 512 + held[0].rstrip(b"\n"))
    _broken(builder, "nul", salvaged=1)
    builder.main.say(builder.words.sentence())


def comment_line(builder: SessionBuilder) -> None:
    """A line that is no record at all."""
    builder.main.writer.raw(b"// " + builder.words.sentence().encode())
    _broken(builder, "comment")
    builder.turn(1)


def truncated_tail(builder: SessionBuilder) -> None:
    """The last line stops half way."""
    builder.turn(1)

    def finale() -> None:
        with builder.main.writer.held() as held:
            builder.main.writer.says(builder.words.prose(300))
        builder.main.writer.raw(held[0][: len(held[0]) // 3], newline=False)
        _broken(builder, "truncated")

    builder.at_close.append(finale)


def no_final_newline(builder: SessionBuilder) -> None:
    """The last line is whole but for its newline."""

    def finale() -> None:
        with builder.main.writer.held() as held:
            builder.main.user(builder.words.sentence())
        builder.main.writer.raw(held[0].rstrip(b"\n"), newline=False)

    builder.at_close.append(finale)


def blank_lines(builder: SessionBuilder) -> None:
    """Lines with nothing in them."""
    builder.main.writer.raw(b"").raw(b"   ").raw(b"\r")
    builder.root.ledger.counts["blankLines"] += 3
    builder.turn(1)


def windows_newlines(builder: SessionBuilder) -> None:
    """Lines that end as Windows ends them."""
    builder.prompt()
    with builder.main.writer.held() as held:
        builder.main.user(builder.words.sentence(), isMeta=True)
    builder.main.writer.raw(held[0].rstrip(b"\n") + b"\r")
    builder.main.say(builder.words.sentence())


def byte_order_mark(builder: SessionBuilder) -> None:
    """A mark before the first record."""
    with builder.main.writer.held() as held:
        builder.prompt()
    builder.main.writer.raw(b"\xef\xbb\xbf" + held[0].rstrip(b"\n"))
    builder.main.say(builder.words.sentence())


def separators(builder: SessionBuilder) -> None:
    """Unicode line separators, half a surrogate pair and an emoji inside strings."""
    builder.prompt("one\u2028two\u2029three\x85four 🎈 漢字")
    builder.main.say("half a pair: \ud83c")


def backwards_time(builder: SessionBuilder) -> None:
    """A line an hour older than the one before it, one dated nought, one not dated."""
    writer = builder.main.writer
    early = stamp(writer.clock.next - timedelta(hours=1))
    builder.main.user(builder.words.sentence(), timestamp=early)
    builder.main.user(builder.words.sentence(), timestamp="0000-00-00T00:00:00.000000Z")
    builder.main.user(builder.words.sentence(), timestamp=writer.ABSENT)
    builder.main.say(builder.words.sentence())


def repeated_uuid(builder: SessionBuilder) -> None:
    """Two lines with one uuid."""
    builder.prompt()
    builder.main.user(builder.words.sentence(), uuid=builder.main.writer.leaf, parentUuid=None)
    builder.main.say(builder.words.sentence())


def foreign_lines(builder: SessionBuilder) -> None:
    """Lines of another session and of another version in the middle of a file."""
    builder.main.user(builder.words.sentence(), sessionId=builder.root.ids.uuid())
    builder.main.user(builder.words.sentence(), version="9.9.9")
    builder.turn(1)


def unknown_things(builder: SessionBuilder) -> None:
    """An entry, a block, an attachment and a system line of kinds nobody has met."""
    writer = builder.main.writer
    writer.entry("zeppelin-state", altitude=300)
    builder.main.prompt([{"type": "hologram", "depth": 3}, {"type": "text", "text": "look"}])
    writer.attachment("tea_leaves", reading=builder.words.sentence())
    writer.system("moon_phase", phase="waning")
    builder.main.say(builder.words.sentence())


def moved_worktree(builder: SessionBuilder) -> None:
    """Enter a worktree: the state, the move, and lines from another directory."""
    writer, path = builder.main.writer, f"{builder.setting.cwd}/.claude/worktrees/side"
    state = {"originalCwd": builder.setting.cwd, "worktreePath": path, "worktreeName": "side"}
    writer.entry("worktree-state", worktreeSession=state)
    writer.entry("relocated", relocatedCwd=path)
    writer.set(cwd=path)
    builder.turn(1)
    writer.set(cwd=builder.setting.cwd)


def odd_paths(builder: SessionBuilder) -> None:
    """Projects in directories whose names are hard to write."""
    long = "/srv/" + "deep/" * 41
    for cwd in ("/home/dev/my_app.v2 (new)", "/home/dev/été-🎈-漢字", long):
        other = SessionBuilder(builder.root, SessionPlan(cwd, builder.era, builder.setting.day))
        other.turn(1)
        other.close()


def stub(builder: SessionBuilder) -> None:
    """Sessions that never began: nothing at all, a snapshot, a summary."""
    empty = SessionBuilder(builder.root, builder.setting)
    empty.root.finish(empty.main.writer)
    builder.root.ledger.counts["emptyFiles"] += 1
    snapshot = {"messageId": builder.root.ids.uuid(), "trackedFileBackups": {}}
    for kind, fields in (
        ("file-history-snapshot", {"snapshot": snapshot}),
        ("summary", {"summary": builder.title, "leafUuid": builder.root.ids.uuid()}),
    ):
        begun = SessionBuilder(builder.root, builder.setting)
        begun.main.writer.raw(encode({"type": kind, **fields}))
        begun.root.finish(begun.main.writer)
        builder.root.ledger.counts["stubs"] += 1


def _broken(builder: SessionBuilder, kind: str, salvaged: int = 0) -> None:
    ledger = builder.root.ledger
    ledger.broken[kind] += 1
    ledger.counts["badLines"] += 1
    ledger.counts["salvaged"] += salvaged

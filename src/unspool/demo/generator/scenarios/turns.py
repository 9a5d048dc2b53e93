"""Turns of a session: commands, prompts, compactions, tool calls, errors and interruptions."""

from __future__ import annotations

from dataclasses import replace

from unspool.demo.generator.session import SessionBuilder
from unspool.demo.generator.tools import picture
from unspool.demo.lines import text_block, thinking_block, tool_block


def slash_command(builder: SessionBuilder) -> None:
    """Type a slash command and see what it prints."""
    command = "<command-name>/cost</command-name>\n<command-message>cost</command-message>"
    printed = "<local-command-stdout>Total cost: $0.42</local-command-stdout>"
    caveat = (
        "<local-command-caveat>The messages below were made by the user.</local-command-caveat>"
    )
    builder.main.user(caveat, isMeta=True)
    builder.main.user(f"{command}\n<command-args></command-args>")
    if builder.era.has("attachments"):
        builder.main.writer.system("local_command", content=printed, isMeta=False)
    else:
        builder.main.user(printed)
    builder.turn(1)


def bash_mode(builder: SessionBuilder) -> None:
    """Run a shell command from the prompt."""
    builder.main.user("<bash-input>git status</bash-input>")
    shown = f"<bash-stdout>{builder.words.log(200)}</bash-stdout><bash-stderr></bash-stderr>"
    builder.main.user(shown)
    builder.turn(1)


def queued_prompt(builder: SessionBuilder) -> None:
    """Type while a tool runs: the result comes after the prompt."""
    call = builder.call("Bash")
    builder.prompt()
    builder.main.ask(call)
    text = builder.words.sentence()
    builder.main.writer.entry("queue-operation", operation="enqueue", content=text)
    builder.main.writer.entry("queue-operation", operation="dequeue")
    builder.prompt(text, promptSource="queued")
    builder.main.result(call)
    builder.main.say(builder.words.sentence())


def reminders(builder: SessionBuilder) -> None:
    """Hear a hidden reminder between a prompt and its answer."""
    builder.prompt()
    builder.main.writer.reminder(builder.words.sentence())
    builder.main.say(builder.words.sentence())


def compaction(builder: SessionBuilder) -> None:
    """Run out of context and go on from a summary."""
    builder.turn(1)
    builder.main.compact("manual")
    builder.turn(1)


def microcompaction(builder: SessionBuilder) -> None:
    """Drop old tool results from the context."""
    freed = {"trigger": "auto", "preTokens": builder.main.context, "tokensSaved": 9_000}
    freed |= {"compactedToolIds": list(builder.main.states)[:2], "clearedAttachmentUUIDs": []}
    builder.main.writer.system("microcompact_boundary", microcompactMetadata=freed, isMeta=False)
    builder.turn(1)


def rewind(builder: SessionBuilder) -> None:
    """Go back to an earlier point and take another way."""
    builder.prompt()
    fork = builder.main.writer.leaf
    builder.main.say(builder.words.sentence())
    builder.main.writer.leaf = fork
    builder.main.say(builder.words.sentence())
    builder.turn(1)


def plan_pair(builder: SessionBuilder) -> None:
    """Plan in one session, carry the plan out in the next."""
    plan = f"# {builder.words.title()}\n\n{builder.words.prose(800)}"
    builder.root.put(f"plans/{builder.nickname}.md", plan)
    builder.prompt(permissionMode="plan")
    asked, result = {"plan": plan}, {"plan": plan, "isAgent": False}
    builder.main.use(
        builder.tools.make("ExitPlanMode", asked, "User has approved your plan.", result)
    )
    builder.main.writer.wait(60)
    built = SessionBuilder(builder.root, builder.setting, slug=builder.nickname)
    built.main.writer.clock.next = builder.main.writer.clock.next
    built.truth.facts["planOf"] = builder.session
    built.prompt(f"Implement the following plan:\n\n{plan}")
    built.work(built.main, 2)
    built.main.say(builder.words.sentence())
    built.close()


def notes(builder: SessionBuilder) -> None:
    """Write the many small things Claude Code notes beside a conversation."""
    writer, words = builder.main.writer, builder.words
    writer.entry("custom-title", customTitle=builder.title).entry(
        "agent-name", agentName=builder.title
    )
    writer.entry("tag", tag=words.word()).entry("bridge-session", bridgeSessionId="cse_1")
    writer.entry("pr-link", prNumber=7, prUrl="https://example.org/pull/7", prRepository="dev/app")
    hook = {"hookName": "Stop", "hookEvent": "Stop", "command": "notify", "exitCode": 0}
    writer.attachment("hook_success", stdout="", stderr="", durationMs=31, **hook)
    writer.attachment("queued_command", prompt=words.sentence(), commandMode="prompt")
    writer.system(
        "stop_hook_summary", hookCount=1, hookInfos=[{"command": "notify"}], hookErrors=[]
    )
    writer.system("away_summary", content=words.sentence())
    builder.turn(1)


def parallel_calls(builder: SessionBuilder) -> None:
    """Call four tools in one response."""
    builder.prompt()
    builder.main.use(*(builder.call(name) for name in ("Bash", "Read", "Grep", "Glob")))
    builder.main.say(builder.words.sentence())


def many_blocks(builder: SessionBuilder) -> None:
    """Answer in one line that holds a thought, words and two calls."""
    calls = [builder.call("Read"), builder.call("Bash")]
    builder.prompt()
    blocks = [thinking_block(builder.words.sentence()), text_block(builder.words.sentence())]
    blocks += [tool_block(call.name, call.input, call.id) for call in calls]
    builder.main.answer([blocks])
    for call in calls:
        builder.main.result(call)
    builder.main.say(builder.words.sentence())


def images(builder: SessionBuilder) -> None:
    """Read a picture."""
    data = picture(builder.rng, 96)
    source = {"type": "base64", "media_type": "image/png", "data": data}
    path = f"{builder.setting.cwd}/shot.png"
    file = {"base64": data, "type": "image/png", "originalSize": len(data) * 3 // 4}
    shown = [{"type": "image", "source": source}]
    call = builder.tools.make("Read", {"file_path": path}, shown, {"type": "image", "file": file})
    builder.prompt()
    builder.main.use(call)
    builder.main.say(builder.words.sentence())


def persisted_output(builder: SessionBuilder) -> None:
    """Print so much that the output goes to a file of its own."""
    call = builder.tools.call("Bash", 2_000)
    text = builder.words.log(60_000)
    folder = f"{builder.project}/{builder.session}/tool-results"
    path = builder.root.put(f"{folder}/{call.id}.txt", text)
    pointer = (
        f"<persisted-output>\nOutput too large ({len(text)} characters). Full output saved to: "
        f"/home/dev/.claude/{folder}/{path.name}\n\nPreview:\n{text[:2000]}\n</persisted-output>"
    )
    result = {"stdout": text[:2000], "stderr": "", "interrupted": False}
    result |= {"persistedOutputPath": path.name, "persistedOutputSize": len(text)}
    builder.prompt()
    builder.main.use(replace(call, content=pointer, result=result))
    builder.main.say(builder.words.sentence())


def web_search(builder: SessionBuilder) -> None:
    """Search the web twice in one response."""
    builder.prompt()
    usage = replace(builder.main.meter(), searches=2)
    builder.main.say(builder.words.sentence(), usage=usage)


def old_progress(builder: SessionBuilder) -> None:
    """Watch a command and a hook run, line by line, as early 2026 recorded them."""
    call = builder.call("Bash")
    builder.prompt()
    builder.main.ask(call)
    writer = builder.main.writer
    writer.progress(
        "hook_progress", hookEvent="PreToolUse", hookName="PreToolUse:Bash", command="g"
    )
    for seconds in range(2, 5):
        text = builder.words.log(300)
        shown = {"output": text, "fullOutput": text, "elapsedTimeSeconds": seconds}
        writer.progress("bash_progress", call=call.id, totalLines=9, **shown)
    builder.main.result(call)
    builder.main.say(builder.words.sentence())


_REFUSED = "API Error: 529 the service is overloaded"


def interruption(builder: SessionBuilder) -> None:
    """Break off an answer."""
    builder.prompt()
    builder.main.say(builder.words.sentence(), stop=None)
    builder.main.writer.interrupted()
    builder.turn(1)


def interrupted_tool(builder: SessionBuilder) -> None:
    """Break off a tool call."""
    _stopped(builder, "interrupted", toolDenialKind="interrupted")


def rejected_tool(builder: SessionBuilder) -> None:
    """Say no to a tool call."""
    _stopped(builder, "rejected")


def failed_tool(builder: SessionBuilder) -> None:
    """Let a command fail."""
    call = builder.call("Bash")
    builder.prompt()
    builder.main.ask(call)
    builder.main.result(call, "error")
    builder.main.say(builder.words.sentence())


def lost_result(builder: SessionBuilder) -> None:
    """Call a tool that never answers."""
    builder.prompt()
    builder.main.ask(builder.call("Bash"))
    builder.turn(1)


def repeated_result(builder: SessionBuilder) -> None:
    """Write one result twice, and one whose call is nowhere."""
    call = builder.call("Read")
    builder.prompt()
    builder.main.use(call)
    builder.main.result(call)
    lost = builder.call("Bash")
    builder.main.writer.returns(lost.content, call=lost.id)
    builder.main.say(builder.words.sentence())


def api_error(builder: SessionBuilder) -> None:
    """Retry twice, then give up with a line the client wrote."""
    builder.prompt()
    for attempt in (1, 2):
        builder.main.writer.system(
            "api_error",
            level="error",
            error={"status": 529},
            retryInMs=500 * attempt,
            retryAttempt=attempt,
            maxRetries=10,
        )
    builder.main.writer.synthetic(_REFUSED, error="overloaded", apiErrorStatus=529)
    builder.turn(1)


def synthetic_filler(builder: SessionBuilder) -> None:
    """Leave the filler line of a client that wanted no answer."""
    builder.prompt()
    builder.main.writer.synthetic("No response requested.")
    builder.turn(1)


def _stopped(builder: SessionBuilder, state: str, **fields: str) -> None:
    call = builder.call("Bash")
    builder.prompt()
    builder.main.ask(call)
    builder.main.result(call, state, **fields)
    builder.main.writer.interrupted(for_tool=True)
    builder.turn(1)

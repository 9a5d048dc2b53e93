"""What people do in a session: commands, queued prompts, rewinds, plans, compactions."""

from __future__ import annotations

from unspool.demo.generator.play import Play


def slash_command(play: Play) -> None:
    """Type a slash command and see what it prints."""
    command = "<command-name>/cost</command-name>\n<command-message>cost</command-message>"
    printed = "<local-command-stdout>Total cost: $0.42</local-command-stdout>"
    caveat = (
        "<local-command-caveat>The messages below were made by the user.</local-command-caveat>"
    )
    play.main.user(caveat, isMeta=True)
    play.main.user(f"{command}\n<command-args></command-args>")
    if play.era.has("attachments"):
        play.main.reel.system("local_command", content=printed, isMeta=False)
    else:
        play.main.user(printed)
    play.turn(1)


def bash_mode(play: Play) -> None:
    """Run a shell command from the prompt."""
    play.main.user("<bash-input>git status</bash-input>")
    shown = f"<bash-stdout>{play.words.log(200)}</bash-stdout><bash-stderr></bash-stderr>"
    play.main.user(shown)
    play.turn(1)


def queued_prompt(play: Play) -> None:
    """Type while a tool runs: the result comes after the prompt."""
    call = play.call("Bash")
    play.prompt()
    play.main.ask(call)
    text = play.words.sentence()
    play.main.reel.entry("queue-operation", operation="enqueue", content=text)
    play.main.reel.entry("queue-operation", operation="dequeue")
    play.prompt(text, promptSource="queued")
    play.main.result(call)
    play.main.say(play.words.sentence())


def reminders(play: Play) -> None:
    """Hear a hidden reminder between a prompt and its answer."""
    play.prompt()
    play.main.reel.reminder(play.words.sentence())
    play.main.say(play.words.sentence())


def compaction(play: Play) -> None:
    """Run out of context and go on from a summary."""
    play.turn(1)
    play.main.compact("manual")
    play.turn(1)


def microcompaction(play: Play) -> None:
    """Drop old tool results from the context."""
    freed = {"trigger": "auto", "preTokens": play.main.context, "tokensSaved": 9_000}
    freed |= {"compactedToolIds": list(play.main.states)[:2], "clearedAttachmentUUIDs": []}
    play.main.reel.system("microcompact_boundary", microcompactMetadata=freed, isMeta=False)
    play.turn(1)


def rewind(play: Play) -> None:
    """Go back to an earlier point and take another way."""
    play.prompt()
    fork = play.main.reel.leaf
    play.main.say(play.words.sentence())
    play.main.reel.leaf = fork
    play.main.say(play.words.sentence())
    play.turn(1)


def plan_pair(play: Play) -> None:
    """Plan in one session, carry the plan out in the next."""
    plan = f"# {play.words.title()}\n\n{play.words.prose(800)}"
    play.stage.put(f"plans/{play.nickname}.md", plan)
    play.prompt(permissionMode="plan")
    asked, result = {"plan": plan}, {"plan": plan, "isAgent": False}
    play.main.use(play.tools.make("ExitPlanMode", asked, "User has approved your plan.", result))
    play.main.reel.wait(60)
    built = Play(play.stage, play.setting, slug=play.nickname)
    built.main.reel.clock.next = play.main.reel.clock.next
    built.truth.facts["planOf"] = play.session
    built.prompt(f"Implement the following plan:\n\n{plan}")
    built.work(built.main, 2)
    built.main.say(play.words.sentence())
    built.close()


def notes(play: Play) -> None:
    """Write the many small things Claude Code notes beside a conversation."""
    reel, words = play.main.reel, play.words
    reel.entry("custom-title", customTitle=play.title).entry("agent-name", agentName=play.title)
    reel.entry("tag", tag=words.word()).entry("bridge-session", bridgeSessionId="cse_1")
    reel.entry("pr-link", prNumber=7, prUrl="https://example.org/pull/7", prRepository="dev/app")
    hook = {"hookName": "Stop", "hookEvent": "Stop", "command": "notify", "exitCode": 0}
    reel.attachment("hook_success", stdout="", stderr="", durationMs=31, **hook)
    reel.attachment("queued_command", prompt=words.sentence(), commandMode="prompt")
    reel.system("stop_hook_summary", hookCount=1, hookInfos=[{"command": "notify"}], hookErrors=[])
    reel.system("away_summary", content=words.sentence())
    play.turn(1)

"""What tools do in a session: run side by side, show pictures, print too much."""

from __future__ import annotations

from dataclasses import replace

from unspool.demo.generator.play import Play
from unspool.demo.generator.tools import picture
from unspool.demo.lines import text_block, thinking_block, tool_block


def parallel_calls(play: Play) -> None:
    """Call four tools in one response."""
    play.prompt()
    play.main.use(*(play.call(name) for name in ("Bash", "Read", "Grep", "Glob")))
    play.main.say(play.words.sentence())


def many_blocks(play: Play) -> None:
    """Answer in one line that holds a thought, words and two calls."""
    calls = [play.call("Read"), play.call("Bash")]
    play.prompt()
    blocks = [thinking_block(play.words.sentence()), text_block(play.words.sentence())]
    blocks += [tool_block(call.name, call.input, call.id) for call in calls]
    play.main.answer([blocks])
    for call in calls:
        play.main.result(call)
    play.main.say(play.words.sentence())


def images(play: Play) -> None:
    """Read a picture."""
    data = picture(play.rng, 96)
    source = {"type": "base64", "media_type": "image/png", "data": data}
    path = f"{play.setting.cwd}/shot.png"
    file = {"base64": data, "type": "image/png", "originalSize": len(data) * 3 // 4}
    shown = [{"type": "image", "source": source}]
    call = play.tools.make("Read", {"file_path": path}, shown, {"type": "image", "file": file})
    play.prompt()
    play.main.use(call)
    play.main.say(play.words.sentence())


def persisted_output(play: Play) -> None:
    """Print so much that the output goes to a file of its own."""
    call = play.tools.call("Bash", 2_000)
    text = play.words.log(60_000)
    folder = f"{play.project}/{play.session}/tool-results"
    path = play.stage.put(f"{folder}/{call.id}.txt", text)
    pointer = (
        f"<persisted-output>\nOutput too large ({len(text)} characters). Full output saved to: "
        f"/home/dev/.claude/{folder}/{path.name}\n\nPreview:\n{text[:2000]}\n</persisted-output>"
    )
    result = {"stdout": text[:2000], "stderr": "", "interrupted": False}
    result |= {"persistedOutputPath": path.name, "persistedOutputSize": len(text)}
    play.prompt()
    play.main.use(replace(call, content=pointer, result=result))
    play.main.say(play.words.sentence())


def web_search(play: Play) -> None:
    """Search the web twice in one response."""
    play.prompt()
    usage = replace(play.main.meter(), searches=2)
    play.main.say(play.words.sentence(), usage=usage)


def old_progress(play: Play) -> None:
    """Watch a command and a hook run, line by line, as early 2026 recorded them."""
    call = play.call("Bash")
    play.prompt()
    play.main.ask(call)
    reel = play.main.reel
    reel.progress("hook_progress", hookEvent="PreToolUse", hookName="PreToolUse:Bash", command="g")
    for seconds in range(2, 5):
        text = play.words.log(300)
        shown = {"output": text, "fullOutput": text, "elapsedTimeSeconds": seconds}
        reel.progress("bash_progress", call=call.id, totalLines=9, **shown)
    play.main.result(call)
    play.main.say(play.words.sentence())

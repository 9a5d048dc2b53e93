"""Responses that are hard to price or easy to count twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from unspool.demo.generator.eras import model_named
from unspool.demo.generator.money import Usage
from unspool.demo.generator.play import Play
from unspool.demo.lines import ABSENT, encode, text_block, thinking_block

_LIMIT = 200_000
_SMALL_LIMIT = 100_000


def streamed(play: Play) -> None:
    """One response in three lines whose output grows: 1, 1, 260."""
    play.prompt()
    blocks = [thinking_block(""), text_block(play.words.sentence())]
    usage = replace(play.main.meter(), output=260)
    play.main.answer(blocks, usage=usage, outputs=[1, 1, 260])


def never_finished(play: Play) -> None:
    """A response whose last line was never written."""
    play.prompt()
    play.main.answer([thinking_block(""), text_block("so")], outputs=[3, 3], stop=None)
    play.turn(1)


def missing_request(play: Play) -> None:
    """A response one of whose lines has no request id."""
    play.prompt()
    blocks = [thinking_block(""), text_block(play.words.sentence())]
    play.main.answer(blocks, each=[{"requestId": ABSENT}, {}])


def midnight(play: Play) -> None:
    """A response that begins on one day and ends on the next."""
    play.prompt()
    day = play.main.reel.clock.next.date()
    each = [
        {"timestamp": f"{day}T23:59:59.900Z"},
        {"timestamp": f"{day + timedelta(days=1)}T00:00:00.300Z"},
    ]
    play.main.reel.at(f"{day}T23:50:00Z")
    play.main.answer([thinking_block(""), text_block(play.words.sentence())], each=each)
    play.main.reel.at(f"{day + timedelta(days=1)}T00:00:01Z")


def third_party(play: Play) -> None:
    """Responses of a model behind a gateway: no price, odd ids, no request."""
    model, ids = model_named("vendor/lantern-large"), play.stage.ids
    usage = Usage(input=900, output=70)
    play.prompt()
    for name in (f"gen-{ids.hex(10)}", f"resp_{ids.hex(12)}"):
        play.main.say(play.words.sentence(), model=model, usage=usage, id=name, request=ABSENT)


def no_message_id(play: Play) -> None:
    """Responses without a message id: one known by its request, one by its line alone."""
    play.prompt()
    blocks = [thinking_block(""), text_block(play.words.sentence())]
    play.main.answer(blocks, id=ABSENT)
    play.main.say(play.words.sentence(), id=ABSENT, request=ABSENT)


def gateway_name(play: Play) -> None:
    """A priced model under the name a cloud gives it."""
    model = model_named("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5")
    play.prompt()
    play.main.say(play.words.sentence(), model=model)


def changed_model(play: Play) -> None:
    """A response that fell back to another model half way."""
    play.prompt()
    first, second = play.main.model, model_named("claude-opus-4-8")
    reel, usage = play.main.reel, play.main.meter()
    with reel.held() as held:
        play.main.answer(
            [text_block("no"), text_block(play.words.sentence())],
            usage=usage,
            model=second,
            outputs=[2, max(usage.output, 9)],
        )
    early = held[0].replace(second.written.encode(), first.written.encode())
    reel.raw(early.rstrip(b"\n")).raw(held[1].rstrip(b"\n"))


def quoted_usage(play: Play) -> None:
    """A tool that prints a transcript: its usage is text, not ours."""
    message = {"id": "msg_01quoted", "model": play.model.written, "usage": {"input_tokens": 10**6}}
    text = encode({"type": "assistant", "requestId": "req_1", "message": message}).decode()
    call = play.tools.call("Bash")
    play.prompt()
    play.main.use(replace(call, content=text, result={"stdout": text, "stderr": ""}))
    play.main.say(play.words.sentence())


def iterations(play: Play) -> None:
    """A usage that also lists its parts."""
    play.prompt()
    parts = [{"input_tokens": 5, "output_tokens": 400}, {"input_tokens": 5, "output_tokens": 300}]
    play.main.say(play.words.sentence(), written={"iterations": parts})


def zero_write(play: Play) -> None:
    """A cache write whose sum says nought while its parts are right."""
    play.prompt()
    usage = replace(play.main.meter(), write_5m=4_000)
    play.main.say(play.words.sentence(), usage=usage, written={"cache_creation_input_tokens": 0})


def both_writes(play: Play) -> None:
    """Writes of both lifetimes and a rest of neither."""
    play.prompt()
    usage = replace(play.main.meter(), write_5m=1_000, write_1h=2_000, unsplit=500)
    play.main.say(play.words.sentence(), usage=usage)


def around_200k(play: Play) -> None:
    """Prompts of exactly 200,000 tokens and of one more."""
    _around(play, _LIMIT)


def around_100k(play: Play) -> None:
    """Prompts of exactly 100,000 tokens and of one more."""
    _around(play, _SMALL_LIMIT)


def fast_mode(play: Play) -> None:
    """A response in fast mode."""
    play.prompt()
    play.main.say(play.words.sentence(), usage=replace(play.main.meter(), fast=True))


def united_states(play: Play) -> None:
    """A response served in the United States, with a web search on top."""
    play.prompt()
    usage = replace(play.main.meter(), us=True, searches=1)
    play.main.say(play.words.sentence(), usage=usage)


def _around(play: Play, limit: int) -> None:
    play.prompt()
    for extra in (0, 1, 50_000):
        usage = Usage(input=1_000, output=300, read=limit - 3_000 + extra, write_5m=2_000)
        play.main.say(play.words.sentence(), usage=usage)

"""Responses that are hard to price or easy to count twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from unspool.demo.generator.eras import model_named
from unspool.demo.generator.session import SessionBuilder
from unspool.demo.generator.truth import TokenUsage
from unspool.demo.lines import ABSENT, encode, text_block, thinking_block

_LIMIT = 200_000
_SMALL_LIMIT = 100_000


def streamed(builder: SessionBuilder) -> None:
    """One response in three lines whose output grows: 1, 1, 260."""
    builder.prompt()
    blocks = [thinking_block(""), text_block(builder.words.sentence())]
    usage = replace(builder.main.meter(), output=260)
    builder.main.answer(blocks, usage=usage, outputs=[1, 1, 260])


def never_finished(builder: SessionBuilder) -> None:
    """A response whose last line was never written."""
    builder.prompt()
    builder.main.answer([thinking_block(""), text_block("so")], outputs=[3, 3], stop=None)
    builder.turn(1)


def missing_request(builder: SessionBuilder) -> None:
    """A response one of whose lines has no request id."""
    builder.prompt()
    blocks = [thinking_block(""), text_block(builder.words.sentence())]
    builder.main.answer(blocks, each=[{"requestId": ABSENT}, {}])


def midnight(builder: SessionBuilder) -> None:
    """A response that begins on one day and ends on the next."""
    builder.prompt()
    day = builder.main.writer.clock.next.date()
    each = [
        {"timestamp": f"{day}T23:59:59.900Z"},
        {"timestamp": f"{day + timedelta(days=1)}T00:00:00.300Z"},
    ]
    builder.main.writer.at(f"{day}T23:50:00Z")
    builder.main.answer([thinking_block(""), text_block(builder.words.sentence())], each=each)
    builder.main.writer.at(f"{day + timedelta(days=1)}T00:00:01Z")


def third_party(builder: SessionBuilder) -> None:
    """Responses of a model behind a gateway: no price, odd ids, no request."""
    model, ids = model_named("vendor/lantern-large"), builder.root.ids
    usage = TokenUsage(input=900, output=70)
    builder.prompt()
    for name in (f"gen-{ids.hex(10)}", f"resp_{ids.hex(12)}"):
        builder.main.say(
            builder.words.sentence(), model=model, usage=usage, id=name, request=ABSENT
        )


def no_message_id(builder: SessionBuilder) -> None:
    """Responses without a message id: one known by its request, one by its line alone."""
    builder.prompt()
    blocks = [thinking_block(""), text_block(builder.words.sentence())]
    builder.main.answer(blocks, id=ABSENT)
    builder.main.say(builder.words.sentence(), id=ABSENT, request=ABSENT)


def gateway_name(builder: SessionBuilder) -> None:
    """A priced model under the name a cloud gives it."""
    model = model_named("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5")
    builder.prompt()
    builder.main.say(builder.words.sentence(), model=model)


def changed_model(builder: SessionBuilder) -> None:
    """A response that fell back to another model half way."""
    builder.prompt()
    first, second = builder.main.model, model_named("claude-opus-4-8")
    writer, usage = builder.main.writer, builder.main.meter()
    with writer.held() as held:
        builder.main.answer(
            [text_block("no"), text_block(builder.words.sentence())],
            usage=usage,
            model=second,
            outputs=[2, max(usage.output, 9)],
        )
    early = held[0].replace(second.written.encode(), first.written.encode())
    writer.raw(early.rstrip(b"\n")).raw(held[1].rstrip(b"\n"))


def quoted_usage(builder: SessionBuilder) -> None:
    """A tool that prints a transcript: its usage is text, not ours."""
    message = {
        "id": "msg_01quoted",
        "model": builder.model.written,
        "usage": {"input_tokens": 10**6},
    }
    text = encode({"type": "assistant", "requestId": "req_1", "message": message}).decode()
    call = builder.tools.call("Bash")
    builder.prompt()
    builder.main.use(replace(call, content=text, result={"stdout": text, "stderr": ""}))
    builder.main.say(builder.words.sentence())


def iterations(builder: SessionBuilder) -> None:
    """A usage that also lists its parts."""
    builder.prompt()
    parts = [{"input_tokens": 5, "output_tokens": 400}, {"input_tokens": 5, "output_tokens": 300}]
    builder.main.say(builder.words.sentence(), written={"iterations": parts})


def zero_write(builder: SessionBuilder) -> None:
    """A cache write whose sum says nought while its parts are right."""
    builder.prompt()
    usage = replace(builder.main.meter(), write_5m=4_000)
    builder.main.say(
        builder.words.sentence(), usage=usage, written={"cache_creation_input_tokens": 0}
    )


def both_writes(builder: SessionBuilder) -> None:
    """Writes of both lifetimes and a rest of neither."""
    builder.prompt()
    usage = replace(builder.main.meter(), write_5m=1_000, write_1h=2_000, unsplit=500)
    builder.main.say(builder.words.sentence(), usage=usage)


def around_200k(builder: SessionBuilder) -> None:
    """Prompts of exactly 200,000 tokens and of one more."""
    _around(builder, _LIMIT)


def around_100k(builder: SessionBuilder) -> None:
    """Prompts of exactly 100,000 tokens and of one more."""
    _around(builder, _SMALL_LIMIT)


def fast_mode(builder: SessionBuilder) -> None:
    """A response in fast mode."""
    builder.prompt()
    builder.main.say(builder.words.sentence(), usage=replace(builder.main.meter(), fast=True))


def united_states(builder: SessionBuilder) -> None:
    """A response served in the United States, with a web search on top."""
    builder.prompt()
    usage = replace(builder.main.meter(), us=True, searches=1)
    builder.main.say(builder.words.sentence(), usage=usage)


def _around(builder: SessionBuilder, limit: int) -> None:
    builder.prompt()
    for extra in (0, 1, 50_000):
        usage = TokenUsage(input=1_000, output=300, read=limit - 3_000 + extra, write_5m=2_000)
        builder.main.say(builder.words.sentence(), usage=usage)

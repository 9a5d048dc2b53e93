from unspool.demo import Transcript
from unspool.ingest.scan.lines import Used, decode, tokens_of
from unspool.model.transcript import CacheCreation, ServerTools


def test_of_a_line_only_what_was_used_is_read() -> None:
    line = decode(Transcript().says("a", usage={"output_tokens": 7}).bytes())

    assert line.message is not None
    assert line.message.usage is not None
    assert (line.type, line.message.id, line.message.usage.output_tokens) == (
        "assistant",
        "msg_1",
        7,
    )


def test_missing_counts_are_nought() -> None:
    tokens = tokens_of(Used(input_tokens=None, output_tokens=3))

    assert (tokens.input, tokens.output, tokens.cache_write, tokens.speed) == (0, 3, 0, "")


def test_a_split_that_says_more_than_the_sum_is_believed() -> None:
    used = Used(cache_creation_input_tokens=0, cache_creation=CacheCreation(5, 7))

    assert tokens_of(used).cache_write == 12


def test_web_searches_are_told() -> None:
    assert tokens_of(Used(server_tool_use=ServerTools(3))).web_searches == 3

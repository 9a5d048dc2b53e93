from unspool.demo import Transcript
from unspool.ingest.scan.lines import Used, answers, tokens_of
from unspool.model.transcript import CacheCreation, ServerTools


def found(data: bytes) -> list[str | None]:
    """The words of each line that may be an answer."""
    return [data[begin:end].decode() for begin, end, _ in answers(data)]


def test_only_lines_that_name_an_assistant_are_looked_at() -> None:
    made = Transcript().user("hi").says("a").system("turn_duration").says("b")

    assert [line.message.id for _, _, line in answers(made.bytes()) if line and line.message] == [
        "msg_1",
        "msg_2",
    ]


def test_the_word_inside_a_text_is_not_the_word() -> None:
    assert found(Transcript().user('{"type":"assistant"}').bytes()) == []


def test_a_line_is_given_from_its_beginning_to_its_end() -> None:
    assert found(b'x\n{"type": "assistant"}\ny\n') == ['{"type": "assistant"}']


def test_a_last_line_may_lack_its_newline() -> None:
    assert found(b'{"type":"assistant"}') == ['{"type":"assistant"}']


def test_what_cannot_be_read_at_a_glance_is_left_to_a_closer_look() -> None:
    ((begin, end, line),) = answers(b'{"type":"assistant","message":\n')

    assert (begin, end, line) == (0, 30, None)


def test_missing_counts_are_nought() -> None:
    tokens = tokens_of(Used(input_tokens=None, output_tokens=3))

    assert (tokens.input, tokens.output, tokens.cache_write, tokens.speed) == (0, 3, 0, "")


def test_a_split_that_says_more_than_the_sum_is_believed() -> None:
    used = Used(cache_creation_input_tokens=0, cache_creation=CacheCreation(5, 7))

    assert tokens_of(used).cache_write == 12


def test_web_searches_are_told() -> None:
    assert tokens_of(Used(server_tool_use=ServerTools(3))).web_searches == 3

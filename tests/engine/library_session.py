"""The session that tests of the library read."""

from unspool.demo import Transcript

COST = 0.015105


def talk() -> Transcript:
    made = Transcript("0141fab3").user("go").calls("Bash", command="ls").returns("a.py")
    return made.says("done", usage={"output_tokens": 1_000})

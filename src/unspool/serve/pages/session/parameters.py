"""Parameters of a session's addresses."""

from typing import Annotated, Literal, TypeAlias

from litestar.params import PathParameter, QueryParameter

View: TypeAlias = Annotated[
    Literal["turns", "context", "waterfall", "tools", "raw"], QueryParameter(name="view")
]
First: TypeAlias = Annotated[int, QueryParameter(name="chunk", ge=0, le=10**9)]
Limit: TypeAlias = Annotated[int, QueryParameter(name="limit", ge=1, le=200)]
Begin: TypeAlias = Annotated[int, QueryParameter(name="begin", ge=-1, le=10**9)]
# The first and the last step of a range, by their ids.
From: TypeAlias = Annotated[str, QueryParameter(name="from", max_length=500)]
To: TypeAlias = Annotated[str, QueryParameter(name="to", max_length=500)]
At: TypeAlias = Annotated[str, QueryParameter(name="at", max_length=500)]
Words: TypeAlias = Annotated[str, QueryParameter(name="q", max_length=256)]
Line: TypeAlias = Annotated[int, QueryParameter(name="line", ge=0, le=10**9)]
Start: TypeAlias = Annotated[int, QueryParameter(name="start", ge=0, le=10**9)]
# "" is the level the reader chose last.
LevelName: TypeAlias = Annotated[
    Literal["", "story", "normal", "everything"], QueryParameter(name="level")
]
Short: TypeAlias = Annotated[bool, QueryParameter(name="short")]
Slab: TypeAlias = Annotated[int, QueryParameter(name="slab", ge=-1, le=10**9)]
StepId: TypeAlias = Annotated[str, PathParameter(min_length=1, max_length=500)]

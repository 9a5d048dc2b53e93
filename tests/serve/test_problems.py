import pytest
from litestar.exceptions import HTTPException, NotFoundException, ValidationException
from msgspec import UNSET

from unspool.errors import (
    Ambiguous,
    ConfigError,
    NotFound,
    SessionDeleted,
    SourceError,
    StoreBusy,
    StoreCorrupt,
    UnspoolError,
)
from unspool.serve.problems import BadRequest, Refused, place, problem


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("x"), 404),
        (SessionDeleted("x"), 410),
        (BadRequest("x"), 400),
        (Ambiguous("x", ["a"]), 400),
        (ConfigError("x"), 400),
        (SourceError("x"), 404),
        (StoreBusy("x"), 503),
        (StoreCorrupt("x"), 503),
        (Refused(429, "x"), 429),
        (UnspoolError("x"), 500),
        (NotFoundException("x"), 404),
        (HTTPException("x", status_code=418), 418),
        (HTTPException("x", status_code=599), 599),
        (ValidationException("x"), 400),
        (ValueError("x"), 500),
    ],
)
def test_each_error_has_its_status(error: Exception, status: int) -> None:
    assert problem(error).status == status


def test_what_we_say_ourselves_is_said() -> None:
    assert problem(NotFound("There is no such session.")).detail == "There is no such session."


def test_a_name_that_fits_several_comes_with_them() -> None:
    assert problem(Ambiguous("Which?", ["a", "b"])).candidates == ("a", "b")


@pytest.mark.parametrize("error", [ValueError("hunter2"), HTTPException("hunter2")])
def test_what_others_say_is_not_repeated(error: Exception) -> None:
    assert problem(error).detail in (UNSET, "See the server log for details.")


def test_a_wrong_parameter_is_named_and_its_value_is_not() -> None:
    error = ValidationException("x", extra=[{"key": "limit", "message": "hunter2"}])

    assert problem(error).detail == "Invalid: limit."


def test_a_place_tells_where_and_not_what() -> None:
    try:
        raise ValueError("hunter2")
    except ValueError as error:
        said = place(error)

    assert said.startswith(f"ValueError at {__file__}:")
    assert "hunter2" not in said
    assert place(ValueError("hunter2")) == "ValueError"

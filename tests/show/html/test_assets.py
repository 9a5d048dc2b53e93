from pathlib import Path

from unspool.show.html import assets


def test_all_styles_are_one_file_in_their_order() -> None:
    sheets = [assets.FILES[f"css/{name}.css"] for name in assets.STYLES]

    assert assets.FILES["app.css"] == b"".join(sheets)


def test_every_file_is_there() -> None:
    static = Path(assets.__file__).parent.parent / "static"
    there = {path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file()}

    assert set(assets.FILES) == {*there, "app.css"}


def test_every_stylesheet_is_in_the_cascade() -> None:
    there = {name for name in assets.FILES if name.startswith("css/")}

    assert there == {f"css/{name}.css" for name in (*assets.STYLES, "export")}  # a sheet of its own

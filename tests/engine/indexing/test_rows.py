from msgspec import structs

from unspool.engine.indexing.rows import RowBatch
from unspool.model.rows import BadLine, Batch, SourceRow, TextRow

SOURCE = SourceRow(
    source_id=1, root="/r", path="p", kind="main", project_id="p", session_id="s", offset=9
)


def test_what_was_gathered_is_what_the_batch_holds() -> None:
    rows = RowBatch()
    rows.texts.append(TextRow(1, "a"))
    rows.bad.append(BadLine(0, 4, 1, "torn"))

    assert rows.batch(SOURCE, 3) == Batch(
        source=SOURCE, begins=3, texts=[TextRow(1, "a")], bad=[BadLine(0, 4, 1, "torn")]
    )


def test_every_table_of_a_batch_is_gathered() -> None:
    batch, rows = RowBatch().batch(SOURCE, 0), RowBatch()
    tables = {name for name, value in structs.asdict(batch).items() if isinstance(value, list)}

    assert tables - {"sessions"} == set(vars(rows))

from tests.serve.served import Served


def test_the_document_says_which_files_may_come(site: Served) -> None:
    paths = site.ask("/schema").json()["paths"]
    blob = paths["/api/blob/{event_id}/{n}"]["get"]["responses"]["200"]["content"]
    export = paths["/api/export/{project_id}/{session_id}"]["get"]["responses"]["200"]["content"]

    assert {"image/png", "application/octet-stream"} < set(blob)
    assert set(export) == {
        "application/json",
        "application/x-ndjson",
        "text/html",
        "text/markdown",
    }

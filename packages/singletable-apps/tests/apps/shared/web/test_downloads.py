"""Downloads: an error is never hidden in a file that has already started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import singletable_apps
from singletable_apps.shared.web.downloads import TableFormat, download_table


@pytest.mark.parametrize("form", ["csv", "xlsx", "json"])
def test_errors_in_the_first_rows_are_raised_before_the_response(form: TableFormat) -> None:
    def rows() -> Iterator[list[str]]:
        raise LookupError
        yield []

    with pytest.raises(LookupError):
        download_table(["Name"], rows(), "people", form)


# Live events are sent for as long as somebody listens, and pages are no files.
def test_apps_stream_files_only_with_the_shared_function() -> None:
    folder = Path(singletable_apps.__file__).parent
    streaming = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "StreamingResponse(" in path.read_text(encoding="utf-8")
    }
    assert streaming == {"shared/web/downloads.py", "shared/live.py", "shared/pages/pages.py"}

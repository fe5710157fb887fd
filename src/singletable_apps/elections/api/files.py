"""The ballots of an election as a file to be saved."""

from __future__ import annotations

from fastapi import Response

from singletable_apps.counting.formats import FORMATS
from singletable_apps.elections.entities import User
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import file_to_save

_MEDIA_TYPES = {"csv": "text/csv", "json": "application/json"}


def export_file(elections: Elections, viewer: User, name: str, form: str) -> Response:
    """The ballots of an election in a format, as far as they are published."""
    content = elections.results.export(viewer, name, form)
    title, ending = elections.office.view.election(name).name, FORMATS[form].extensions[0]
    return file_to_save(content, f"{title}.{ending}", _MEDIA_TYPES.get(ending, "text/plain"))

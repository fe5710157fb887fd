"""Download the skills of all people."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from singletable_apps.shared.spreadsheets import MEDIA_TYPES
from singletable_apps.shared.web import api_router
from singletable_apps.shared.web.downloads import TableFormat, download_table
from singletable_apps.skills.api.dependencies import SIGNED_IN, Actor, Service

router = api_router("export", *SIGNED_IN)
_FILES: dict[str, Any] = {media_type.partition(";")[0]: {} for media_type in MEDIA_TYPES.values()}


@router.get(
    "/export",
    response_class=Response,
    responses={200: {"description": "The file.", "content": {"application/json": {}, **_FILES}}},
)
def export(actor: Actor, service: Service, format: TableFormat = "json") -> Response:  # noqa: A002
    """Download all people with their skills: a row or an object per skill. For managers."""
    return download_table(*service.overview.export(actor), "skills", format)

"""Import spreadsheets: upload, check what would happen, apply and undo. Export everything."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from fastapi import Path, Response

from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame import Recent
from singletable_apps.shared.pages import PostedUpload
from singletable_apps.shared.web import (
    INVALID,
    NOT_FOUND,
    SIGNED_IN,
    Page,
    Pagination,
    api_router,
    responses,
)
from singletable_apps.shared.web.downloads import TABLE, TableFormat, download_table
from singletable_apps.skills.api.dependencies import Actor, Service
from singletable_apps.skills.api.schemas import ImportBody, ImportChoices
from singletable_apps.skills.entities import Import, ImportStatus
from singletable_apps.skills.import_rules import Outcome
from singletable_apps.skills.rules import PERMISSIONS, Permission
from singletable_apps.skills.service import SkillsService

router = api_router("imports", NOT_FOUND, *SIGNED_IN)
ImportId: TypeAlias = Annotated[str, Path(description="The id of an import.")]
_MAX_ROWS = 1_000
_FILE = {
    "type": "string",
    "contentMediaType": "text/csv",
    "description": "A CSV or XLSX file with headings.",
}
_FORM = {"type": "object", "required": ["file"], "properties": {"file": _FILE}}
_UPLOAD: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}
}


@router.post("/imports", status_code=201, responses=responses(INVALID), openapi_extra=_UPLOAD)
def upload_import(service: Service, actor: Actor, upload: PostedUpload) -> ImportBody:
    """Upload a spreadsheet, and see what it would change. Nothing is imported yet."""
    files = upload.named("file")
    if len(files) != 1:
        raise InvalidInput({"file": f"Send one file in this field; there are {len(files)} now."})
    return _body(service, service.imports.upload(actor, files[0].filename, files[0].data))


@router.get("/imports")
def list_imports(service: Service, actor: Actor, page: Pagination) -> Page[ImportBody]:
    """List the imports, newest first, without their rows."""
    PERMISSIONS.check(actor.role, Permission.ADMINISTER)
    found = service.imports.history(page.limit, page.cursor)
    items = [ImportBody.model_validate(each) for each in found.items]
    return page.answer(items, found.cursor)


@router.get("/imports/{import_id}")
def read_import(import_id: ImportId, service: Service, actor: Actor) -> ImportBody:
    """Return an import: what would happen with its rows, or what was done."""
    PERMISSIONS.check(actor.role, Permission.ADMINISTER)
    return _body(service, service.imports.get(import_id))


@router.post("/imports/{import_id}/apply")
def apply_import(
    import_id: ImportId, service: Service, actor: Actor, choices: ImportChoices | None = None
) -> ImportBody:
    """Import all rows without errors. Sent again, it goes on where it stopped, or does nothing."""
    item = service.imports.get(import_id)
    # A request that is sent again finds its choices saved.
    if choices is not None and item.status is ImportStatus.PREVIEW:
        service.imports.choose(
            actor,
            import_id,
            columns=item.columns if choices.columns is None else choices.columns,
            skills=choices.skills,
            duplicates=choices.duplicates,
        )
    return _body(service, service.imports.apply(actor, import_id))


@router.post("/imports/{import_id}/undo")
def undo_import(import_id: ImportId, service: Service, actor: Actor) -> ImportBody:
    """Restore what was before. What someone has changed since is kept, and listed."""
    return _body(service, service.imports.undo(actor, import_id))


def _body(service: SkillsService, item: Import) -> ImportBody:
    preview = service.imports.preview(item.import_id)
    body = ImportBody.model_validate(item)
    body.problem = preview.problem
    body.new_people = len(preview.new_people)
    body.outcomes = {outcome: preview.count(outcome) for outcome in Outcome}
    body.unknown_skills = dict(preview.unknown)
    body.results = list(preview.results[:_MAX_ROWS])
    body.kept = service.imports.kept(item)
    return body


export_router = api_router("export", *SIGNED_IN)


@export_router.get("/export", response_class=Response, responses=TABLE)
def export(
    actor: Actor,
    service: Service,
    recent: Recent,
    format: TableFormat = "json",  # noqa: A002
) -> Response:
    """Download all people with their skills: a row or an object per skill. For managers.

    This requires a sign-in within the last five minutes.
    """
    recent(SensitiveAction.EXPORT)
    return download_table(*service.overview.export(actor), "skills", format)

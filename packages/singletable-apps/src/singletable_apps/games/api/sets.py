"""Question sets in the API: whole sets in the JSON format of files, with ETags."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Response

from singletable_apps.games.api.dependencies import (
    EXISTS,
    SEATED,
    AnyActor,
    Body,
    CurrentActor,
    Service,
)
from singletable_apps.games.entities import QuestionSet
from singletable_apps.games.errors import NotPermitted
from singletable_apps.games.formats import FORMATS, SetFormat, json_schema
from singletable_apps.games.formats.document import SetDocument
from singletable_apps.games.questions import Visibility
from singletable_apps.games.service.sets import ADMIN
from singletable_apps.games.set_library import download_set
from singletable_apps.shared import web
from singletable_apps.shared.frame import limited

router = web.api_router("question sets", *SEATED)


async def _set_actor(actor: CurrentActor) -> str:
    if not actor.is_admin and not actor.host_id:
        raise NotPermitted("Use the token of a host.")
    return ADMIN if actor.is_admin else actor.host_id


# The id of a host, or ADMIN.
SetActor: TypeAlias = Annotated[str, Depends(_set_actor)]


async def _any_set_actor(actor: AnyActor) -> str:
    return ADMIN if actor.is_admin else actor.host_id


AnySetActor: TypeAlias = Annotated[str, Depends(_any_set_actor)]


class SetSummary(
    Body,
    of=QuestionSet,
    only="set_id name description engagement_type total_questions categories custom_instructions "
    "is_active visibility updated_at",
    rename={"type": "engagement_type", "instruction": "custom_instructions"},
):
    """A question set without its questions."""


@router.get("/question-sets", openapi_extra=web.PUBLIC)
def list_question_sets(service: Service, actor: AnySetActor) -> list[SetSummary]:
    """List the active sets that the caller can play, with their categories."""
    found = service.sets.list_playable(actor) if actor else service.sets.list_shared()
    return [SetSummary.from_object(each) for each in found]


_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "headers": web.FILE_NAME,
        "content": {info.media_type: {} for info in FORMATS.values()},
    }
}


@router.get("/sets")
def list_own_sets(service: Service, actor: SetActor) -> list[SetSummary]:
    """List the sets of the caller, also inactive ones; all sets for the administrator."""
    found = service.sets.list_all(actor, 1_000).items
    return [SetSummary.from_object(each) for each in found if not each.is_deleting]


class SetBody(SetDocument):
    """A whole set as a client sends it."""

    visibility: Visibility = Visibility.PRIVATE
    is_active: bool = True


class StoredSet(SetBody):
    """A whole set with its id and its number of versions."""

    set_id: str
    set_version: int
    revision: int


def _load(service: Service, actor: str, set_id: str) -> StoredSet:
    item, draft = service.sets.load(set_id, actor)
    stored = {name: getattr(item, name) for name in ("set_id", "set_version", "revision")}
    return StoredSet.of(draft, **stored)


@router.post(
    "/sets",
    status_code=201,
    dependencies=limited("create"),
    responses={**web.responses(EXISTS), **web.CREATED},
)
def create_set(service: Service, actor: SetActor, body: SetBody, headers: web.Headers) -> StoredSet:
    """Create a set with its questions."""
    item = service.sets.create(actor, body.to_draft())
    headers.created(item.revision, "read_set_document", set_id=item.set_id)
    return _load(service, actor, item.set_id)


@router.get("/set-schema.json", openapi_extra=web.PUBLIC)
def read_schema() -> dict[str, Any]:
    """Return the JSON Schema of files with question sets."""
    return json_schema()


@router.get("/sets/{set_id}")
def read_set_document(
    service: Service, actor: SetActor, set_id: web.Segment, look: web.IfNoneMatch
) -> StoredSet:
    """Return a set with its questions."""
    stored = _load(service, actor, set_id)
    look.answer(stored.revision)
    return stored


@router.put("/sets/{set_id}", responses=web.responses(EXISTS))
def replace_set(
    service: Service, actor: SetActor, set_id: web.Segment, body: SetBody, edit: web.IfMatch
) -> StoredSet:
    """Save a whole set as its next version. Running games keep theirs."""
    item = service.sets.save(actor, set_id, body.to_draft(), edit.check)
    edit.answer(item.revision)
    return _load(service, actor, set_id)


@router.delete("/sets/{set_id}", status_code=204)
def delete_set(service: Service, actor: SetActor, set_id: web.Segment, edit: web.IfMatch) -> None:
    """Delete a set with all its versions."""
    service.sets.delete(actor, set_id, edit.check)


@router.get("/sets/{set_id}/export", response_class=Response, responses=_FILE)
def export_set(
    service: Service,
    actor: SetActor,
    set_id: web.Segment,
    format: SetFormat = SetFormat.JSON,  # noqa: A002
) -> Response:
    """Download a set in one of the formats, without questions that it cannot contain."""
    return download_set(service.sets.load(set_id, actor).draft, format)

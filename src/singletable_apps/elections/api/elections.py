"""Elections: which there are, what is settled about them, and their end as things."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response

from singletable_apps.elections.api.asking import Service, Viewer
from singletable_apps.elections.api.models.elections import (
    ElectionChanges,
    ElectionShown,
    NewElection,
)
from singletable_apps.elections.api.names import NameAsked, NameInPath
from singletable_apps.elections.api.refusals import TAKEN, WRONG_STATE, topic
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY,
    IfMatch,
    Page,
    Paging,
    etag,
    responses,
)

router = topic("elections", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY)
_TEXT = {"type": "string"}
CREATED = {
    "Location": {"description": "Where the election is.", "schema": _TEXT},
    "ETag": {"description": "The tag of what is there now.", "schema": _TEXT},
}


@router.get("/elections", responses=responses(NOT_FOUND))
def list_elections(
    user: Viewer,
    elections: Service,
    page: Paging,
    owner: Annotated[NameAsked | None, Query(description="Those of this user alone.")] = None,
) -> Page[ElectionShown]:
    """Elections by name."""
    now = elections.office.clock()
    if owner is None:
        some = elections.queries.elections(user, page.limit, page.cursor)
        found, cursor = some.items, some.cursor
    else:
        found, cursor = elections.queries.elections_of(user, owner, page.limit, page.cursor)
    return page.answer([ElectionShown.of(one, now) for one in found], cursor)


@router.post(
    "/elections", status_code=201, responses={**responses(TAKEN), 201: {"headers": CREATED}}
)
def create_election(
    user: Viewer, elections: Service, sent: NewElection, request: Request, response: Response
) -> ElectionShown:
    """A new election, which is set up before it is launched."""
    made = elections.conducting.create(user, sent.name, sent.terms())
    response.headers["Location"] = f"{request.url.path}/{quote(made.name, safe='')}"
    response.headers["ETag"] = etag(made.revision)
    return ElectionShown.of(made, elections.office.clock())


@router.get("/elections/{name}", responses=responses(NOT_FOUND))
def read_election(
    user: Viewer, elections: Service, name: NameInPath, response: Response
) -> ElectionShown:
    """An election; one whose time is up is closed now."""
    found = elections.results.settled(name)
    response.headers["ETag"] = etag(found.revision)
    return ElectionShown.of(found, elections.office.clock())


@router.patch("/elections/{name}", responses=responses(NOT_FOUND, TAKEN, WRONG_STATE))
def edit_election(
    user: Viewer, elections: Service, name: NameInPath, sent: ElectionChanges, edit: IfMatch
) -> ElectionShown:
    """Another name, other settings, or both: all of it or nothing."""
    edited = elections.conducting.edit(user, name, sent.changes(), edit.check)
    edit.answer(edited.revision)
    return ElectionShown.of(edited, elections.office.clock())


@router.delete("/elections/{name}", status_code=204, responses=responses(NOT_FOUND))
def delete_election(user: Viewer, elections: Service, name: NameInPath, edit: IfMatch) -> None:
    """Remove an election with all that is in it; for its owner, or who manages users."""
    elections.conducting.delete(user, name, edit.check)

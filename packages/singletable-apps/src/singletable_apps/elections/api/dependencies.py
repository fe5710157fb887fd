"""What API handlers depend on: the service, the signed-in user, and the election in the path."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias, TypeVar

from fastapi import Depends, Request, Response

from singletable_apps.elections import entities
from singletable_apps.elections.api import schemas
from singletable_apps.elections.entities import User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import Elections
from singletable_apps.elections.web import NameInPath
from singletable_apps.shared import web
from singletable_apps.shared.frame import authenticated_user, current_service, signed_in_user
from singletable_apps.shared.web import IfMatch, PageRequest, SentToken, etag

T = TypeVar("T")
Service: TypeAlias = Annotated[Elections, Depends(current_service)]
# The user who is signed in, whatever their role.
SignedInUser: TypeAlias = Annotated[User, Depends(signed_in_user)]


# Each dependency of a dependency takes time, so this one has none that it can do without.
@web.in_thread
def _viewer(request: Request, response: Response, sent: SentToken) -> User:
    user: User = authenticated_user(request, response, sent)
    check_permission(user, Permission.VIEW_APPLICATION)
    return user


# A user who may see elections.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


def _whole(service: Service) -> None:
    service.context.check_not_rebuilding()


# For handlers that look up a user without a token: during a rebuild, they may be missing.
Whole = Depends(_whole)


@dataclass(frozen=True)
class ElectionRequest:
    """A request about the election in the path."""

    user: Viewer
    service: Service
    name: NameInPath
    request: Request
    response: Response

    def tag(self) -> entities.Election:
        """Return the election, and add its ETag to the response.

        Call it first: after an edit in between, the ETag is the older one, and If-Match fails.
        """
        election = self.service.context.read.get_election(self.name)
        self.response.headers["ETag"] = etag(election.revision)
        return election

    def answer(self, election: entities.Election) -> schemas.Election:
        """Return the election as it is now, and add its ETag to the response."""
        self.response.headers["ETag"] = etag(election.revision)
        return schemas.Election.of(election, self.service.context.clock())


@dataclass(frozen=True)
class ElectionChange(ElectionRequest):
    """A change of the election in the path; `edit` checks that it is based on this version."""

    edit: IfMatch


OnElection: TypeAlias = Annotated[ElectionRequest, Depends(web.on_event_loop(ElectionRequest))]
ChangeElection: TypeAlias = Annotated[ElectionChange, Depends(web.on_event_loop(ElectionChange))]


def slice_page(
    page: PageRequest, items: Sequence[T], service: Elections
) -> tuple[Sequence[T], str | None]:
    """Return the items of a page, and the cursor of the next page."""
    secret = service.context.keys.secret
    return page.slice(items, hmac.digest(secret, b"positions in lists", "sha256"))

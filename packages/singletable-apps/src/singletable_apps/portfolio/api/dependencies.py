"""Dependencies of API handlers: the service, the account, visitors, lists and problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, TypeAlias, TypeVar, get_type_hints

from fastapi import APIRouter, Depends, Request, Response

from singletable_apps.portfolio.api.schemas import ItemList, Success
from singletable_apps.portfolio.entities import User
from singletable_apps.portfolio.rules import SwitchedOff
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.frame import AppProblems, current_service, signed_in_user
from singletable_apps.shared.web import (
    INVALID_400,
    PageLimit,
    PageRequest,
    ProblemType,
    SentToken,
    client_address,
    client_network,
    cursor_query,
    responses,
)

T = TypeVar("T")

Service: TypeAlias = Annotated[PortfolioService, Depends(current_service)]


class EnvelopeRouter(APIRouter):
    """Wraps what its handlers return as the original did: `{"success": true, "data": …}`.

    A handler may return an entity; its `response_model` takes the fields from the attributes.
    """

    def __init__(self, tag: str, *problem_types: ProblemType) -> None:
        super().__init__(
            tags=[tag],
            responses=responses(*problem_types),
            generate_unique_id_function=lambda route: route.name,
        )

    def add_api_route(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        response_model: Any = None,
        **options: Any,
    ) -> None:
        """Add a handler, with the envelope around its result."""

        @wraps(endpoint)
        def handle(*args: Any, **arguments: Any) -> dict[str, Any]:
            return {"success": True, "data": endpoint(*args, **arguments)}

        data = response_model or get_type_hints(endpoint)["return"]
        model = Success.__class_getitem__(data)
        super().add_api_route(path, handle, response_model=model, **options)


def _actor_if_any(service: Service, sent: SentToken) -> User | None:
    """Return the account, or None. The original's client sends expired tokens with public reads."""
    try:
        return service.accounts.authenticate(sent.credentials) if sent else None
    except NotSignedIn:
        return None


Actor: TypeAlias = Annotated[User, Depends(signed_in_user)]
ActorIfAny: TypeAlias = Annotated[User | None, Depends(_actor_if_any)]


def _visitor(request: Request, service: Service) -> str:
    return service.likes.visitor(client_network(client_address(request)))


# A keyed hash of the client's network.
Visitor: TypeAlias = Annotated[str, Depends(_visitor)]


class ListRequest(PageRequest):
    """The requested page of a list, in the original's words: `limit` and `last_key`."""

    cursor_parameter = "last_key"

    def __init__(
        self,
        request: Request,
        response: Response,
        limit: PageLimit = 50,
        last_key: Annotated[str | None, cursor_query("`last_key` of the previous page.")] = None,
    ) -> None:
        super().__init__(request, response, limit, last_key)

    def list_items(self, items: Sequence[T], cursor: str | None) -> ItemList[T]:
        """Return the page, and add a Link header to the next one if there is one."""
        self.link_next(cursor)
        return ItemList(items=list(items), last_key=cursor)


Listed: TypeAlias = Annotated[ListRequest, Depends()]


# The original answers a slug that another post has with 400.
TAKEN = ProblemType(
    "taken", 400, "Already taken", "Another post has this slug, or another account this address."
)
SWITCHED_OFF = ProblemType(
    "switched-off", 403, "Switched off", "The owner of the site has switched this off."
)
PROBLEM_TYPES = (INVALID_400, TAKEN, SWITCHED_OFF)


def _field_name(name: str, request: Request) -> str:
    names: dict[str, str] = getattr(request.state, "field_names", {})
    return names.get(name, name)


PROBLEMS = AppProblems({AlreadyExists: TAKEN, SwitchedOff: SWITCHED_OFF}, field_name=_field_name)

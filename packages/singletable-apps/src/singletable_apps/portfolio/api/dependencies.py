"""Dependencies of API handlers: the service, the account, visitors and problems."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from singletable_apps.portfolio.entities import User
from singletable_apps.portfolio.rules import SwitchedOff
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.frame import AppProblems, current_service, signed_in_user
from singletable_apps.shared.web import ProblemType, SentToken, client_address, client_network

Service: TypeAlias = Annotated[PortfolioService, Depends(current_service)]


def _actor_if_any(service: Service, sent: SentToken) -> User | None:
    """Return the account, or None. A client with an expired token reads as a visitor."""
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


TAKEN = ProblemType(
    "taken", 409, "Already taken", "Another post has this slug, or another account this address."
)
SWITCHED_OFF = ProblemType(
    "switched-off", 403, "Switched off", "The owner of the site has switched this off."
)


def _field_name(name: str, request: Request) -> str:
    names: dict[str, str] = getattr(request.state, "field_names", {})
    return names.get(name, name)


PROBLEMS = AppProblems({AlreadyExists: TAKEN, SwitchedOff: SWITCHED_OFF}, field_name=_field_name)

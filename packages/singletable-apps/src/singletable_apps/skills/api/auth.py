"""Register, sign in, and read one's own account: the original's `/register`, `/login` and `/me`."""

from __future__ import annotations

from singletable_apps.shared.frame import limited
from singletable_apps.shared.frame.people_api import (
    Message,
    PersonTypes,
    UsernameCredentials,
    add_email_route,
    add_people_routes,
    add_session_routes,
)
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    PUBLIC,
    SIGNED_IN,
    TOO_MANY_REQUESTS,
    api_router,
    responses,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, Service, Username

router = api_router("accounts", TOO_MANY_REQUESTS)
people_router = api_router("people", *SIGNED_IN)


@router.post(
    "/register",
    status_code=201,
    responses=responses(EXISTS, NOT_ALLOWED),
    dependencies=limited("register"),
    openapi_extra=PUBLIC,
)
def register(new: schemas.NewUser, service: Service) -> Message:
    """Create an account. The first one needs the set-up code and becomes the administrator.

    If the site has a mail server, the e-mail address is saved when it is confirmed, with
    `/email/confirm`. If people register by approval, the account waits for an administrator.
    """
    service.accounts.register(**dict(new))
    return Message(message="User registered successfully")


add_session_routes(
    router,
    UsernameCredentials,
    schemas.Person,
    sign_in_path="/login",
    sign_out_path="/logout",
)
add_email_route(router)
TYPES = PersonTypes(
    "username",
    Username,
    schemas.Person,
    schemas.NewPerson,
    schemas.Invitation,
    schemas.RoleChange,
    EXISTS,
)
add_people_routes(people_router, TYPES)

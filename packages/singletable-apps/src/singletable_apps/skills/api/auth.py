"""Register, sign in, and read one's own account: the original's `/register`, `/login` and `/me`."""

from __future__ import annotations

from singletable_apps.shared.frame.people_api import (
    PersonTypes,
    UsernameCredentials,
    add_people_routes,
    add_registration_routes,
    add_session_routes,
)
from singletable_apps.shared.web import (
    SIGNED_IN,
    TOO_MANY_REQUESTS,
    api_router,
)
from singletable_apps.skills.api import schemas
from singletable_apps.skills.api.dependencies import EXISTS, Username

router = api_router("accounts", TOO_MANY_REQUESTS)
people_router = api_router("people", *SIGNED_IN)


add_registration_routes(router, EXISTS)
add_session_routes(
    router,
    UsernameCredentials,
    schemas.Person,
    sign_in_path="/login",
    sign_out_path="/logout",
)
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

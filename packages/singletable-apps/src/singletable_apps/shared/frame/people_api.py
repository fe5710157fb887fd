"""The API of accounts and people: sign in, invite people, change roles, and remove accounts.

An app adds the routes to its routers, with the types of its own bodies and answers:

    add_session_routes(router, UsernameCredentials)
    add_people_routes(router, PersonTypes(Username, Person, NewPerson, Invitation, RoleChange))
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Depends, Header, Request
from pydantic import ConfigDict, Field

from singletable_apps.shared import web
from singletable_apps.shared.accounts import AccountRole, Auth, SensitiveAction, SignedIn
from singletable_apps.shared.frame.state import Recent, limited, signed_in_user, state_of

Actor: TypeAlias = Annotated[Any, Depends(signed_in_user)]
UserAgent: TypeAlias = Annotated[str, Header(include_in_schema=False)]


def parameter(name: str, annotation: Any) -> Any:
    """Return a dependency on a parameter or body. Its name and type differ between apps."""

    async def read(**values: Any) -> Any:
        return values[name]

    only = Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation)
    read.__signature__ = Signature([only])  # type: ignore[attr-defined]
    return Depends(read)


async def _current_auth(request: Request) -> Any:
    return state_of(request).auth


async def _current_people(request: Request) -> Any:
    return state_of(request).people


CurrentAuth: TypeAlias = Annotated[Auth[Any], Depends(_current_auth)]
CurrentPeople: TypeAlias = Annotated[Any, Depends(_current_people)]


class Message(web.Document):
    """What was done."""

    message: str


# ------------------------------------------------------------------------------ sessions


class _Credentials(web.Model):
    password: str = Field(max_length=2000)
    device_token: str = Field("", max_length=200, description="From an earlier sign-in.")


class UsernameCredentials(_Credentials):
    """A username and a password."""

    username: str


class EmailCredentials(_Credentials):
    """An e-mail address and a password."""

    email: str = Field(examples=["ada@example.org"])


class RefreshToken(web.Model):
    """The token that renews a session, which works once."""

    refresh_token: str = Field(max_length=500)


class PasswordChange(web.Model):
    """The current and the new password."""

    current: str
    new: str


class EmailToken(web.Model):
    """The token from the link in an e-mail."""

    token: str = Field(min_length=1, max_length=200)


class Tokens(web.Document):
    """An access token, and a token to renew it."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    refresh_token: str
    expires_in: int = Field(description="Seconds until the access token expires.")
    device_token: str | None = Field(
        None, description="For the next sign-in from this device. A renewed session has none."
    )

    @classmethod
    def of(cls, auth: Auth[Any], signed_in: SignedIn[Any]) -> Tokens:
        """Return the tokens of a session."""
        return cls(
            access_token=signed_in.access,
            refresh_token=signed_in.refresh,
            expires_in=int(auth.lifetime.total_seconds()),
            device_token=signed_in.device or None,
        )


def add_session_routes(
    router: APIRouter,
    credentials: type[_Credentials],
    account: type[web.Document],
    *,
    prefix: str = "",
    sign_in_path: str = "/sign-in",
    sign_out_path: str = "/sign-out",
) -> None:
    """Add the routes to sign in and out, to change the password or address, and to read `/me`."""
    public: dict[str, Any] = {"dependencies": limited("sign_in"), "openapi_extra": web.PUBLIC}
    private: dict[str, Any] = {"responses": web.responses(web.NOT_SIGNED_IN)}

    @router.post(f"{prefix}{sign_in_path}", **private, **public)
    def sign_in(
        request: Request,
        auth: CurrentAuth,
        sent: Any = parameter("sent", credentials),  # noqa: B008
        user_agent: UserAgent = "",
    ) -> Tokens:
        """Sign in with a password.

        Send the `device_token` of an earlier response, so that others' guesses don't lock you out.
        """
        signed_in = auth.sign_in(
            getattr(sent, "username", "") or sent.email,
            sent.password,
            address=web.client_address(request),
            about=user_agent,
            device=sent.device_token,
        )
        return Tokens.of(auth, signed_in)

    @router.post(f"{prefix}/refresh", **private, **public)
    def refresh(sent: RefreshToken, auth: CurrentAuth) -> Tokens:
        """Exchange a refresh token, which works once, for new tokens."""
        return Tokens.of(auth, auth.renew(sent.refresh_token))

    @router.post(f"{prefix}{sign_out_path}", openapi_extra=web.PUBLIC)
    def sign_out(sent: RefreshToken, auth: CurrentAuth) -> Message:
        """End the session of a refresh token. An unknown token is ignored."""
        auth.sign_out(sent.refresh_token)
        return Message(message="You are signed out.")

    @router.put(f"{prefix}/password", **private)
    def change_password(
        change: PasswordChange, auth: CurrentAuth, actor: Actor, user_agent: UserAgent = ""
    ) -> Tokens:
        """Change your password. All sessions end, and a new one starts."""
        changed = auth.change_own_password(actor, change.current, change.new, about=user_agent)
        return Tokens.of(auth, changed)

    @router.get(f"{prefix}/me", response_model=account, **private)
    def read_me(actor: Actor) -> Any:
        """Return your account."""
        return account.model_validate(actor, from_attributes=True)


class NewUser(web.Model):
    """A new account."""

    username: str
    password: str
    name: str
    email: str = ""
    setup_code: str = Field(
        "", description="For the first account: the code that the command printed at start-up."
    )


def add_registration_routes(router: APIRouter, exists: web.ProblemType) -> None:
    """Add the routes to register with a username, and to confirm an e-mail address."""

    @router.post(
        "/register",
        status_code=201,
        responses=web.responses(exists, web.NOT_ALLOWED),
        dependencies=limited("register"),
        openapi_extra=web.PUBLIC,
    )
    def register(new: NewUser, people: CurrentPeople) -> Message:
        """Create an account. The first one needs the set-up code and becomes the administrator.

        If the site has a mail server, the e-mail address is saved when it is confirmed, with
        `/email/confirm`. If people register by approval, the account waits for an administrator.
        """
        people.register(**dict(new))
        return Message(message="User registered successfully")

    @router.post(
        "/email/confirm",
        responses=web.responses(web.NOT_SIGNED_IN),
        dependencies=limited("sign_in"),
        openapi_extra=web.PUBLIC,
    )
    def confirm_email(sent: EmailToken, people: CurrentPeople) -> Message:
        """Change an e-mail address with the single-use token from the e-mail to the new one."""
        people.emails.confirm(sent.token)
        return Message(message="Your e-mail address was changed.")


# ------------------------------------------------------------------------------ people


@dataclass(frozen=True)
class PersonTypes:
    """The types of an app: a person in the path, a person, and the bodies about people."""

    path_name: str
    path: Any
    person: type[web.Document]
    new: type[web.Model]
    invitation: type[web.Document]
    role: type[web.Model]
    exists: web.ProblemType


def add_people_routes(router: APIRouter, types: PersonTypes, *, role_path: str = "/role") -> None:
    """Add the routes to invite people, change their roles and remove them."""
    who_path = f"/users/{{{types.path_name}}}"

    @router.post(
        "/users",
        status_code=201,
        response_model=types.invitation,
        responses=web.responses(types.exists),
    )
    def invite_user(
        people: CurrentPeople,
        actor: Actor,
        recent: Recent,
        new: Any = parameter("new", types.new),  # noqa: B008
    ) -> Any:
        """Create an account without a password, and e-mail a link to choose one.

        Inviting someone who manages accounts requires a sign-in within the last five minutes.
        """
        if people.manages_accounts(new.role):
            recent(SensitiveAction.GIVE_CONTROL)
        invitation = people.invite(actor, **dict(new))
        return types.invitation.model_validate(invitation, from_attributes=True)

    @router.put(
        f"{who_path}{role_path}",
        response_model=types.person,
        responses=web.responses(web.NOT_FOUND),
    )
    def change_role(
        people: CurrentPeople,
        actor: Actor,
        edit: web.IfMatch,
        recent: Recent,
        who: Any = parameter(types.path_name, types.path),  # noqa: B008
        change: Any = parameter("change", types.role),  # noqa: B008
    ) -> Any:
        """Change what an account may do. The last administrator stays one.

        Letting someone manage accounts requires a sign-in within the last five minutes.
        """
        if people.manages_accounts(change.role):
            recent(SensitiveAction.GIVE_CONTROL)
        user = people.change_role(actor, who, change.role, edit.check)
        edit.answer(user.revision)
        return types.person.model_validate(user, from_attributes=True)

    @router.delete(who_path, responses=web.responses(web.NOT_FOUND))
    def delete_user(
        people: CurrentPeople,
        actor: Actor,
        edit: web.IfMatch,
        recent: Recent,
        who: Any = parameter(types.path_name, types.path),  # noqa: B008
    ) -> Message:
        """Remove an account and end its sessions.

        This requires a sign-in within the last five minutes.
        """
        recent(SensitiveAction.DELETE_ACCOUNT)
        user = people.remove(actor, who, edit.check)
        return Message(message=f"{user.name} can no longer sign in.")


# ------------------------------------------------------------------------------ a whole API


class Person(web.Document):
    """A person, without what is secret."""

    model_config = ConfigDict(from_attributes=True)

    username: str
    name: str
    email: str
    role: AccountRole


class NewPerson(web.Model):
    """Someone to invite."""

    username: str
    name: str
    email: str
    role: AccountRole = AccountRole.USER


class PersonInvitation(web.Document):
    """A new account, and whether the e-mail was sent."""

    user: Person
    is_sent: bool


class RoleChange(web.Model):
    """What an account may do from now on."""

    role: AccountRole


def username_routers() -> tuple[APIRouter, APIRouter]:
    """Return the API of an app with UsernameAccounts."""
    accounts, people = (
        web.api_router("accounts", web.TOO_MANY_REQUESTS),
        web.api_router("people", *web.SIGNED_IN),
    )
    add_registration_routes(accounts, web.INVALID)
    add_session_routes(accounts, UsernameCredentials, Person)
    types = PersonTypes(
        "username", web.Segment, Person, NewPerson, PersonInvitation, RoleChange, web.INVALID
    )

    @people.get("/users")
    def list_users(
        found: CurrentPeople, actor: Actor, page: web.Pagination, q: str = ""
    ) -> web.Page[Person]:
        """List people by name. `q` are words in the name or e-mail address."""
        shown = found.list_people(actor, q[:200], limit=page.limit, cursor=page.cursor)
        return page.answer([Person.model_validate(each) for each in shown.items], shown.cursor)

    add_people_routes(people, types)
    return accounts, people

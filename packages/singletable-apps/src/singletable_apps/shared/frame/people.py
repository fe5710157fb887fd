"""What differs between the people of apps: `PeopleSpec` declares it, and all pages follow from it.

APP = with_accounts(AppSpec[NotesService](…), PeopleSpec(roles=ROLES))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, Self, TypeVar, cast

from fastapi import Request, Response

from singletable_apps.shared.accounts import People, Scope
from singletable_apps.shared.frame.page import PageContext, UserPageContext
from singletable_apps.shared.frame.state import state_of
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import Link
from singletable_apps.shared.urls import Urls

S = TypeVar("S")


@dataclass(frozen=True)
class RoleName:
    """A role as people see it. With a `tab`, the list of people can show only this role."""

    role: Any
    name: str
    description: str
    tab: str = ""


@dataclass(frozen=True)
class Column:
    """A fact about people, beside those that every app shows."""

    label: str
    value: Callable[[Any], object]
    kind: Literal["text", "number", "moment"] = "text"
    missing: str = "–"


@dataclass(frozen=True)
class RemovalText:
    """What removing an account means: facts for the confirmation, and a note beside the button."""

    facts: Sequence[tuple[str, str]]
    note: str
    own_facts: Sequence[tuple[str, str]] = ()
    own_note: str = ""


@dataclass(frozen=True)
class PeopleSpec(Generic[S]):
    """The people of an app.

    `roles` are all roles, lowest first; with approval, newcomers have the role `waiting` until they
    get `member` or another one. Who gets one of `admins` manages accounts, so giving it needs the
    password. People who wait see only their account, unless the app `admits_waiting` and checks
    what they may do. `find(service)` returns the people.

    Pages: those of accounts are below `prefix`, the list of people is at `people_path`, and all
    are in the template `frame`. `prepare` is called for each of them first. `templates` replace the
    templates in `people`, by name. People sign in with `login`, and go to `home`, the parts of a
    URL, or after registering to the URL that `welcome(page, user)` returns with a text.

    Forms: people register themselves if the app `registers`, and administrators invite people if it
    `invites`, with `usernames` if they have one. `hints` explain fields, such as
    "register.name". `list_context(page)` returns more variables of the list. `scopes` are those of
    personal access tokens, each with what it allows; without any, there are no tokens.
    """

    roles: Sequence[RoleName]
    admins: frozenset[Any]
    member: Any
    removal: RemovalText
    waiting: Any = None
    admits_waiting: bool = False
    # Roles that are given on a page of the app, by the last part of its URL.
    confirmed: Mapping[str, str] = field(default_factory=dict[str, str])
    find: Callable[[S], People[Any]] = lambda service: cast(Any, service).accounts
    prefix: tuple[str, ...] = ()
    people_path: tuple[str, ...] = ("people",)
    frame: str = "frame.html"
    title: str = "People"
    intro: str = "Who may sign in, and what they may do."
    crumbs: Sequence[tuple[str, tuple[str, ...]]] = ()
    prepare: Callable[[Request], None] = lambda request: None
    templates: Mapping[str, str] = field(default_factory=dict[str, str])
    login: str = "Username"
    login_of: Callable[[Any], str] = lambda user: user.username
    home: tuple[str, ...] = ()
    signed_out: tuple[str, ...] = ()
    # The page to create the first account, with the set-up code.
    setup_page: str = "register"
    registers: bool = True
    register: Callable[[S, Mapping[str, Any]], Any] = lambda service, values: cast(
        Any, service
    ).accounts.register(**values)
    register_intro: str = ""
    welcome: Callable[[Any, Any], tuple[str, str]] = lambda page, user: (
        page.urls.page(*page.spec.home),
        "",
    )
    invites: bool = True
    # Whether the app has the API of UsernameAccounts, and not its own.
    default_api: bool = False
    usernames: bool = True
    requires_email: bool = False
    edits_profile: bool = True
    hints: Mapping[str, str] = field(default_factory=dict[str, str])
    columns: Sequence[Column] = ()
    list_context: Callable[[Any], Mapping[str, object]] = lambda page: {}
    max_name: int = 100
    scopes: Mapping[Scope, str] = field(default_factory=dict[Scope, str])

    def name_of(self, role: Any) -> str:
        """Return the name of a role."""
        return next(each.name for each in self.roles if each.role == role)

    def describe(self, role: Any) -> str:
        """Return the name of a role, and what people with it may do."""
        found = next(each for each in self.roles if each.role == role)
        name, about = Phrase(found.name), Phrase(found.description)
        return Phrase("%(name)s – %(about)s", name=name, about=about)

    @property
    def first(self) -> Any:
        """The role of the first account."""
        return self.roles[-1].role

    def choices(self, roles: Sequence[Any]) -> list[tuple[Any, str, str]]:
        """Return the options of a choice between roles."""
        listed = [each for each in self.roles if each.role in roles]
        return [(each.role, each.name, each.description) for each in listed]


class _PeoplePage:
    """What the pages of accounts and people have in common."""

    request: Request

    @property
    def spec(self) -> PeopleSpec[Any]:
        """The declaration of the app."""
        return people_spec(self.request)

    @property
    def people(self) -> People[Any]:
        """The people of the app."""
        return self.spec.find(state_of(self.request).service)

    def url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page of one's own account."""
        urls: Urls = state_of(self.request).service.context.urls
        return urls.page(*self.spec.prefix, *parts, **query)

    def people_url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page about others."""
        urls: Urls = state_of(self.request).service.context.urls
        return urls.page(*self.spec.people_path, *parts, **query)

    def person_url(self, user: Any, *parts: str) -> str:
        """Return the URL of a page about someone."""
        return self.people_url(self.people.url_part(user), *parts)

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template in `people`, or the one with which the app replaces it."""
        spec = self.spec
        path = spec.templates.get(template, f"people/{template}.html")
        return state_of(self.request).pages.render(
            self.request, path, status, page=self, spec=spec, frame=spec.frame, **context
        )


class VisitorPage(_PeoplePage, PageContext[Any, Urls]):
    """A page for everyone, such as the one to register."""

    @classmethod
    def visited(cls, request: Request) -> Self:
        """Return the context, and identify a signed-in user."""
        people_spec(request).prepare(request)
        return super().visited(request)


class MemberPage(_PeoplePage, UserPageContext[Any, Urls, Any]):
    """A page of a signed-in user, approved or not."""

    admits_waiting = True

    @classmethod
    def signed_in(cls, request: Request) -> Self:
        """Return the context, or ask people to sign in."""
        people_spec(request).prepare(request)
        return super().signed_in(request)

    def find_frame(self) -> str:
        """Return the template in which confirmations are shown."""
        return self.spec.frame

    def is_self(self, user: Any) -> bool:
        """Return whether it is one's own account."""
        return bool(user.user_id == self.user.user_id)

    def since(self, user: Any) -> datetime:
        """Return when someone got an account."""
        at: datetime = getattr(user, "created_at", None) or user.when_registered
        return at

    def crumbs(self, *links: Link) -> list[Link]:
        """Return the links above a page about people."""
        return [*(Link(text, self.urls.page(*parts)) for text, parts in self.spec.crumbs), *links]

    def facts(
        self, user: Any, *, own: bool = False, has_email_field: bool = False
    ) -> list[tuple[str, object, str]]:
        """Return what is shown of an account: a label, a value and its kind."""
        account, spec = self.auth.account_of(user), self.spec
        facts: list[tuple[str, object, str]] = []
        if spec.usernames:
            facts.append(("Username", user.username, "text"))
        missing = "None, so you can’t reset a forgotten password" if own else "–"
        if not has_email_field:
            facts.append(("E-mail address", account.email or missing, "text"))
        facts.append(("Role", spec.describe(user.role), "phrase"))
        facts.append(("Since", self.since(user), "day"))
        if not own:
            facts += [(each.label, each.value(user), each.kind) for each in spec.columns]
        return facts


def people_spec(request: Request) -> PeopleSpec[Any]:
    """Return the declaration of the people of an app."""
    return cast(PeopleSpec[Any], state_of(request).people)

"""What the pages about accounts and people say in an app, `AppSpec(people=PeopleSpec(…))`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self, cast

from fastapi import Request, Response

from singletable_apps.shared.accounts import People, Scope
from singletable_apps.shared.frame.page import PageContext, UserPageContext
from singletable_apps.shared.frame.state import state_of
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.urls import Urls


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
class PeopleSpec:
    """What people read about accounts. What they may do is in the service: see `People`.

    `roles` are all roles, lowest first. `hints` explain fields, such as "register.name", and pages:
    "register" and "list". `columns` are facts about people. `scopes` are those of personal access
    tokens, each with what it allows; without any, there are no tokens.

    A template `APP/people/PAGE.html` replaces the one in `people`, and `APP/people/frame.html` is
    the frame of all of them.
    """

    roles: Sequence[RoleName]
    removal: RemovalText
    hints: Mapping[str, str] = field(default_factory=dict[str, str])
    columns: Sequence[Column] = ()
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
    def spec(self) -> PeopleSpec:
        """The texts of the app."""
        return people_spec(self.request)

    @property
    def people(self) -> People[Any]:
        """The people of the app."""
        return state_of(self.request).people

    def url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page of one's own account."""
        urls: Urls = state_of(self.request).service.context.urls
        return urls.account(*parts, **query)

    def people_url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page about others."""
        urls: Urls = state_of(self.request).service.context.urls
        return urls.page(*self.people.people_path, *parts, **query)

    def person_url(self, user: Any, *parts: str) -> str:
        """Return the URL of a page about someone."""
        return self.people_url(self.people.url_part(user), *parts)

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template in `people`, or the one with which the app replaces it."""
        path = self._find(f"people/{template}.html", f"people/{template}.html")
        return state_of(self.request).pages.render(
            self.request,
            path,
            status,
            page=self,
            spec=self.spec,
            frame=self.find_frame(),
            **context,
        )

    def find_frame(self) -> str:
        """Return the template around the pages; confirmations are shown in it, too."""
        return self._find("people/frame.html", "frame.html")

    def _find(self, name: str, otherwise: str) -> str:
        pages = state_of(self.request).pages
        return pages.find_template(self.request, f"{pages.name}/{name}", otherwise)


class VisitorPage(_PeoplePage, PageContext[Any, Urls]):
    """A page for everyone, such as the one to register."""

    @classmethod
    def visited(cls, request: Request) -> Self:
        """Return the context, and identify a signed-in user."""
        state_of(request).prepare(request)
        return super().visited(request)


class MemberPage(_PeoplePage, UserPageContext[Any, Urls, Any]):
    """A page of a signed-in user, approved or not."""

    admits_waiting = True

    @classmethod
    def signed_in(cls, request: Request) -> Self:
        """Return the context, or ask people to sign in."""
        state_of(request).prepare(request)
        return super().signed_in(request)

    def is_self(self, user: Any) -> bool:
        """Return whether it is one's own account."""
        return bool(user.user_id == self.user.user_id)

    def since(self, user: Any) -> datetime:
        """Return when someone got an account."""
        at: datetime = getattr(user, "created_at", None) or user.when_registered
        return at

    def facts(
        self, user: Any, *, own: bool = False, has_email_field: bool = False
    ) -> list[tuple[str, object, str]]:
        """Return what is shown of an account: a label, a value and its kind."""
        account, spec = self.auth.account_of(user), self.spec
        facts: list[tuple[str, object, str]] = []
        if self.people.has_usernames:
            facts.append(("Username", user.username, "text"))
        missing = "None, so you can’t reset a forgotten password" if own else "–"
        if not has_email_field:
            facts.append(("E-mail address", account.email or missing, "text"))
        facts.append(("Role", spec.describe(user.role), "phrase"))
        facts.append(("Since", self.since(user), "day"))
        if not own:
            facts += [(each.label, each.value(user), each.kind) for each in spec.columns]
        return facts


def people_spec(request: Request) -> PeopleSpec:
    """Return the texts of an app about its people."""
    return cast(PeopleSpec, state_of(request).people_spec)

"""Who visits a page: known by two cookies, which are renewed on the way."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request, Response

from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.api.problems import WRONG_STATE
from singletable_apps.elections.entities import Election, State, User
from singletable_apps.elections.errors import NotSignedIn
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import check_owner, has_begun, has_ended, state_of
from singletable_apps.elections.rules.names import is_same_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service import SignedIn
from singletable_apps.shared.pages import Link
from singletable_apps.shared.web import NOT_ALLOWED, Cookie, Problem

ACCESS_COOKIE = Cookie("elections_access")
SESSION_COOKIE = Cookie("elections_session")


def sign_in(request: Request, site: Site, signed_in: SignedIn) -> None:
    """Keep the session in the browser's cookies."""
    left = signed_in.ends - site.elections.context.clock()
    max_age = max(0, int(left.total_seconds()))
    ACCESS_COOKIE.set(request, signed_in.access, max_age=max_age)
    SESSION_COOKIE.set(request, signed_in.refresh, max_age=max_age)
    request.state.signed_in = signed_in
    request.state.user = signed_in.user


def sign_out(request: Request, site: Site) -> None:
    """End the session and delete its cookies."""
    site.elections.auth.sign_out(refresh_token(request))
    _forget(request)


def refresh_token(request: Request) -> str:
    """Return the token that renews the session, as the browser has it after this request."""
    renewed: SignedIn | None = getattr(request.state, "signed_in", None)
    return renewed.refresh if renewed else SESSION_COOKIE.read(request)


def _visitor(request: Request, site: ThisSite) -> User | None:
    """Return the user who is signed in, or None. An expired access token is renewed."""
    site.elections.context.check_whole()
    auth = site.elections.auth
    request.state.user = None
    try:
        request.state.user = auth.authenticate(ACCESS_COOKIE.read(request))
    except NotSignedIn:
        if refresh := SESSION_COOKIE.read(request):
            try:
                sign_in(request, site, auth.renew(refresh))
            except NotSignedIn:
                _forget(request)
    user: User | None = request.state.user
    return user


def _forget(request: Request) -> None:
    ACCESS_COOKIE.delete(request)
    SESSION_COOKIE.delete(request)
    request.state.signed_in = None
    request.state.user = None


# Who looks at the page, if they have signed in.
Visitor: TypeAlias = Annotated[User | None, Depends(_visitor)]


def _known(visitor: Visitor) -> User:
    if visitor is None:
        raise NotSignedIn("Sign in to see this.")
    return visitor


# Who has signed in, whatever their role is; others are led to the page for that.
Known: TypeAlias = Annotated[User, Depends(_known)]


def _viewer(user: Known) -> User:
    check_permission(user, Permission.VIEW_APPLICATION)
    return user


# Who may see the application.
Viewer: TypeAlias = Annotated[User, Depends(_viewer)]


# The frame of every page about one election: its name, where it stands, and its tabs.
#
# Handler: site.pages.render(request, "…", **election_context(site, election, user, "tally"), …)
# A template: {% extends "elections/election_frame.html" %} {% block tab %} … {% endblock %}
#
# `framed` gives `election`, `standing` and `tabs`; the last word is the tab that is open, as in the
# address: "" (Overview), candidates, voters, ballot, tally, voted, settings.


class Standing(StrEnum):
    """Where an election stands for who looks at it, its window included."""

    SETUP = "setup"
    WAITING = "waiting"
    OPEN = "open"
    FIXED = "fixed"
    ENDED = "ended"
    CLOSED = "closed"


_BY_STATE = {
    State.SETUP: Standing.SETUP,
    State.EDITABLE: Standing.OPEN,
    State.FIXED: Standing.FIXED,
    State.CLOSED: Standing.CLOSED,
}

_TABS = (
    ("", "Overview"),
    ("candidates", "Candidates"),
    ("voters", "Voters"),
    ("ballot", "Ballot"),
    ("tally", "Tally"),
    ("voted", "Who voted"),
)


def standing_of(election: Election, now: datetime) -> Standing:
    """Where the election stands now."""
    if election.allow_vote and not has_begun(election, now):
        return Standing.WAITING
    if election.allow_vote and has_ended(election, now):
        return Standing.ENDED
    return _BY_STATE[state_of(election)]


def is_owner(viewer: User, election: Election) -> bool:
    """Whether the election is the viewer's, and they may still conduct it."""
    return is_same_name(viewer.name, election.owner_name) and has_permission(
        viewer.role, Permission.USE_APPLICATION
    )


def may_settle(viewer: User, election: Election) -> bool:
    """Whether there is something in the settings that the viewer may do."""
    return is_owner(viewer, election) or has_permission(viewer.role, Permission.MANAGE_USERS)


def check_settles(viewer: User, election: Election) -> None:
    """Refuse unless there is something in the settings that the viewer may do."""
    if not may_settle(viewer, election):
        check_owner(viewer, election)


def election_links(election: Election, viewer: User, here: str) -> list[Link]:
    """The tabs of an election, for who looks at it."""
    tabs = [*_TABS, ("settings", "Settings")] if may_settle(viewer, election) else [*_TABS]
    return [Link(text, election_url(election, tab), tab == here) for tab, text in tabs]


def election_context(site: Site, election: Election, viewer: User, here: str) -> dict[str, object]:
    """What the frame needs."""
    return {
        "election": election,
        "standing": standing_of(election, site.elections.context.clock()),
        "tabs": election_links(election, viewer, here),
    }


def _chosen(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Election:
    election = site.elections.results.close_if_due(name)
    request.state.election = election
    return election


# The election in the address, closed first if its time is up.
CurrentElection: TypeAlias = Annotated[Election, Depends(_chosen)]


def _render_in_frame(request: Request, problem: Problem) -> Response | None:
    """Show a problem with an election in the frame of that election."""
    election: Election | None = getattr(request.state, "election", None)
    if election is None:
        return None
    site = cast(Site, request.app.state.election_pages)
    return site.pages.render(
        request,
        "elections/not_now.html",
        problem.status,
        **election_context(site, election, request.state.user, ""),
        title="This is for others to do" if problem.status == 403 else "Not at this point",
        words=problem.detail,
    )


PROBLEM_PAGES = {NOT_ALLOWED: _render_in_frame, WRONG_STATE: _render_in_frame}

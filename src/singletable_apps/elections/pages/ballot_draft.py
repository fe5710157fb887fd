"""Keep a ballot that was submitted after the session ended, until its voter signs in again.

Browsers with scripts keep drafts themselves. This works without: the ranking goes into a sealed
cookie that lasts a few minutes, and fills in the ballot once, for the same voter only.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import cast

from fastapi import Depends, Request
from pydantic import JsonValue

from singletable_apps.elections.entities import User
from singletable_apps.elections.pages.dependencies import ThisSite, UserPageContext, Visitor
from singletable_apps.elections.service import Elections
from singletable_apps.shared.ballot import RANK_PREFIX
from singletable_apps.shared.pages import Flash, PostedForm, path_of
from singletable_apps.shared.sealed import InvalidSeal, Sealer
from singletable_apps.shared.web import Cookie

MAX_AGE = timedelta(minutes=15)
# Browsers drop cookies above 4 kB.
MAX_LENGTH = 3_500
RESTORED = Flash("You were signed out. Your ranking is still here; cast it again.", "warning")
_COOKIE = Cookie("elections_draft", max_age=int(MAX_AGE.total_seconds()))


def voter_token(elections: Elections, user: User) -> str:
    """Return what marks a ballot form as this voter's, so that nobody else gets their draft."""
    return elections.context.keys.ballot_key.hmac("draft", str(user.user_id))


def _keep_draft(request: Request, site: ThisSite, visitor: Visitor, form: PostedForm) -> None:
    """Keep the submitted ranking if the visitor is signed out."""
    if visitor is not None:
        return
    ranks: dict[str, JsonValue] = {
        name.removeprefix(RANK_PREFIX): form.value(name)
        for name in form.values
        if name.startswith(RANK_PREFIX) and form.value(name)
    }
    draft: JsonValue = {"voter": form.value("voter"), "ranks": ranks}
    sealed = _sealer(site.elections).seal(draft, context=path_of(request))
    if ranks and len(sealed) <= MAX_LENGTH:
        _COOKIE.set(request, sealed)


# A dependency of the route that takes ballots; runs before the visitor is redirected to sign in.
KeepDraft = Depends(_keep_draft)


def take_draft(page: UserPageContext) -> Mapping[str, str] | None:
    """Return the ranks that were kept for this voter and this page, and forget them."""
    sealed = _COOKIE.read(page.request)
    if not sealed:
        return None
    _COOKIE.delete(page.request)
    try:
        sealer = _sealer(page.elections)
        draft = sealer.open(sealed, context=path_of(page.request), max_age=MAX_AGE)
    except InvalidSeal:
        return None
    values = cast(Mapping[str, JsonValue], draft)
    if values["voter"] != voter_token(page.elections, page.user):
        return None
    return cast(Mapping[str, str], values["ranks"])


def _sealer(elections: Elections) -> Sealer:
    return Sealer(elections.context.keys.secret, "ballot draft")

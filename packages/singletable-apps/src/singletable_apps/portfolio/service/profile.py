"""The person and the site: read and edit the portfolio and the settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from singletable import evolve, retry_conflicts
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Portfolio, Role, SiteSettings, User
from singletable_apps.portfolio.profile_rules import Changes, check_portfolio, check_settings
from singletable_apps.portfolio.rules import MAX_HTML_BYTES, PERMISSIONS, Permission
from singletable_apps.portfolio.service.context import Context
from singletable_apps.shared.errors import Busy, InvalidInput
from singletable_apps.shared.markdown import html_as_markdown, render_markdown
from singletable_apps.shared.service import RevisionCheck, any_revision

E = TypeVar("E", Portfolio, SiteSettings)
ID = "default"


class ProfileService:
    """The portfolio and the settings. `check` is called with the current revision."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # Of the settings as last read, for pages that must not read them, such as errors.
        self.language = "en"

    def get_portfolio(self, *, consistent: bool = False) -> Portfolio:
        """Return the portfolio; an empty one of revision 0 if nothing was saved yet."""
        stored = self._context.store.get(patterns.portfolio(ID), consistent=consistent)
        return stored or Portfolio(updated_at=self._context.clock())

    def get_settings(self, *, consistent: bool = False) -> SiteSettings:
        """Return the settings; the defaults with revision 0 if the site is not set up."""
        stored = self._context.store.get(patterns.settings(ID), consistent=consistent)
        settings = stored or SiteSettings(updated_at=self._context.clock())
        self.language = settings.language
        return settings

    def owner_address(self) -> str | None:
        """Return where to reach the owner: the address of the profile, or else of the account."""
        if address := self.get_portfolio().email:
            return address
        owner = self.owner()
        return None if owner is None else owner.email

    def owner(self) -> User | None:
        """Return the first owner, or None if the site is not set up."""
        users = self._context.store.run(patterns.all_users)
        return next((user for user in users if user.role is Role.OWNER), None)

    def is_set_up(self) -> bool:
        """Return whether the first account was created."""
        return self.get_settings(consistent=True).revision > 0

    def update_portfolio(
        self, actor: User, changes: Changes, check: RevisionCheck = any_revision
    ) -> Portfolio:
        """Change some fields of the portfolio, and create it if it is missing."""
        PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
        prefix = self._context.urls.prefix
        changes = render_about(check_portfolio(changes), media_prefix=prefix)
        return self._save(partial(self.get_portfolio, consistent=True), changes, check)

    def update_settings(
        self, actor: User, changes: Changes, check: RevisionCheck = any_revision
    ) -> SiteSettings:
        """Change some settings."""
        PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
        read = partial(self.get_settings, consistent=True)
        return self._save(read, check_settings(changes), check)

    @retry_conflicts(otherwise=lambda: Busy("Someone else is saving this right now. Try again."))
    def _save(self, read: Callable[[], E], changes: Changes, check: RevisionCheck) -> E:
        current = read()
        check(current.revision)
        changed = evolve(current, **changes, updated_at=self._context.clock())
        return self._context.store.put(changed)


def render_about(changes: Changes, *, media_prefix: str) -> Changes:
    """Add the HTML of the about page; HTML from the original system is kept as Markdown."""
    if "about_content" in changes:
        changes = {**changes, "about_markdown": html_as_markdown(changes["about_content"])}
    if "about_markdown" not in changes:
        return changes
    html = render_markdown(changes["about_markdown"], media_prefix=media_prefix)
    if len(html.encode()) > MAX_HTML_BYTES:
        raise InvalidInput({"about_markdown": f"Use at most {MAX_HTML_BYTES:,} bytes of HTML."})
    return {**changes, "about_content": html}

"""Sign in and manage accounts in a browser: accessible, narrow enough, and without errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from singletable_apps.portfolio.entities import Role
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors, find_axe_violations
from tests.browser.portfolio.server import Served

OpenAdmin = Callable[..., Page]


def _is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}])
@pytest.mark.parametrize("path", ["sign-in", "forgot", "forgot/sent", "reset"])
def test_pages_to_sign_in_are_accessible(
    open_page: OpenPage, served: Served, path: str, options: dict[str, object]
) -> None:
    page = open_page(**options)
    page.goto(served.admin(*path.split("/")))
    assert find_axe_violations(page) == []
    assert not _is_too_wide(page)


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}])
@pytest.mark.parametrize("path", ["account", "people", "people/invite"])
def test_pages_about_accounts_are_accessible(
    open_admin: OpenAdmin, served: Served, path: str, options: dict[str, object]
) -> None:
    page = open_admin(*path.split("/"), **options)
    assert find_axe_violations(page) == []
    assert not _is_too_wide(page)


# The navigation for authors is wider than a phone.
def test_current_page_is_visible_in_the_navigation_of_a_phone(open_admin: OpenAdmin) -> None:
    page = open_admin("people", viewport=PHONE)
    expect(page.get_by_role("link", name="People", exact=True).first).to_be_in_viewport()


def test_person_is_removed_in_a_dialog(open_admin: OpenAdmin, served: Served) -> None:
    accounts = served.service.accounts
    ben = accounts.invite(served.owner, "Ben", "ben@example.org", Role.AUTHOR).user
    page = open_admin("people", str(ben.user_id))
    errors = collect_errors(page)
    assert find_axe_violations(page) == []
    page.get_by_role("link", name="Remove account…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Remove Ben?")
    assert find_axe_violations(page) == []
    dialog.get_by_role("button", name="Remove account").click()
    expect(page.get_by_text("Ben was removed.")).to_be_visible()
    assert [user.name for user in accounts.list_accounts(served.owner)] == ["Ada"]
    assert errors == []

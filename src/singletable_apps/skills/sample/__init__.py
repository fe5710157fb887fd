"""A sample company: 120 people with 60 skills, the same every time."""

from __future__ import annotations

from collections.abc import Callable

from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.skills.entities import Directory, Role, User
from singletable_apps.skills.errors import NotPermitted
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.accounts import new_user_id

PASSWORD = "lantern copper river"
# Who can sign in: the username, the name, the role, and what the role may do.
ACCOUNTS = (
    ("ines", "Ines Okafor", Role.ADMIN, "Manages skills, jobs, people and imports"),
    ("tomasz", "Tomasz Lindqvist", Role.MANAGER, "Rates skills, sets targets, and plans teams"),
    ("priya", "Priya Raman", Role.USER, "Edits her own skills, and endorses others"),
)

Progress = Callable[[int, int], None]


def create_sample(service: SkillsService, progress: Progress | None = None) -> None:
    """Create the sample in an empty directory."""
    store = service.context.store
    if store.get(Directory.key(), consistent=True) is not None:
        raise NotPermitted("This directory is in use. Choose other tables for the sample.")
    password_hash = Passwords().hash(PASSWORD)
    store.create(Directory(name="Northwind Labs"))
    for username, name, role, _ in ACCOUNTS:
        store.create(
            User(
                username=username,
                user_id=new_user_id(),
                name=name,
                role=role,
                password_hash=password_hash,
            )
        )


def list_sample(service: SkillsService) -> SampleData | None:
    """Return the sample accounts, if they are there with their password, or None."""
    url = service.context.urls.page("sign-in")
    entries = [
        SampleEntry(
            f"{name}, {role}", about, url, {"who": username, "password": PASSWORD}, "Sign in as"
        )
        for username, name, role, about in ACCOUNTS
        for user in [service.context.find_user(username)]
        if user is not None and user.name == name and user.credentials == 1
    ]
    return SampleData(tuple(entries), PASSWORD) if entries else None

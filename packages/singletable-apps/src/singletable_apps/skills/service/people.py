"""People and their accounts: register, invite, find, change and delete them; and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial, reduce
from operator import attrgetter
from typing import Any, ClassVar, cast

from singletable import AlreadyExists as ItemExists
from singletable import Edit, Page, Path, evolve, retry_conflicts
from singletable_apps.shared.accounts import (
    Passwords,
    Registration,
    UsernameAccounts,
    busy_account,
    new_user_id,
    search_people,
)
from singletable_apps.shared.accounts.people import MAX_READ
from singletable_apps.shared.accounts.usernames import TAKEN, check_username
from singletable_apps.shared.errors import AlreadyExists, Busy
from singletable_apps.shared.service import RevisionCheck, any_revision
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns, rules
from singletable_apps.skills.entities import Directory, Role, User
from singletable_apps.skills.overview_rules import Colleague
from singletable_apps.skills.service.cascades import Cascades
from singletable_apps.skills.service.catalog import Catalog
from singletable_apps.skills.service.context import IS_HERE, Context, busy


class Accounts(UsernameAccounts[User]):
    """The accounts of the directory, by username. The base handles sessions and roles."""

    issuer = "skills"
    wrong_login = "Invalid credentials"
    entity = User
    by_id = patterns.user_by_id
    listed = User.by_name
    admin, member, waiting = Role.ADMIN, Role.USER, Role.WAITING
    role_names: ClassVar[Mapping[Role, str]] = {role: name for role, name, *_ in rules.ROLES}
    last_admin = "The directory needs an administrator. Make someone else an administrator first."
    role_change = patterns.change_role
    people_path = ("admin", "people")
    edits_profiles = False  # they have more fields here, on pages of their own

    def __init__(self, context: Context, passwords: Passwords, cascades: Cascades) -> None:
        super().__init__(context, passwords)
        self._context = context
        self._cascades = cascades

    def check_manager(self, actor: User) -> None:
        """Raise NotPermitted unless someone may manage accounts."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)

    def get_user(self, who: str) -> User:
        """Return a person by username, or raise NotFound."""
        return self._context.get_user(who, consistent=True)

    def find_by_id(self, subject: int) -> User | None:
        """Find an account by its number."""
        return self._store.run(patterns.user_by_id, subject)

    def find_by_login(self, login: str) -> User | None:
        """Find an account by its username, in any case."""
        return self._context.find_user(login, consistent=True)

    def list_admins(self) -> Iterator[User | None]:
        """Return the administrators in the index as they are now."""
        is_admin = User.role == Role.ADMIN
        for (username,) in self._store.select(patterns.all_users(), User.username, where=is_admin):
            yield self._context.find_user(username, consistent=True)

    def read_people(self, limit: int, cursor: str | None) -> Page[User]:
        """Return some people, by name."""
        return self._store.page(patterns.all_accounts(), limit, cursor=cursor, hydrate=True)

    @retry_conflicts(otherwise=busy_account)
    def remove(self, actor: User, who: str, check: RevisionCheck = any_revision) -> User:
        """Delete a person with everything that refers to them. Return the person as they were."""
        rules.check_self(actor, who)
        user = self.get_user(who)
        check(user.revision)
        self._cascades.check_not_moving(user)
        transaction = self.keep_admin(actor, user, patterns.start_cascade)
        self._cascades.start(user, transaction=transaction)
        return user

    def describe_invitation(self, actor: User, user: User) -> tuple[str, str]:
        """Return the subject of an invitation, and its first sentences."""
        directory = (self._store.run(patterns.directory) or Directory()).name
        text = f"{actor.name} invites you to {directory}, a directory of people and their skills."
        return f"Your account in {directory}", f"{text} Your username is {user.username}."

    def registration(self) -> Registration:
        """Return the setting: registration is open, by approval or closed."""
        return (self._store.run(patterns.directory) or Directory()).registration

    def set_registration(self, actor: User, registration: Registration) -> object:
        """Change the registration setting."""
        self.check_manager(actor)
        return self._store.update(Directory.key(), Directory.registration.set(registration))

    def is_new(self) -> bool:
        """Return whether no account exists yet. After a migration, settings are missing."""
        if self._store.run(patterns.directory) is not None:
            return False
        return not self._store.count(patterns.all_users(), limit=1)

    def _check_names(self, checks: InputChecks, username: str, name: str) -> tuple[str, str]:
        return check_username(checks, username), rules.check_name(checks, name)

    def _create(self, **fields: Any) -> User:
        """Create a person, and with the first one the settings of the directory."""
        user, directory = User(user_id=new_user_id(), **fields), self._store.run(patterns.directory)
        try:
            pattern = patterns.create_user if directory else patterns.create_directory
            with self._store.transaction(pattern=pattern) as transaction:
                transaction.create(user)
                if directory is None:
                    transaction.create(Directory())
        except ItemExists as error:
            if isinstance(error.current, Directory):
                # Someone else was first, and is the administrator.
                raise Busy("Someone else has just registered. Try again.") from error
            if self._context.find_user(user.username, consistent=True):
                raise AlreadyExists({"username": TAKEN}) from error
            # Someone was renamed or deleted. Once everything is moved, the username is free.
            self._cascades.check_free(user.username)
            return self._create(**fields)
        return self._context.get_user(user.username, consistent=True)


@dataclass(frozen=True)
class PersonEdit:
    """What someone changes in a profile. None keeps the value."""

    name: str | None = None
    title: str | None = None
    department: str | None = None
    location: str | None = None
    email: str | None = None
    about: str | None = None
    job_role: str | None = None


class People:
    """The people of the directory."""

    def __init__(self, context: Context, cascades: Cascades, accounts: Accounts) -> None:
        self._context = context
        self._store = context.store
        self._cascades = cascades
        self._accounts = accounts

    def list(
        self,
        search: str = "",
        *,
        department: str = "",
        job_role: str = "",
        role: Role | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Colleague]:
        """Return people with the words of `search` in their names, by name, from the index alone.

        A page with a filter may be short, or even empty, and have a cursor to go on.
        """
        wanted: dict[Path[User, Any], object] = {
            User.department: department,
            User.job_role: job_role,
            User.role: role,
        }
        filters = [path == value for path, value in wanted.items() if value]
        where = reduce(lambda one, other: one & other, filters) if filters else None
        paths = [getattr(User, each.name) for each in fields(Colleague)]
        # The types of a page end at four fields.
        read = partial(cast(Any, self._store).page, patterns.all_users(), limit, fields=paths)

        def read_rows(at: str | None) -> Page[Colleague]:
            page: Page[tuple[Any, ...]] = read(where=where, cursor=at, max_read=MAX_READ)
            return Page([Colleague(*row) for row in page.items], page.cursor)

        return search_people(read_rows, attrgetter("name"), search, limit=limit, cursor=cursor)

    def count(self) -> int:
        """Return how many people there are, from the index of names."""
        return sum(1 for _ in self._store.select(patterns.all_users(), User.username))

    def edit(
        self, actor: User, username: str, edit: PersonEdit, check: RevisionCheck = any_revision
    ) -> User:
        """Change a profile: one's own, or that of one's people. Only managers change jobs.

        Passwords are reset by e-mail, so only the owner and administrators change the address, and
        a new one takes effect when its owner opens the link in the e-mail to it. Before the
        account has an owner, there is nothing to protect, and the address changes immediately.
        """
        edited, email = self._save_edit(actor, username, edit, check)
        return edited if email is None else self._accounts.change_email(actor, edited, email)

    @retry_conflicts(otherwise=busy_account)
    def _save_edit(
        self, actor: User, username: str, edit: PersonEdit, check: RevisionCheck
    ) -> tuple[User, str | None]:
        """Save a profile. Return the new profile, and the entered address."""
        self._context.check_reach(actor, username)
        user = self._get(username, check)
        checked = self.check_edit(actor, user, edit)
        email = checked.pop("email", None)
        changes: list[Edit[User]] = [
            getattr(User, name).set(value)
            for name, value in checked.items()
            if value != getattr(user, name)
        ]
        if not changes:
            return user, email
        unchanged = (User.revision == user.revision) & IS_HERE
        return self._store.update(User.key(username), *changes, if_=unchanged), email

    @retry_conflicts(otherwise=busy_account)
    def rename(
        self, actor: User, username: str, new_username: str, check: RevisionCheck = any_revision
    ) -> User:
        """Change a username. Sessions, skills, endorsements and teams stay with the person."""
        rules.check_self(actor, username)
        checks = InputChecks()
        new = check_username(checks, new_username)
        checks.raise_errors()
        user = self._get(username, check)
        self._cascades.check_not_moving(user)
        try:
            if rules.is_same_user(username, new):
                return self._store.replace(evolve(user, username=new))
            self._cascades.start(user, new)
        except ItemExists:
            self._cascades.check_free(new)
            raise
        return self._context.get_user(new, consistent=True)

    def settings(self) -> Directory:
        """Return the settings of the directory."""
        return self._store.run(patterns.directory) or Directory()

    @retry_conflicts(otherwise=busy("the settings"))
    def edit_settings(
        self,
        actor: User,
        name: str,
        registration: Registration | None = None,
        levels: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        check: RevisionCheck = any_revision,
    ) -> Directory:
        """Change the name of the directory, registration, and the words; None keeps a value.

        Skills follow a category whose place another name has.
        """
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        checks = InputChecks()
        name = checks.line("name", name, longest=rules.MAX_NAME, required=True)
        before = self.settings()
        if levels is not None:
            levels = rules.check_words(checks, "levels", levels, len(rules.LEVELS))
        if categories is not None:
            categories = rules.check_words(checks, "categories", categories, rules.MAX_CATEGORIES)
        checks.raise_errors()
        check(before.revision)
        if categories is not None:
            moves = rules.match_categories(rules.words_of(before).categories, categories)
            Catalog(self._context).move_categories(moves)
        return self._store.update(
            Directory.key(),
            Directory.name.set(name),
            Directory.registration.set(registration or before.registration),
            Directory.levels.set(before.levels if levels is None else [*levels]),
            Directory.categories.set(before.categories if categories is None else [*categories]),
            if_=Directory.revision == before.revision,
        )

    def check_edit(self, actor: User, user: User, edit: PersonEdit) -> dict[str, str]:
        """Return the edit with its text normalized, or raise InvalidInput or NotPermitted."""
        checks = InputChecks()
        checked = {name: text for name, text in vars(edit).items() if text is not None}
        for field, text in checked.items():
            match field:
                case "name":
                    checked[field] = rules.check_name(checks, text)
                case "email":
                    checked[field] = checks.email(field, text)
                case "about":
                    checked[field] = checks.text(field, text, longest=rules.MAX_ABOUT)
                case "job_role":
                    if text and self._context.find(patterns.job, text) is None:
                        checks.reject(field, "There is no such job. Choose one of the list.")
                case _:
                    checked[field] = checks.line(field, text, longest=rules.MAX_NAME)
        checks.raise_errors()
        if checked.get("email", user.email) != user.email:
            rules.check_self(actor, user.username)
        if checked.get("job_role", user.job_role) != user.job_role:
            rules.PERMISSIONS.check(actor.role, rules.Permission.PLAN)
        return checked

    def _get(self, username: str, check: RevisionCheck) -> User:
        user = self._context.get_user(username, consistent=True)
        check(user.revision)
        return user

"""A test world: a driver, a clock that tests move, a mailbox, images in memory, and a service."""

from __future__ import annotations

from datetime import timedelta

from singletable import Call, Driver
from singletable.testing import StoreClock
from singletable_apps.portfolio.entities import Role, User, data_table
from singletable_apps.portfolio.patterns import patterns
from singletable_apps.portfolio.service import PortfolioService, open_portfolio
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.objects import MemoryBucket
from tests.apps.support.mailbox import Mailbox
from tests.apps.support.patterns import check_declared

SECRET = b"of tests" * 4
PASSWORD = "nine blue horses"
PUBLIC = "https://ada.example"


class World:
    """A driver and a clock; `service` is open on them, and others can be."""

    def __init__(self, driver: Driver, *, like: World | None = None) -> None:
        self.driver = driver
        self.clock: StoreClock = like.clock if like else StoreClock(tick=timedelta.resolution)
        self.bucket: MemoryBucket = like.bucket if like else MemoryBucket()
        self.mailbox: Mailbox = like.mailbox if like else Mailbox()
        self.calls: list[Call] = []
        self.service = self.open()

    def open(self, driver: Driver | None = None) -> PortfolioService:
        """Another service on the same tables, as another process would have it."""
        return open_portfolio(
            driver or self.driver,
            SECRET,
            bucket=self.bucket,
            mailer=lambda _: self.mailbox,
            urls=Urls(public=PUBLIC),
            clock=self.clock,
            passwords=Passwords(memory_kib=64, passes=1),
            observers=[self.calls.append],
        )

    def set_up(self) -> User:
        """Set up the site, and return its owner."""
        return self.service.accounts.set_up("Ada", "Ada@example.org", PASSWORD, "Ada’s notes")

    def owner(self) -> User:
        """Return the owner of a site that was set up."""
        owner = self.service.context.store.get(User.key("ada@example.org"), consistent=True)
        assert owner is not None
        return owner

    def user(
        self, role: Role = Role.OWNER, email: str = "ada@example.org", name: str = "Ada"
    ) -> User:
        """Return an account that is not stored: the service needs no more than its fields."""
        return User(
            email=email,
            user_id=1,
            name=name,
            role=role,
            password_hash="",
            created_at=self.clock().replace(microsecond=0),
        )

    def check_calls(self) -> None:
        """Fail if a service has called its store in a way that no pattern declares."""
        check_declared(self.calls, patterns, (data_table,))

"""A test world: a driver, a clock that tests move, a mailbox, images in memory, and a service."""

from __future__ import annotations

from singletable import Driver
from singletable.testing import StoreClock
from singletable_apps.portfolio.entities import Role, User, data_table
from singletable_apps.portfolio.patterns import patterns
from singletable_apps.portfolio.service import PortfolioService, open_portfolio
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.mail import EmailDelivery
from singletable_apps.shared.objects import MemoryBucket
from tests.apps.support.worlds import AppWorld

SECRET = b"of tests" * 4
PASSWORD = "nine blue horses"
PUBLIC = "https://ada.example"


class World(AppWorld[PortfolioService]):
    """A site; `bucket` has its images."""

    patterns = patterns
    tables = (data_table,)

    def __init__(
        self, driver: Driver, clock: StoreClock | None = None, *, like: World | None = None
    ) -> None:
        self.bucket: MemoryBucket = like.bucket if like else MemoryBucket()
        super().__init__(driver, clock, like=like)

    def open(self, driver: Driver | None = None) -> PortfolioService:
        """Another service on the same tables, as another process would have it."""
        return open_portfolio(
            driver or self.driver,
            SECRET,
            bucket=self.bucket,
            emails=EmailDelivery(self.server),
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

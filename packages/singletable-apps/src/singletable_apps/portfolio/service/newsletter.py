"""The newsletter: readers subscribe with a link in an e-mail, and the owner sends them posts.

Before someone opens the link, nothing about them is stored: the link itself has the address,
sealed. Posts are sent from a queue, which notes what became of each e-mail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable import Page
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Subscriber, Unsubscribed, User
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.rules import PERMISSIONS, Permission, SwitchedOff
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.portfolio.service.profile import ProfileService
from singletable_apps.shared.accounts import Throttle, TooManyAttempts
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.mail import Email
from singletable_apps.shared.outbox import Author, DeliveryState, Notice
from singletable_apps.shared.sealed import InvalidSeal, Sealer
from singletable_apps.shared.text import InputChecks

LINK_LIFETIME = timedelta(days=3)
_FREE_LINKS = 3


@dataclass(frozen=True, slots=True)
class Sending:
    """What has become of a post in the newsletter: e-mails by state, and the problems."""

    waiting: int
    sent: int
    problems: list[tuple[str, str]]


class NewsletterService:
    """Subscribe, unsubscribe, and send posts to the subscribers."""

    def __init__(self, context: Context, profile: ProfileService) -> None:
        self._context, self._profile, self._store = context, profile, context.store
        self._sealer = Sealer(context.secret, str, "newsletter")
        self._throttle = Throttle(self._store, secret=context.secret, free=_FREE_LINKS)

    def subscribe(self, email: str, website: str = "") -> None:
        """E-mail a link to an address, or that it has subscribed already.

        The result and the time it takes are the same. `website` is a trap: bots fill it in.
        """
        settings = self._profile.get_settings()
        if not settings.newsletter:
            raise SwitchedOff("This site has no newsletter.")
        checks = InputChecks()
        address = checks.email("email", email, required=True, is_public=True)
        checks.raise_errors()
        if website:
            return
        now = self._context.clock()
        language = TRANSLATIONS[settings.language]
        subject = language.gettext("Confirm: %(site)s", site=settings.title)
        known = language.gettext(
            "Someone, probably you, wants to get the posts of %(site)s by e-mail. This address "
            "gets them already, so nothing has changed.\n",
            site=settings.title,
        )
        text = language.gettext(
            "Someone, probably you, wants to get the posts of %(site)s by e-mail. To confirm, open "
            "this link within three days:\n\n%(link)s\n\n"
            "If it wasn’t you, do nothing: you won’t get another e-mail.\n",
            site=settings.title,
            link=self._link("confirm", address),
        )
        try:
            self._throttle.attempt([("newsletter", address.casefold())], now)
        except TooManyAttempts:
            return
        is_known = self._find(self._digest(address)) is not None
        self._context.mail.send(Email(address, subject[:200], known if is_known else text), now)

    def read_link(self, token: str) -> str:
        """Return the address that a link confirms, without using the link."""
        return self._open(token, "confirm", LINK_LIFETIME)

    def confirm(self, token: str) -> str:
        """Subscribe the address of a link, and return it."""
        address, now = self.read_link(token), self._context.clock()
        digest = self._digest(address)
        with self._store.transaction(pattern=patterns.subscribe) as transaction:
            transaction.put(Subscriber(digest=digest, email=address, confirmed_at=now))
            transaction.delete(Unsubscribed.key(digest))
        return address

    def unsubscribe(self, token: str) -> None:
        """Remove the reader of a link. It works twice."""
        self._remove(self.check_reader(token))

    def check_reader(self, token: str) -> str:
        """Return the digest of the reader of a link to unsubscribe, or raise NotFound."""
        return self._open(token, "unsubscribe")

    def subscribers(self, actor: User, cursor: str | None = None) -> Page[Subscriber]:
        """Return a page of the subscribers."""
        PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
        return self._store.page(patterns.subscribers(), 50, cursor=cursor)

    def list_all(self) -> list[Subscriber]:
        """Return all subscribers."""
        return [*self._store.query(patterns.subscribers(), consistent=True)]

    def restore(
        self, actor: User, readers: Mapping[str, datetime], *, dry_run: bool = False
    ) -> dict[str, Outcome]:
        """Subscribe readers by address and time of confirmation, except those who have left."""
        PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
        checks, known = InputChecks(), {each.digest: Outcome.SKIPPED for each in self.list_all()}
        # Read last: a reader who leaves in between is in both lists.
        for left in self._store.query(patterns.unsubscribed(), consistent=True):
            known[left.digest] = Outcome.LEFT_OUT
        found = {
            email: Subscriber(digest=self._digest(address), email=address, confirmed_at=at)
            for email, at in readers.items()
            for address in [checks.email(email, email, required=True, is_public=True)]
        }
        checks.raise_errors()
        if not dry_run:
            added = {each.digest: each for each in found.values() if each.digest not in known}
            self._store.put_many(added.values())
        return {email: known.get(each.digest, Outcome.CREATED) for email, each in found.items()}

    def count(self) -> int:
        """Return the number of subscribers."""
        return self._store.count(patterns.subscribers())

    def remove(self, actor: User, digest: str) -> None:
        """Remove a subscriber."""
        PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
        self._remove(digest)

    def _remove(self, digest: str) -> None:
        """Delete a reader with the address, and note the digest, so that no import adds them."""
        with self._store.transaction(pattern=patterns.unsubscribe) as transaction:
            transaction.delete(Subscriber.key(digest))
            transaction.put(Unsubscribed(digest=digest))

    def send(self, actor: User, blog_id: str) -> int:
        """Send a post to the subscribers still without it, and return their number."""
        PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
        blog, urls = self._context.get_public_blog(blog_id), self._context.urls
        about = blog.seo_description or blog.excerpt
        # The queue would replace {link} and {unsubscribe} in the words of the author.
        about = about.replace("{", "(").replace("}", ")")
        url = urls.absolute(urls.post(blog.slug))
        settings = self._profile.get_settings()
        text = TRANSLATIONS[settings.language].gettext(
            "%(about)s\n\nRead it: %(url)s\n\n-- \n%(site)s\nNo more of these: {unsubscribe}\n",
            about=about,
            url=url,
            site=settings.title,
        )
        notices = (
            Notice(
                author=Author(str(actor.user_id), has_daily_limit=False),
                about=blog.blog_id,
                purpose="post",
                recipient=reader.digest,
                to=reader.email,
                subject=blog.title[:200],
                text=text,
                can_unsubscribe=True,
            )
            for reader in self.list_all()
        )
        return self._context.mail.enqueue(notices, self._context.clock())

    def unsubscribe_link(self, reader: str) -> str:
        """Return the link of a reader, by digest, to unsubscribe."""
        return self._link("unsubscribe", reader)

    def sending(self, blog_id: str) -> Sending:
        """Return what has become of a post in the newsletter."""
        deliveries = [*self._context.mail.deliveries(blog_id)]
        states = Counter(each.state for each in deliveries)
        failed = [each for each in deliveries if each.state is DeliveryState.FAILED]
        readers = ((self._find(each.recipient), each.problem) for each in failed)
        problems = [(reader.email, problem) for reader, problem in readers if reader]
        return Sending(states[DeliveryState.WAITING], states[DeliveryState.SENT], problems)

    def _find(self, digest: str) -> Subscriber | None:
        return self._store.run(patterns.subscriber, digest)

    def _digest(self, address: str) -> str:
        return self._context.keyed_hash("newsletter", address.casefold())

    def _link(self, use: str, value: str) -> str:
        token = self._sealer.seal(value, context=use)
        return self._context.urls.absolute(self._context.urls.page("newsletter", use, token))

    def _open(self, token: str, use: str, max_age: timedelta | None = None) -> str:
        try:
            return self._sealer.open(token, context=use, max_age=max_age)
        except InvalidSeal:
            text = "This link has expired or is incomplete. Subscribe again."
            raise NotFound(text) from None

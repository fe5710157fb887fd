"""E-mails to people, sent once from the queue; and those about certificates that expire."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import TypeAlias

from singletable_apps.shared.mail import InvalidEmail
from singletable_apps.shared.outbox import SITE, Notice
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Certification, User
from singletable_apps.skills.round_rules import managers_of
from singletable_apps.skills.service.catalog import Part

# How long before a certificate expires its owner and their managers are told.
EXPIRY_NOTICE = timedelta(days=30)
# The person, what it is about and its purpose, such as a round and "open"; subject, text and link.
PersonalEmail: TypeAlias = tuple[User, tuple[str, str], str, str, str]


class Notices(Part):
    """Writes e-mails for the queue."""

    def send(self, emails: Iterable[PersonalEmail]) -> int:
        """Queue e-mails to people with an address, and return how many are new."""
        return self._context.mail.enqueue(
            filter(None, map(self._write, emails)), self._context.clock()
        )

    def _write(self, email: PersonalEmail) -> Notice | None:
        user, (about, purpose), subject, text, link = email
        with suppress(InvalidEmail):
            return Notice(
                author=SITE,
                about=about,
                purpose=purpose,
                recipient=str(user.user_id),
                to=user.email,
                subject=subject[:200],
                text=f"Hello {user.name},\n\n{text}:\n\n{self._context.urls.absolute(link)}\n",
            )
        return None

    def remind_of_certificates(self) -> int:
        """Tell people and their managers once that a certificate is going to expire."""
        today, teams = self._context.today(), self._context.lines()
        queued = 0
        for (username,) in self._store.select(patterns.all_users(), User.username):
            for each in self._store.query(Certification.key.partition(username)):
                if each.expires_on and today <= each.expires_on <= today + EXPIRY_NOTICE:
                    names = [username, *managers_of(username, teams)]
                    queued += self._tell(each, self._context.get_users(names))
        return queued

    def _tell(self, expiring: Certification, people: dict[str, User]) -> int:
        owner, name = people[expiring.username.casefold()], expiring.name
        ending = f"({expiring.issuer}) expires on {expiring.expires_on:%-d %B %Y}"
        return self.send(
            (
                user,
                (expiring.certification_id, f"expires-{expiring.expires_on}"),
                f"{whose} certificate {name} expires soon",
                f"{whose} certificate {name} {ending}. Renew or remove it on the profile",
                f"{self._context.urls.person(owner.username)}#certifications",
            )
            for user in people.values()
            for whose in ["Your" if user is owner else f"{owner.name}’s"]
        )

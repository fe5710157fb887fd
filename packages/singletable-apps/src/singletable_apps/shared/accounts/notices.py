"""The e-mails about an account: links, and notices of changes with advice."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from singletable_apps.shared.mail import Email, InvalidEmail, Mailer, MailError


@dataclass(frozen=True, slots=True)
class Account:
    """An app's user in the form that sign-in and e-mails need.

    `subject` is the user's number, and `credentials` a number that changes with the password.
    """

    subject: int
    credentials: int
    password_hash: str
    name: str
    email: str
    role: str = ""

    @property
    def state(self) -> str:
        """Return the state that links are bound to: password, role and address."""
        return f"{self.credentials} {self.role} {self.email.casefold()}"


def send_notice(mailer: Mailer, notice: Email | None, now: datetime) -> bool:
    """Send an e-mail about an account and return whether it was sent.

    Errors are only logged: the change is done, and a response could reveal that an account exists.
    """
    if notice is None:
        return False
    try:
        mailer.send(notice, now)
    except MailError:
        logging.getLogger(__name__).exception("“%s” was not sent.", notice.subject)
        return False
    return True


def reset_link(account: Account, link: str) -> Email | None:
    """Return the e-mail with a link to choose a new password."""
    return _to(
        account.email,
        account.name,
        "Reset your password",
        "We received a request to reset your password. To choose a new one, open this link within "
        f"an hour:\n\n{link}",
        "If you didn’t ask for this, ignore this e-mail: your password stays the same.",
    )


def invitation(account: Account, subject: str, text: str, link: str) -> Email | None:
    """Return the e-mail with a link to choose a first password. `text` says who invites to what."""
    return _to(
        account.email,
        account.name,
        subject,
        f"{text} To choose a password and sign in, open this link within a week:\n\n{link}",
        "If you don’t know what this is about, ignore this e-mail.",
    )


def resets_are_off(account: Account, by: str) -> Email | None:
    """Return the e-mail for a requested reset while resets are off."""
    return _to(
        account.email,
        account.name,
        "Your password can’t be reset",
        f"We received a request to reset your password. {by} changed the e-mail address of your "
        "account, and you have not accepted it yet. Until you do, resets by e-mail are off, so "
        "that people who can change your address cannot take over your account.",
        "Sign in with your password and accept the address on your account page, or open "
        "the link that we sent to your previous address.",
    )


def password_changed(account: Account, *, is_reset: bool) -> Email | None:
    """Return the notice about a new password."""
    how = "with a link from an e-mail" if is_reset else "on the account page"
    return _to(
        account.email,
        account.name,
        "Your password was changed",
        f"Your password was changed {how}, and all other browsers were signed out.",
        "If this wasn’t you, reset your password at once, and secure your mailbox.",
    )


def confirm_address(address: str, link: str) -> Email | None:
    """Return the e-mail that asks the owner of a new address to confirm it.

    It contains no names, so that nobody can send their own texts to any address.
    """
    return _to(
        address,
        "",
        "Confirm your e-mail address",
        "Someone entered this as the e-mail address of an account. To use it, open this link "
        f"within a day:\n\n{link}",
        "If you don’t know what this is about, ignore this e-mail: nothing changes.",
    )


def change_requested(account: Account, new: str, by: str, link: str) -> Email | None:
    """Return the notice to the old address about a requested change.

    If someone else requested it, `link` keeps the old address or accepts the new one.
    """
    if by:
        happened = f"{by} asked to change the e-mail address of your account to {new}."
        advice = f"To keep your address, or to accept the new one, open this link:\n\n{link}"
    else:
        happened = f"You asked to change the e-mail address of your account to {new}."
        advice = "If this wasn’t you, reset your password at once: that also stops the change."
    effect = "The change takes effect when the link that we sent to the new address is opened."
    return _to(
        account.email,
        account.name,
        "Your e-mail address is about to change",
        f"{happened} {effect}",
        advice,
    )


def address_changed(name: str, to: str, new: str, by: str = "") -> Email | None:
    """Return the notice about a changed address, for the old or the new one.

    `by` is the name of someone else who asked for it, until the owner has accepted it.
    """
    if by:
        advice = (
            f"{by} asked for this. Resets by e-mail are off until you accept the address on your "
            "account page, or with the link in our earlier e-mail to the previous address. "
            "That link also undoes the change."
        )
    else:
        advice = "If this wasn’t you, tell an administrator of the site at once."
    text = f"The e-mail address of your account is now {new}."
    return _to(to, name, "Your e-mail address was changed", text, advice)


def address_in_use(address: str) -> Email | None:
    """Return the e-mail to an entered address that already has an account."""
    return _to(
        address,
        "",
        "You already have an account",
        "Someone entered this e-mail address to register or as the address of another account. "
        "There is already an account with it, and nothing was changed.",
        "If this was you, sign in, or reset your password. If not, ignore this e-mail.",
    )


def confirm_registration(address: str, link: str) -> Email | None:
    """Return the e-mail with the link that finishes a registration.

    It contains no names, so that nobody can send their own texts to any address.
    """
    return _to(
        address,
        "",
        "Finish your registration",
        f"To finish your registration, open this link within a day:\n\n{link}",
        "If you don’t know what this is about, ignore this e-mail: no account is created.",
    )


def role_changed(account: Account, role: str, by: str) -> Email | None:
    """Return the notice about a new role."""
    return _to(
        account.email,
        account.name,
        "Your role was changed",
        f"{by} changed what your account may do. Your role is now: {role}.",
        "If you did not expect this, ask them or another administrator of the site.",
    )


def approval_needed(account: Account, name: str, link: str) -> Email | None:
    """Return the e-mail to an administrator about someone who waits for approval."""
    return _to(
        account.email,
        account.name,
        "Someone waits for approval",
        f"{name} has registered and waits for approval. To approve or decline, open this page:"
        f"\n\n{link}",
        "There may be more people waiting by now. We tell you at most every 15 minutes.",
    )


def _to(address: str, name: str, subject: str, text: str, advice: str) -> Email | None:
    """Return the e-mail, or None without a valid address, which imported accounts may have."""
    greeting = f"Hello {name}," if name else "Hello,"
    try:
        return Email(address, subject, f"{greeting}\n\n{text}\n\n{advice}\n")
    except InvalidEmail:
        return None

"""The e-mails about an account: links, and notices of changes with advice."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.mail import Email, InvalidEmail


@dataclass(frozen=True, slots=True)
class Notice:
    """The texts of an e-mail; the names of values are parameters of a Phrase."""

    subject: str
    text: str
    advice: str

    def to(self, address: str, name: str = "", **values: str) -> Email | None:
        """Return the e-mail, or None without a valid address, which imported accounts may have.

        Without a name, it contains no names, so that nobody can send their own texts to anyone.
        """
        text = Phrase(
            "%(greeting)s\n\n%(text)s\n\n%(advice)s\n",
            greeting=Phrase("Hello %(name)s,", name=name) if name else Phrase("Hello,"),
            text=Phrase(self.text, **values),
            advice=Phrase(self.advice, **values),
        )
        try:
            return Email(address, Phrase(self.subject, **values), text)
        except InvalidEmail:
            return None


RESET_LINK = Notice(
    "Reset your password",
    "We received a request to reset your password. To choose a new one, open this link within an "
    "hour:\n\n%(link)s",
    "If you didn’t ask for this, ignore this e-mail: your password stays the same.",
)
RESETS_ARE_OFF = Notice(
    "Your password can’t be reset",
    "We received a request to reset your password. %(by)s changed the e-mail address of your "
    "account, and you have not accepted it yet. Until you do, resets by e-mail are off, so that "
    "people who can change your address cannot take over your account.",
    "Sign in with your password and accept the address on your account page, or open the link "
    "that we sent to your previous address.",
)
# `text` says who invites to what.
INVITATION = Notice(
    "%(subject)s",
    "%(text)s To choose a password and sign in, open this link within a week:\n\n%(link)s",
    "If you don’t know what this is about, ignore this e-mail.",
)
PASSWORD_CHANGED = Notice(
    "Your password was changed",
    "Your password was changed %(how)s, and all other browsers were signed out.",
    "If this wasn’t you, reset your password at once, and secure your mailbox.",
)
CONFIRM_ADDRESS = Notice(
    "Confirm your e-mail address",
    "Someone entered this as the e-mail address of an account. To use it, open this link within a "
    "day:\n\n%(link)s",
    "If you don’t know what this is about, ignore this e-mail: nothing changes.",
)
_TAKES_EFFECT = "The change takes effect when the link that we sent to the new address is opened."
CHANGE_REQUESTED = Notice(
    "Your e-mail address is about to change",
    f"You asked to change the e-mail address of your account to %(new)s. {_TAKES_EFFECT}",
    "If this wasn’t you, reset your password at once: that also stops the change.",
)
CHANGE_REQUESTED_BY_OTHERS = Notice(
    "Your e-mail address is about to change",
    f"%(by)s asked to change the e-mail address of your account to %(new)s. {_TAKES_EFFECT}",
    "To keep your address, or to accept the new one, open this link:\n\n%(link)s",
)
ADDRESS_CHANGED = Notice(
    "Your e-mail address was changed",
    "The e-mail address of your account is now %(new)s.",
    "If this wasn’t you, tell an administrator of the site at once.",
)
# Until the owner of the account accepts the address.
ADDRESS_CHANGED_BY_OTHERS = Notice(
    "Your e-mail address was changed",
    "The e-mail address of your account is now %(new)s.",
    "%(by)s asked for this. Resets by e-mail are off until you accept the address on your account "
    "page, or with the link in our earlier e-mail to the previous address. That link also undoes "
    "the change.",
)
ADDRESS_IN_USE = Notice(
    "You already have an account",
    "Someone entered this e-mail address to register or as the address of another account. There "
    "is already an account with it, and nothing was changed.",
    "If this was you, sign in, or reset your password. If not, ignore this e-mail.",
)
CONFIRM_REGISTRATION = Notice(
    "Finish your registration",
    "To finish your registration, open this link within a day:\n\n%(link)s",
    "If you don’t know what this is about, ignore this e-mail: no account is created.",
)
ROLE_CHANGED = Notice(
    "Your role was changed",
    "%(by)s changed what your account may do. Your role is now: %(role)s.",
    "If you did not expect this, ask them or another administrator of the site.",
)
APPROVAL_NEEDED = Notice(
    "Someone waits for approval",
    "%(newcomer)s has registered and waits for approval. To approve or decline, open this page:"
    "\n\n%(link)s",
    "There may be more people waiting by now. We tell you at most every 15 minutes.",
)

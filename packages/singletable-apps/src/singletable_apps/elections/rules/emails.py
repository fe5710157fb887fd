"""E-mails to voters on a roll: their texts, which owners can change, and their placeholders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from ranked_ballots import join_names
from singletable_apps.elections.entities import Election, RollVoter
from singletable_apps.elections.rules.elections import title_of
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.mail import MAX_SUBJECT_LENGTH

MAX_TEXT_LENGTH = 10_000
PLACEHOLDERS = ("name", "owner", "election", "questions", "link", "closes", "unsubscribe")
_PLACEHOLDER = re.compile(r"\{([^{}\n]*)\}")
# Links are filled in when an e-mail is sent, so that they are stored nowhere.
_NOT_IN_SUBJECT = ("link", "unsubscribe", "questions")


class EmailPurpose(StrEnum):
    """Why an e-mail is sent to a voter."""

    INVITATION = "invitation"
    REMINDER = "reminder"
    OPENING = "opening"
    CLOSING = "closing"
    RECEIPT = "receipt"
    WITHDRAWAL = "withdrawal"

    @property
    def can_unsubscribe(self) -> bool:
        """Return whether voters can choose not to get these."""
        return self in (EmailPurpose.REMINDER, EmailPurpose.OPENING, EmailPurpose.CLOSING)


class EmailText(NamedTuple):
    """The subject and the text of an e-mail, with placeholders."""

    subject: str
    text: str


_DEFAULTS: Mapping[EmailPurpose, EmailText] = {
    EmailPurpose.INVITATION: EmailText(
        "Vote in {election}",
        "Hello {name},\n\n{owner} invites you to vote in “{election}”:\n\n{questions}\n\nThis is "
        "your personal link; anyone who has it can vote in your place, so please don’t forward "
        "it:\n\n{link}\n\nYou don’t need an account. Voting closes {closes}.\n",
    ),
    EmailPurpose.REMINDER: EmailText(
        "Reminder: vote in {election}",
        "Hello {name},\n\nyou haven’t voted in “{election}” yet. Your personal link:\n\n{link}\n\n"
        "Voting closes {closes}.\n\nYou don’t want to be reminded? {unsubscribe}\n",
    ),
    EmailPurpose.OPENING: EmailText(
        "Voting is open: {election}",
        "Hello {name},\n\nyou can now vote in “{election}”, with your personal link:\n\n{link}\n\n"
        "Voting closes {closes}.\n\nNo more of these e-mails: {unsubscribe}\n",
    ),
    EmailPurpose.CLOSING: EmailText(
        "{election} has closed",
        "Hello {name},\n\nvoting in “{election}” is over. Your personal link shows what is "
        "published of the result, and whether your ballot was counted:\n\n{link}\n\n"
        "No more of these e-mails: {unsubscribe}\n",
    ),
    EmailPurpose.RECEIPT: EmailText(
        "Your ballot in {election}",
        "Hello {name},\n\nyour ballot in “{election}” is in. Your personal link shows that it "
        "was cast:\n\n{link}\n\nKeep the receipt that you got when you voted. If you "
        "didn’t vote, tell the people who run the election at once.\n",
    ),
    EmailPurpose.WITHDRAWAL: EmailText(
        "Your ballot in {election} was withdrawn",
        "Hello {name},\n\nyour ballot in “{election}” was withdrawn, so it is not counted. Your "
        "personal link, to vote again:\n\n{link}\n\nVoting closes {closes}. If you didn’t withdraw "
        "it, tell the people who run the election at once.\n",
    ),
}

_LEFT = (
    "Hello {name},\n\npart of your ballot in “{election}” is in. Still to answer: {left}. Go on "
    "with your personal link:\n\n{link}\n\nVoting closes {closes}."
)
# Added to a receipt in the owner's words if questions are left.
STILL_LEFT = "\n\nYour ballot is not complete yet. Still to answer: {left}.\n"
# For people who have answered some of the questions on a ballot.
PARTLY: Mapping[EmailPurpose, EmailText] = {
    EmailPurpose.REMINDER: EmailText(
        "Reminder: complete your ballot in {election}",
        f"{_LEFT}\n\nYou don’t want to be reminded? {{unsubscribe}}\n",
    ),
    EmailPurpose.RECEIPT: EmailText(
        "Part of your ballot in {election} is in",
        f"{_LEFT} If you didn’t vote, tell the people who run the election at once.\n",
    ),
    EmailPurpose.WITHDRAWAL: EmailText(
        "Part of your ballot in {election} was withdrawn",
        f"{_LEFT} If you withdrew nothing, tell the people who run the election at once.\n",
    ),
}


def placeholders(purpose: EmailPurpose) -> tuple[str, ...]:
    """Return the placeholders that the text of an e-mail can have."""
    return PLACEHOLDERS if purpose.can_unsubscribe else PLACEHOLDERS[:-1]


def default_text(purpose: EmailPurpose) -> EmailText:
    """Return the text that is used unless the owner has written another."""
    return _DEFAULTS[purpose]


def check_email_text(purpose: EmailPurpose, text: EmailText) -> None:
    """Raise InvalidInput if the subject or the text can’t be sent."""
    names = placeholders(purpose)
    in_subject = tuple(name for name in names if name not in _NOT_IN_SUBJECT)
    errors = {
        "subject": _find_problem(text.subject, in_subject, MAX_SUBJECT_LENGTH),
        "text": _find_problem(text.text, names, MAX_TEXT_LENGTH),
    }
    if "\n" in text.subject.strip():
        errors["subject"] = "Write the subject in one line."
    if not errors["text"] and "{link}" not in text.text:
        errors["text"] = "Add {link}, so that voters get their personal link."
    if any(errors.values()):
        raise InvalidInput({name: error for name, error in errors.items() if error})


def _find_problem(text: str, names: tuple[str, ...], limit: int) -> str:
    if not text.strip():
        return "This can’t be empty."
    if len(text) > limit:
        return f"This has {len(text):,} characters. Use at most {limit:,}."
    unknown = [found for found in _PLACEHOLDER.findall(text) if found not in names]
    if unknown:
        known = join_names([f"{{{name}}}" for name in names])
        return f"{{{unknown[0]}}} is not a placeholder here. Use {known}."
    return ""


def fill_in(
    text: str,
    election: Election,
    voter: RollVoter,
    *,
    left: str = "",
    questions: str = "",
    limit: bool = False,
) -> str:
    """Return the text with everything filled in but links; `limit` shortens it to a subject."""
    closes = election.no_voting_after
    values = {
        "name": voter.name,
        "owner": election.owner_name,
        "questions": questions,
        "left": left,
        "election": title_of(election),
        "closes": f"on {closes:%-d %B %Y, %H:%M} UTC" if closes else "when the organizers close it",
    }
    # In one pass, so that a name with braces is not filled in.
    filled = _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
    return " ".join(filled.split())[:MAX_SUBJECT_LENGTH] if limit else filled

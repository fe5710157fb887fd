"""Options that voters add, of which the organizer can remove those without votes; and pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable_apps.polls import patterns
from singletable_apps.polls.entities import OptionPicture, Poll, Protection, VotingLane
from singletable_apps.polls.errors import InvalidInput, NotFound, PollHasVotes
from singletable_apps.polls.rules import MAX_TITLE, MIN_OPTIONS, check_new_option, printable_excerpt
from singletable_apps.polls.service.context import Context, retry_edits
from singletable_apps.polls.service.results import Tallies
from singletable_apps.polls.service.voting import Voter, Voting
from singletable_apps.polls.tally import Tally, option_numbers
from singletable_apps.shared.pictures import Picture, prepare_picture
from singletable_apps.shared.text import is_printable, normalize_line


@dataclass(frozen=True, slots=True)
class WriteIns:
    """Add and remove options. Votes refer to options by number, so they stay valid."""

    context: Context
    voting: Voting
    tallies: Tallies

    def add(self, poll_id: str, name: str, voter: Voter) -> Poll:
        """Add an option for everyone. With voting codes, only someone with a code can."""
        option = ""

        @retry_edits
        def write() -> Poll:
            nonlocal option
            poll = self.context.get_poll(poll_id)
            if option in poll.candidates:
                return poll  # the response was lost, or someone else was faster
            self.voting.vote_id(poll, voter)
            option = check_new_option(poll, name, self.context.clock())
            numbers = option_numbers(poll)
            return self.context.store.update(
                Poll.key(poll_id),
                Poll.candidates.set([*poll.candidates, option]),
                Poll.numbers.set([*numbers, max(numbers) + 1]),
                if_=Poll.revision == poll.revision,
            )

        return write()

    @retry_edits
    def remove(self, poll_id: str, admin_key: str, option: str) -> Poll:
        """Remove an option for which no one has voted, or raise PollHasVotes."""
        poll = self.context.get_managed_poll(poll_id, admin_key)
        if option not in poll.candidates:
            return poll
        if not _can_remove(poll):
            raise InvalidInput({"name": f"“{option}” cannot be removed from this poll."})
        tally = self.tallies.get(poll)
        number = option_numbers(poll)[poll.candidates.index(option)]
        if number in _used_numbers(tally):
            raise PollHasVotes(f"People have voted for “{option}”, so it stays.")
        return self._write(poll, number, tally)

    def list_unused(self, poll: Poll) -> list[str]:
        """Return the options for which no one has voted, if they can be removed."""
        if not _can_remove(poll):
            return []
        used = _used_numbers(self.tallies.get(poll))
        numbered = zip(poll.candidates, option_numbers(poll), strict=True)
        return [name for name, number in numbered if number not in used]

    def _write(self, poll: Poll, number: int, tally: Tally) -> Poll:
        numbers = option_numbers(poll)
        kept = [one for one in zip(poll.candidates, numbers, strict=True) if one[1] != number]
        # In one transaction with the lanes, so that no vote for the option can come in between.
        with self.context.store.transaction(pattern=patterns.edit_options) as transaction:
            transaction.update(
                Poll.key(poll.id),
                Poll.candidates.set([name for name, _ in kept]),
                Poll.numbers.set([one for _, one in kept]),
                Poll.edition.set(poll.edition + 1),
                if_=Poll.revision == poll.revision,
            )
            for lane, entries in enumerate(tally.positions):
                transaction.update(
                    VotingLane.key(poll.id, lane),
                    VotingLane.edition.set(poll.edition + 1),
                    if_=VotingLane.entries == entries,
                )
        return self.context.get_poll(poll.id)


def _can_remove(poll: Poll) -> bool:
    """Return whether options can be removed. Which ones have votes by code is secret."""
    is_secret = poll.settings.protection is Protection.CODES
    return poll.settings.write_ins and not is_secret and len(poll.candidates) > MIN_OPTIONS


def _used_numbers(tally: Tally) -> set[int]:
    return {int(number) for ranking in tally.counts for number in re.findall("[0-9]+", ranking)}


@dataclass(frozen=True, slots=True)
class Pictures:
    """Set, find and copy pictures of options, which the organizer chooses."""

    context: Context

    def set(self, poll_id: str, admin_key: str, option: str, data: bytes | None, alt: str) -> Poll:
        """Set the picture of an option, or what it shows; empty `data` removes it."""
        self.context.get_managed_poll(poll_id, admin_key)
        new = prepare_picture(data) if data else ("", b"")
        if len(alt := normalize_line(alt)) > MAX_TITLE or not is_printable(alt):
            message = f"Enter a description of at most {MAX_TITLE} visible characters."
            raise InvalidInput({"alt": message})
        return self._set(poll_id, option, None if data is None else new, alt)

    def copy(self, source: str, poll: Poll) -> Poll:
        """Copy the pictures of the poll with the id `source`, of options that both have."""
        original = self.context.find_poll(source)
        for option, picture in original.pictures.items() if original is not None else ():
            found = self.context.store.run(patterns.picture, source, picture.name)
            if found is not None and option in poll.candidates:
                poll = self._set(poll.id, option, (found.name, found.content), picture.alt)
        return poll

    def find(self, poll_id: str, name: str) -> bytes:
        """Return the content of a picture, or raise NotFound."""
        found = self.context.store.run(patterns.picture, poll_id, name)
        if found is None:
            raise NotFound("There is no such picture.")
        return found.content

    @retry_edits
    def _set(self, poll_id: str, option: str, new: tuple[str, bytes] | None, alt: str) -> Poll:
        poll = self.context.get_poll(poll_id)
        if option not in poll.candidates:
            raise NotFound(f"“{printable_excerpt(option)}” is not an option of this poll.")
        before = poll.pictures.get(option, Picture("", ""))
        name, content = (before.name, b"") if new is None else new
        pictures = {each: one for each, one in poll.pictures.items() if each != option}
        if name:
            pictures[option] = Picture(name, alt)
        with self.context.store.transaction(pattern=patterns.set_picture) as transaction:
            if content:
                transaction.put(OptionPicture(poll_id=poll_id, name=name, content=content))
            if before.name and before.name not in [each.name for each in pictures.values()]:
                transaction.delete(OptionPicture.key(poll_id, before.name))
            is_unchanged = Poll.revision == poll.revision
            transaction.update(Poll.key(poll_id), Poll.pictures.set(pictures), if_=is_unchanged)
        return self.context.get_poll(poll_id)

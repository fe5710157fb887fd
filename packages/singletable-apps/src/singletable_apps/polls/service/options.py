"""Options that voters add; the organizer can remove those without votes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable import ConditionFailed
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Poll, Protection, VotingLane
from singletable_apps.polls.errors import InvalidInput, PollHasVotes
from singletable_apps.polls.rules import MIN_OPTIONS, check_new_option
from singletable_apps.polls.service.context import (
    MAX_ATTEMPTS,
    Context,
    retry_edits,
    too_many_edits,
)
from singletable_apps.polls.service.results import Tallies
from singletable_apps.polls.service.voting import Voter, Voting
from singletable_apps.polls.tally import Tally, option_numbers
from singletable_apps.shared.service import UNKNOWN_OUTCOME


@dataclass(frozen=True, slots=True)
class WriteIns:
    """Add and remove options. Votes refer to options by number, so they stay valid."""

    context: Context
    voting: Voting
    tallies: Tallies

    def add(self, poll_id: str, name: str, voter: Voter) -> Poll:
        """Add an option for everyone. With voting codes, only someone with a code can."""
        option = ""
        for _ in range(MAX_ATTEMPTS):
            poll = self.context.get_poll(poll_id)
            if option in poll.candidates:
                return poll  # the response was lost, or someone else was faster
            self.voting.vote_id(poll, voter)
            option = check_new_option(poll, name, self.context.clock())
            numbers = option_numbers(poll)
            try:
                return self.context.store.update(
                    Poll.key(poll_id),
                    Poll.candidates.set([*poll.candidates, option]),
                    Poll.numbers.set([*numbers, max(numbers) + 1]),
                    if_=Poll.revision == poll.revision,
                )
            except (ConditionFailed, *UNKNOWN_OUTCOME):
                continue
        raise too_many_edits()

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
    is_secret = poll.protection is Protection.CODES
    return poll.write_ins and not is_secret and len(poll.candidates) > MIN_OPTIONS


def _used_numbers(tally: Tally) -> set[int]:
    return {int(number) for ranking in tally.counts for number in re.findall("[0-9]+", ranking)}

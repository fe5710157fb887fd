"""Files to take along, each with what it is good for."""

from __future__ import annotations

from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.counted.model import Count
from singletable_apps.shared.counted import ROUNDS, File, can_write_rounds, offered


def files_of(count: Count) -> list[File]:
    """Every file that there may be of the election now."""
    return [*_about(count), *_ballots(count)]


def _about(count: Count) -> list[File]:
    election = count.election
    files = [
        File(
            "The result",
            "All of this page as data: places, pairs, chains, and the sentences.",
            "json",
            election_address(election, "tally", "result.json"),
        )
    ]
    if count.tally.closing is not None:
        files.append(
            File(
                "The signed publication",
                "What the checker reads: the signed close, all confirmations, and what else is "
                "published.",
                "json",
                election_address(election, "published", "publication.json"),
            )
        )
    return files


def _ballots(count: Count) -> list[File]:
    rounds = {ROUNDS} if can_write_rounds(count.runoff, count.election.name) else set[str]()
    return offered(
        {*rounds, *count.formats},
        lambda form: election_address(count.election, "tally", "ballots", form),
    )

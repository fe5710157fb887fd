"""What there is to do next in an election, for who looks at it."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.entities import Election
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.election_frame import Standing
from singletable_apps.elections.service.taking_part import Part

FEWEST_CANDIDATES = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what it is, why, and where it is taken; nowhere if there is only to wait."""

    title: str
    text: str
    button: str = ""
    to: str = ""
    done: bool = False


def next_step(election: Election, standing: Standing, part: Part, *, owner: bool) -> Step:
    """The next step of who looks at the election; `owner` if it is theirs."""
    match standing:
        case Standing.SETUP:
            return _prepare(election) if owner else _wait_for_launch(election)
        case Standing.WAITING:
            return _wait_for_opening(part)
        case Standing.OPEN | Standing.FIXED:
            return _vote(election, part, final=standing is Standing.FIXED)
        case Standing.ENDED | Standing.CLOSED:
            return _see(election, part)


def _prepare(election: Election) -> Step:
    lacking = FEWEST_CANDIDATES - election.candidate_count
    if lacking > 0:
        return Step(
            "Name the candidates",
            f"It takes at least {FEWEST_CANDIDATES} to vote on, and there "
            f"{'is one' if election.candidate_count == 1 else 'are none yet'}.",
            "Name candidates",
            election_address(election, "candidates"),
        )
    return Step(
        "Ready to launch",
        "Look once more at what is settled: secrecy, publication and dates cannot change after "
        "the launch.",
        "Launch…",
        election_address(election, "launch"),
    )


def _wait_for_launch(election: Election) -> Step:
    return Step(
        "Being prepared",
        f"{election.owner_name} has not launched it yet. Candidates and rules may still change.",
    )


def _wait_for_opening(part: Part) -> Step:
    who = "You can vote from then on." if part.may_vote else "You are not asked to vote in it."
    return Step("Not open yet", f"Everything is settled, and voting opens later. {who}")


def _vote(election: Election, part: Part, *, final: bool) -> Step:
    ballot = election_address(election, "ballot")
    if part.has_voted and final:
        text = "Your ballot is final. Keep your receipt: with it you can check the result."
        return Step("You have voted", text, "See my ballot", ballot, done=True)
    if part.has_voted:
        text = "You can change or withdraw your ballot as long as it is open; the last one counts."
        return Step("You have voted", text, "See or change my ballot", ballot, done=True)
    if part.may_vote:
        text = (
            "Rank as many candidates as you like. The first ballot you cast is final."
            if final
            else "Rank as many candidates as you like. You can change your mind while it is open."
        )
        return Step("Your vote is asked for", text, "Vote", ballot)
    if election.voter_count:
        text = f"You are not on the list of voters. Ask {election.owner_name} if you should be."
        return Step("Others are voting", text)
    return Step("Others are voting", "Your role lets you look on, and not vote.")


def _see(election: Election, part: Part) -> Step:
    own = " Your ballot is in it: check it with your receipt." if part.has_voted else ""
    return Step(
        "The result is there",
        f"It was counted and signed when it closed.{own}",
        "See the result",
        election_address(election, "tally"),
    )

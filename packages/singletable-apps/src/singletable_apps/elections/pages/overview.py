"""The overview of an election: its state, its settings, turnout, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Response

from singletable_apps.elections.entities import Electorate
from singletable_apps.elections.pages.ballot import describe_changes
from singletable_apps.elections.pages.dependencies import ElectionPage, render_texts
from singletable_apps.elections.pages.setup import (
    BALLOT_DESCRIPTIONS,
    describe_publication,
    describe_rules,
)
from singletable_apps.elections.pages.voters import count_people, people_to_invite
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules.elections import MIN_CANDIDATES, Standing
from singletable_apps.elections.rules.methods import Marks, method_of
from singletable_apps.elections.service.closing import get_closing
from singletable_apps.elections.service.queries import Participation

router = APIRouter()
MAX_CANDIDATES_SHOWN = 12
# Accounts are found by confirmed addresses only, and this doesn't tell others who is on a roll.
BY_LINK = "Voters are invited by e-mail. If you are on the roll, vote with your personal link."


_WHAT_TO_MARK = {
    Marks.RANKS: "Rank as many candidates as you like.",
    Marks.ORDER: "Rank as many candidates as you like.",
    Marks.APPROVE: "Mark everyone you approve of.",
    Marks.ONE: "You have one vote.",
}


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next; without a URL there is nothing to do but wait."""

    title: str
    text: str
    button: str = ""
    url: str = ""
    done: bool = False


@router.get("/e/{name}")
def show_election(page: ElectionPage) -> Response:
    """Show the overview."""
    user, election, queries = page.user, page.election, page.service.queries
    standing = rules.standing_of(election, page.service.context.clock())
    [part] = queries.participation(user, [election])
    candidates = queries.candidates(user, election.name)
    turnout = queries.turnout(user, election.name)
    return page.render_tab(
        "overview",
        "",
        step=next_step(page, standing, part),
        is_owner=rules.is_owner(user, election),
        candidates=candidates[:MAX_CANDIDATES_SHOWN],
        ballots=BALLOT_DESCRIPTIONS[election.secret_ballot],
        published=describe_publication(election),
        turnout=turnout.voted,
        partly=turnout.partly,
        rules=describe_rules(
            election, queries.method(election), None if election.statement else turnout
        )[2:],
        texts=render_texts(page),
        closing=get_closing(election, page.service.context.keys),
        closed_at=rules.closed_at(election),
    )


def next_step(page: ElectionPage, standing: Standing, part: Participation) -> Step:
    """Return the viewer's next step."""
    is_running = standing in (Standing.WAITING, Standing.OPEN, Standing.FIXED)
    if is_running and page.is_manager and page.election.electorate is Electorate.ROLL:
        rows = page.service.rolls.rows(page.user, page.first_question.name)
        if people := people_to_invite(rows):
            return Step(
                "Invite the voters",
                "Each person on the roll gets an e-mail with a personal link to the ballot.",
                f"Invite {count_people(len(people))}",
                page.urls.election(page.first_question, "roll", "invite"),
            )
    match standing:
        case Standing.SETUP:
            if page.is_manager:
                return _set_up(page)
            who = f"{page.election.owner_name} is still setting it up."
            return Step("Not launched yet", f"{who} Candidates and settings may change.")
        case Standing.WAITING:
            is_roll = page.election.electorate is Electorate.ROLL
            who = BY_LINK if is_roll else "You’re not one of its voters."
            who = "You can vote then." if part.may_vote else who
            return Step("Not open yet", f"Voting opens later. {who}")
        case Standing.OPEN | Standing.FIXED:
            return _vote(page, part, final=standing is Standing.FIXED)
        case Standing.ENDED | Standing.CLOSED:
            return _see_results(page, part)


def _set_up(page: ElectionPage) -> Step:
    count = page.election.candidate_count
    if count < MIN_CANDIDATES:
        so_far = "There is one so far." if count == 1 else "There are none yet."
        return Step(
            "Add candidates",
            f"You need at least {MIN_CANDIDATES} before you can launch. {so_far}",
            "Add candidates",
            page.url("candidates"),
        )
    if page.election.electorate is Electorate.ROLL and not page.election.voter_count:
        return Step(
            "Add voters",
            "The roll is empty. Add people by name and e-mail address; they don’t need accounts.",
            "Add voters",
            page.url("roll"),
        )
    return Step(
        "Ready to launch",
        "Review everything first: ballot type, counting, publication and dates can’t change after "
        "the launch.",
        "Review and launch",
        page.url("review"),
    )


def _vote(page: ElectionPage, part: Participation, *, final: bool) -> Step:
    election, ballot = page.election, page.url("ballot")
    if part.has_voted and final:
        text = "Your ballot is final. Keep your receipt to check the results later."
        return Step("You’ve voted", text, "See my ballot", ballot, done=True)
    if part.has_voted:
        text = f"{describe_changes(page)} You can also withdraw it."
        return Step("You’ve voted", text, "See or change my ballot", ballot, done=True)
    if part.may_vote:
        changes = "Your first ballot is final." if final else "You can change your ballot later."
        text = f"{_WHAT_TO_MARK[method_of(election).marks]} {changes}"
        return Step("You haven’t voted yet", text, "Vote", ballot)
    is_roll = election.electorate is Electorate.ROLL
    if election.voter_count and page.is_manager:
        absent = BY_LINK if is_roll else "You’re not on its voter list, so you can’t vote in it."
        text = f"You run this election. {absent}"
        return Step("Voting is open", text, "See the voters", page.url("voters"), done=True)
    if election.voter_count:
        text = f"You’re not on the voter list. Ask {election.owner_name} if you should be."
        return Step("Voting is open", BY_LINK if is_roll else text)
    return Step("Voting is open", "Your account can view elections, but not vote.")


def _see_results(page: ElectionPage, part: Participation) -> Step:
    own = " Your ballot is included: check it with your receipt." if part.has_voted else ""
    if rules.is_withheld(page.election):
        return Step("Closed without results", f"{rules.TOO_FEW_BALLOTS}{own}")
    return Step(
        "Results are in",
        f"The ballots were counted and the results signed.{own}",
        "See the results",
        page.url("tally"),
    )

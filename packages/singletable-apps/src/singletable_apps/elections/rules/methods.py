"""The counting methods of elections: what people read about them, and what their ballots may say.

Also the agreed rules around the count: seats, quorum, and the choice of none of the candidates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from ranked_ballots import Ballots, Quorum, QuorumCheck, Ranking, Rule, ScoreResult, plurality
from singletable_apps.elections.entities import Election
from singletable_apps.elections.proofs.documents import BallotDefinition, create_definition
from singletable_apps.elections.rules.names import is_same_name, quote
from singletable_apps.shared.errors import InvalidInput

NONE_OF_THESE = "None of these"
PROPOSAL = "proposal"
# What a new proposal offers; both can be renamed.
YES_OR_NO = ("Yes", "No")
MAX_SEATS = 99
TIE_BREAK = (
    "The order that breaks ties is made from a secret, drawn at the launch, and all ballots: no "
    "one can choose it, or know it before the close."
)


class Marks(StrEnum):
    """What voters write on a ballot: ranks, ranks without ties, any number of marks, or one."""

    RANKS = "ranks"
    ORDER = "order"
    APPROVE = "approve"
    ONE = "one"


@dataclass(frozen=True, slots=True)
class CountingMethod:
    """A counting method for people: title, summary, what happens in a tie, and a link.

    `rules` are the choices that define the count; they are part of the signed statement.
    """

    key: str
    title: str
    summary: str
    tie: str
    url: str
    rules: Mapping[str, str]
    marks: Marks = Marks.RANKS
    has_seats: bool = False
    has_lots: bool = True

    @property
    def ties(self) -> str:
        """Return sentences about ties: what they mean, and how they are broken."""
        return f"{self.tie} {TIE_BREAK}" if self.has_lots else self.tie

    @property
    def is_compared(self) -> bool:
        """Return whether other methods can count the same ballots for the same purpose."""
        return self.marks is Marks.RANKS


METHOD = CountingMethod(
    "schulze",
    "Schulze method",
    "A candidate who beats every other one head to head wins; if there is none, the strongest "
    "chains of wins decide.",
    "Candidates whose chains are equally strong share a place.",
    "https://en.wikipedia.org/wiki/Schulze_method",
    {"strength": "winning", "unranked": "last", "order": "layers of the strongest paths"},
)
METHODS: Mapping[str, CountingMethod] = {
    method.key: method
    for method in (
        METHOD,
        CountingMethod(
            "instant runoff",
            "Instant runoff",
            "A majority of first choices wins; otherwise the last candidate drops out, and their "
            "ballots count for the next choice.",
            "If two are tied for last, the order that breaks ties decides who drops out.",
            "https://en.wikipedia.org/wiki/Instant-runoff_voting",
            {
                "majority": "continuing",
                "elimination": "one",
                "order": "elimination",
                "equal ranks": "split",
            },
        ),
        CountingMethod(
            "scottish stv",
            "Single transferable vote, Scottish rules",
            "Several seats in proportion to the voters: who has a quota of votes is elected, the "
            "surplus and the votes of the last candidate move to the next choice.",
            "If two have equally few votes, their votes in earlier rounds decide who drops out, "
            "and else the order that breaks ties.",
            "https://en.wikipedia.org/wiki/Single_transferable_vote",
            {
                "law": "Scotland 2007",
                "quota": "Droop",
                "surplus": "weighted inclusive Gregory",
                "elimination": "one",
                "equal ranks": "exhaust at once",
            },
            Marks.ORDER,
            has_seats=True,
        ),
        CountingMethod(
            "meek stv",
            "Single transferable vote, Meek’s method",
            "Several seats in proportion to the voters, recounted after every change, so that "
            "each vote has the same weight. Needs a computer to count.",
            "If two have equally few votes, the order that breaks ties decides.",
            "https://en.wikipedia.org/wiki/Counting_single_transferable_votes#Meek",
            {
                "quota": "dynamic Droop",
                "arithmetic": "nine decimals",
                "elimination": "one",
                "equal ranks": "exhaust at once",
            },
            Marks.ORDER,
            has_seats=True,
        ),
        CountingMethod(
            "approval",
            "Approval voting",
            "Voters mark everyone they approve of, and the candidate with the most marks wins.",
            "Candidates with equally many marks share a place.",
            "https://en.wikipedia.org/wiki/Approval_voting",
            {"approval": "ranked"},
            Marks.APPROVE,
        ),
        CountingMethod(
            "plurality",
            "Plurality",
            "Voters mark one candidate, and the candidate with the most marks wins, even with "
            "less than half of them.",
            "Candidates with equally many marks share a place.",
            "https://en.wikipedia.org/wiki/Plurality_voting",
            {"equal ranks": "split"},
            Marks.ONE,
        ),
        CountingMethod(
            PROPOSAL,
            "Yes or no",
            "Voters accept or reject a proposal. There are two options: the first one accepts it, "
            "the second one rejects it. It is accepted if more choose the first.",
            "With equally many votes, the proposal is rejected.",
            "https://en.wikipedia.org/wiki/Plurality_voting",
            {"equal ranks": "split", "accepted": "first option, unless it has no more votes"},
            Marks.ONE,
            has_lots=False,
        ),
    )
}


class Proposal(NamedTuple):
    """The options of a proposal."""

    accept: str
    reject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalResult(ScoreResult):
    """The votes for and against a proposal. No lot decides it: a tie rejects it."""

    proposal: Proposal


def proposal_of(election: Election, candidates: Sequence[str]) -> Proposal | None:
    """Return the options of a proposal, or None for another kind of election.

    The candidates are in the order in which they were entered.
    """
    if election.method == PROPOSAL and len(candidates) == 2:
        return Proposal(*candidates)
    # Before proposals were a method, two names made one. Those keep their meaning.
    is_old = election.by_names is None and election.method == "plurality"
    return Proposal(*YES_OR_NO) if is_old and {*candidates} == {*YES_OR_NO} else None


def count_proposal(ballots: Ballots, proposal: Proposal, *, is_final: bool) -> ProposalResult:
    """Return the votes for and against a proposal."""
    counted = plurality(ballots)
    values = {each.name: getattr(counted, each.name) for each in fields(counted)}
    method = METHODS[PROPOSAL]
    agreed = Rule("accepted", method.rules["accepted"], method.tie)
    values["rules"] = (*(rule for rule in counted.rules if rule.about in method.rules), agreed)
    if is_final and len(counted.winners) > 1:
        values["final_order"] = (proposal.reject, proposal.accept)
    return ProposalResult(**values, proposal=proposal)


def method_of(election: Election) -> CountingMethod:
    """Return the method that decides the election."""
    return METHODS[election.method]


def explain_method(election: Election, proposal: Proposal | None) -> CountingMethod:
    """Return the method as people read about it, with the options of a proposal."""
    if proposal is None:
        return method_of(election)
    accept, reject = map(quote, proposal)
    summary = f"The proposal is accepted if more people choose {accept} than {reject}."
    tie = "With equally many votes for both, the proposal is rejected."
    return replace(METHODS[PROPOSAL], key=election.method, summary=summary, tie=tie)


def choice_apart(election: Election) -> str:
    """Return the choice of none of the candidates if ballots offer it, or nothing."""
    return NONE_OF_THESE if election.none_of_these else ""


def agreed_rules(election: Election) -> dict[str, str]:
    """Return the rules that differ from the usual ones, as ballots are cast under them."""
    rules = {
        "method": election.method if election.method != METHOD.key else "",
        "seats": str(election.seats) if method_of(election).has_seats else "",
        "set apart": choice_apart(election),
        "quorum": election.quorum,
    }
    return {about: choice for about, choice in rules.items() if choice}


def counting_rules(election: Election) -> dict[str, str]:
    """Return everything that defines the count, for the signed statement."""
    return {"method": election.method, **method_of(election).rules, **agreed_rules(election)}


def check_method(method: str, seats: int) -> None:
    """Raise InvalidInput unless there is such a method, and it can fill this number of seats."""
    if method not in METHODS:
        message = f"There is no counting method '{method}'. Choose one of: {', '.join(METHODS)}."
        raise InvalidInput({"method": message})
    if not 1 <= seats <= MAX_SEATS:
        raise InvalidInput({"seats": f"Enter a number from 1 to {MAX_SEATS}."})
    if seats > 1 and not METHODS[method].has_seats:
        text = "Only a single transferable vote can fill more than one seat."
        raise InvalidInput({"seats": text})


def check_none_of_these(names: Sequence[str], field: str) -> None:
    """Raise InvalidInput if a candidate has the name of the choice of none of them."""
    if any(is_same_name(name, NONE_OF_THESE) for name in names):
        raise InvalidInput(
            {field: f"Ballots offer “{NONE_OF_THESE}”, so no candidate can have this name."}
        )


def clean_quorum(text: str) -> str:
    """Return a quorum in the form that is stored: "" for none, "20", or "50%"."""
    quorum = text.replace(" ", "").replace(",", "")
    if quorum in ("", "0", "0%"):
        return ""
    if not re.fullmatch(r"[1-9][0-9]{0,5}|[1-9][0-9]?%|100%", quorum):
        message = "Enter a number of voters such as 20, or a share such as 50%."
        raise InvalidInput({"quorum": message})
    return quorum


def check_quorum(text: str, cast: int, eligible: int) -> QuorumCheck:
    """Return whether enough people voted. Everyone counts once, regardless of weight."""
    everyone = Ballots.from_counts(["-"], [(Ranking(()), cast)] if cast else [])
    share = Fraction(int(text[:-1]), 100) if text.endswith("%") else Fraction(0)
    quorum = Quorum(0 if share else int(text), share)
    return quorum.check(everyone, max(cast, eligible))


def check_marks(ranking: Ranking, method: CountingMethod) -> None:
    """Raise InvalidInput unless the ballot says what the method can count."""
    levels = ranking.levels
    match method.marks:
        case Marks.ORDER if any(len(level) > 1 for level in levels):
            problem = "In this election, two candidates can’t share a place. Give each another one."
        case Marks.APPROVE if len(levels) > 1:
            problem = "In this election, candidates are not ranked. Give everyone you mark rank 1."
        case Marks.ONE if len(ranking.names) > 1:
            problem = "In this election, you have one vote. Mark one candidate only."
        case _:
            return
    raise InvalidInput({"rankings": problem})


def definition_of(election: Election, candidates: Sequence[str]) -> BallotDefinition:
    """Return the definition of an election's ballots, from which confirmations are computed."""
    return create_definition(
        election.election_id,
        list_choices(election, candidates),
        election.secret_ballot,
        level=election.publication.value,
        commitment=election.tie_commitment or "",
        is_weighted=election.is_weighted,
        rules=agreed_rules(election),
    )


def list_choices(election: Election, candidates: Sequence[str]) -> list[str]:
    """Return what voters can choose from, in order, given the candidates as they were entered."""
    return [*candidates, *filter(None, [choice_apart(election)])]

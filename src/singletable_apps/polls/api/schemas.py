"""What is sent and answered, as JSON has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from singletable_apps.counting import (
    Number,
    Result,
    Round,
    RunoffResult,
    SchulzeResult,
    ScoreResult,
    Tie,
    explain,
)
from singletable_apps.polls.entities import Poll, Protection, Results, Vote
from singletable_apps.polls.rules import (
    FEWEST_OPTIONS,
    LONGEST_DESCRIPTION,
    LONGEST_OPTION,
    LONGEST_TITLE,
    MOST_OPTIONS,
    Draft,
)
from singletable_apps.polls.service import Outcome, Own, Recount
from singletable_apps.polls.text import DECIDES, PROTECTION_WORDS
from singletable_apps.polls.tokens import MOST_CODES
from singletable_apps.polls.urls import admin_link, code_link, share_link
from singletable_apps.shared import web
from singletable_apps.shared.results import compare_methods, possible_winners
from singletable_apps.shared.web import StrictBoolean, Timestamp, optional_field


class Sent(web.Model):
    """An object that is sent; its fields are `expiresAt` in JSON, and `expires_at` here alone."""

    model_config = ConfigDict(alias_generator=to_camel)


class Shown(web.Model):
    """An object that is answered."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


def absent_if_none(description: str) -> Any:
    """A field of an answer that is left out where there is nothing to say, and never null."""
    return Field(
        None,
        description=description,
        exclude_if=lambda value: value is None,
        json_schema_extra=_without_null,
    )


def _without_null(schema: dict[str, Any]) -> None:
    schema.pop("default")
    (type_,) = (each for each in schema.pop("anyOf") if each != {"type": "null"})
    schema.update(type_)


class TransferShown(Shown):
    """Votes that went on when an option was eliminated."""

    to: str | None = absent_if_none("The option they went to; absent if they rank no other.")
    votes: int


class TieShown(Shown):
    """A tie for the last place, and what broke it."""

    tied: list[str]
    broken_by: str = Field(
        description="`earlier rounds`, or `seed`: the order that the id of the poll makes."
    )
    mattered: str = Field(
        description="Whether somebody else could have won: `yes`, `no`, or `not known`."
    )

    @classmethod
    def of(cls, tie: Tie) -> TieShown:
        """The tie."""
        return cls(tied=list(tie.tied), broken_by=tie.broken_by, mattered=tie.mattered)


class RoundShown(Shown):
    """One round of the instant runoff; more than half of `continuing` make a winner."""

    round_number: int
    votes: dict[str, int]
    eliminated: str | None = absent_if_none("Who leaves after this round.")
    winner: str | None = absent_if_none("Who wins in this round.")
    continuing: int = Field(description="Votes that count for somebody in this round.")
    exhausted: int = Field(description="Votes that rank nobody who is left.")
    transfers: list[TransferShown] = Field(description="Where the votes of who leaves go.")
    tie_break: TieShown | None = absent_if_none("How a tie for the last place was broken.")

    @classmethod
    def of(cls, each: Round) -> RoundShown:
        """The round."""
        moved = [TransferShown(to=one.target, votes=int(one.votes)) for one in each.transfers]
        return cls(
            round_number=each.number,
            votes=whole(each.tally),
            eliminated=each.eliminated,
            winner=each.winner,
            continuing=int(each.continuing),
            exhausted=sum(int(votes) for votes in each.exhausted.values()),
            transfers=moved,
            tie_break=None if each.tie is None else TieShown.of(each.tie),
        )


def whole(votes: Mapping[str, Number]) -> dict[str, int]:
    """Votes by option: nobody ranks two alike in a poll, so no vote is split."""
    return {name: int(number) for name, number in votes.items()}


TIED = "Who is first: several if they are tied, nobody if there are no votes."
WINNER = "Who is first, if it is one alone."


class PluralityShown(Shown):
    """First choices alone."""

    votes: dict[str, int]
    winners: list[str] = Field(description=TIED)
    winner: str | None = absent_if_none(WINNER)

    @classmethod
    def of(cls, result: ScoreResult) -> PluralityShown:
        """The count."""
        first = first_of(result)
        return cls(votes=whole(result.scores), winners=first, winner=alone(first))


class SchulzeShown(Shown):
    """Who beats whom head to head, over the strongest chains."""

    places: list[list[str]] = Field(description="Best first; those in one list are level.")
    winners: list[str] = Field(description=TIED)
    winner: str | None = absent_if_none(WINNER)
    condorcet_winner: str | None = absent_if_none("Who beats every other head to head.")

    @classmethod
    def of(cls, result: SchulzeResult) -> SchulzeShown:
        """The count."""
        first = first_of(result)
        return cls(
            places=[list(place.candidates) for place in result.places],
            winners=first,
            winner=alone(first),
            condorcet_winner=result.condorcet_winner,
        )


def first_of(result: Result) -> list[str]:
    """Who is first; nobody if there are no votes."""
    return list(possible_winners(result)) if result.account.cast else []


def alone(first: list[str]) -> str | None:
    """The one who is first; None if several are."""
    return first[0] if len(first) == 1 else None


class TieOrder(Shown):
    """What breaks a tie that earlier rounds cannot: SHA-256 of the seed and the name."""

    seed: str
    order: list[str] = Field(description="Whoever is earlier stays.")


class ProtectionShown(Shown):
    """What kept people from voting twice, and what that is worth."""

    level: Protection
    words: str


class ResultsShown(Shown):
    """How a poll stands, or has ended."""

    poll_id: str
    total_votes: int
    is_final: bool = Field(description="Whether the poll has closed, and nothing will change.")
    rounds: list[RoundShown]
    winner: str | None = absent_if_none("Who wins the instant runoff; absent without votes.")
    possible_winners: list[str] | None = absent_if_none(
        "Who could have won had ties been broken otherwise; absent if that is not known."
    )
    tie_order: TieOrder
    borda_count: dict[str, int] = Field(
        description="Points: for a first place as many as there are options, then one less each."
    )
    borda_winners: list[str] = Field(description=TIED)
    borda_winner: str | None = absent_if_none(WINNER)
    plurality: PluralityShown
    schulze: SchulzeShown
    methods_disagree: bool = Field(description="Whether the four methods differ in who is first.")
    comparison: str = Field(description="What they say, and how they can differ.")
    protection: ProtectionShown
    rules: list[str] = Field(description="How the instant runoff counts.")
    explanation: list[str] = Field(description="The instant runoff in sentences.")

    @classmethod
    def of(cls, outcome: Outcome) -> ResultsShown:
        """The outcome."""
        poll, counts = outcome.poll, outcome.counts
        votes, runoff, borda = outcome.tally.votes, counts.runoff, first_of(counts.borda)
        compared = compare_methods(counts.by_method, DECIDES)
        return cls(
            poll_id=poll.id,
            total_votes=votes,
            is_final=outcome.is_final,
            rounds=[RoundShown.of(each) for each in runoff.rounds],
            winner=runoff.winner if votes else None,
            possible_winners=_possible(runoff) if votes else [],
            tie_order=_tie_order(runoff),
            borda_count=whole(counts.borda.scores),
            borda_winners=borda,
            borda_winner=alone(borda),
            plurality=PluralityShown.of(counts.plurality),
            schulze=SchulzeShown.of(counts.schulze),
            methods_disagree=votes > 0 and not compared.agrees,
            comparison=f"{compared.sentence} {compared.explanation}".strip() if votes else "",
            protection=ProtectionShown(
                level=poll.protection, words=PROTECTION_WORDS[poll.protection]
            ),
            # Nobody ranks two alike in a poll, so what would be done then is left out.
            rules=[rule.sentence for rule in runoff.rules if rule.about != "equal ranks"],
            explanation=list(explain(runoff, is_final=outcome.is_final)),
        )


class RecountShown(Shown):
    """What counting every vote one by one gives, beside what the results say."""

    poll_id: str
    votes: int
    rankings: int = Field(description="How many different rankings there are among them.")
    agrees: bool = Field(description="Whether the results say the same.")

    @classmethod
    def of(cls, poll_id: str, recount: Recount) -> RecountShown:
        """The recount."""
        return cls(
            poll_id=poll_id,
            votes=recount.votes,
            rankings=len(recount.by_votes.counts),
            agrees=recount.agrees,
        )


def _possible(runoff: RunoffResult) -> list[str] | None:
    return None if runoff.possible_winners is None else list(runoff.possible_winners)


def _tie_order(runoff: RunoffResult) -> TieOrder:
    assert runoff.tie_break is not None  # the id of the poll is always there
    return TieOrder(seed=runoff.tie_break.seed, order=list(runoff.tie_break.order))


class RankingShown(Shown):
    """A ranking, and how many voted for it."""

    rankings: list[str]
    votes: int


class ExportShown(ResultsShown):
    """The results, what was asked, and every different ranking."""

    title: str
    candidates: list[str]
    rankings: list[RankingShown] = Field(description="The most frequent first.")

    @classmethod
    def whole(cls, outcome: Outcome) -> ExportShown:
        """The outcome, with what it was counted from."""
        return cls(
            **dict(ResultsShown.of(outcome)),
            title=outcome.poll.title,
            candidates=outcome.poll.candidates,
            rankings=[
                RankingShown(rankings=list(ranking.names), votes=count)
                for ranking, count in outcome.counts.ballots.ranking_counts()
            ],
        )


class RoundsFile(Shown):
    """The rounds of the instant runoff as RCTab writes them: every number is a text."""

    config: dict[str, str]
    json_format_version: str
    results: list[dict[str, Any]]
    summary: dict[str, Any]


TITLE = f"The question, of at most {LONGEST_TITLE} characters."
DESCRIPTION = f"More about it, of at most {LONGEST_DESCRIPTION} characters."
CANDIDATES = (
    f"The options, {FEWEST_OPTIONS} to {MOST_OPTIONS} of at most {LONGEST_OPTION} characters. They "
    "are trimmed, and differ by more than capital letters."
)
EXPIRES_AT = "When the poll closes; without it, when somebody closes it."
RESULTS = "When those who have the link may see the results."
PROTECTION = "What keeps people from voting twice."
CHANGEABLE = (
    "Whether people may change their vote while the poll is open; where anybody may vote as often "
    "as they like, each vote is a new one."
)


# The rules check lengths and numbers, all of them at once; here are the types alone.
class NewPoll(Sent):
    """A poll to be made."""

    title: str = Field(description=TITLE, examples=["Best Programming Language 2024"])
    candidates: list[str] = Field(
        description=CANDIDATES,
        examples=[["JavaScript", "Python", "Go", "Rust"]],
        json_schema_extra={"minItems": FEWEST_OPTIONS, "maxItems": MOST_OPTIONS},
    )
    description: str = Field("", description=DESCRIPTION)
    expires_at: Timestamp | None = Field(None, description=EXPIRES_AT)
    results: Results = Field(Results.ALWAYS, description=RESULTS)
    protection: Protection = Field(Protection.BROWSER, description=PROTECTION)
    changeable: StrictBoolean = Field(True, description=CHANGEABLE)

    def draft(self) -> Draft:
        """What is asked for."""
        return Draft(**dict(self))


class PollChanges(Sent):
    """What is to be another about a poll, all of it or nothing; what is left out stays."""

    title: str = optional_field(TITLE)
    candidates: list[str] = optional_field(f"{CANDIDATES} They stay once somebody has voted.")
    description: str = optional_field(DESCRIPTION)
    expires_at: Timestamp | None = optional_field(
        "When the poll closes; null is when somebody closes it. Another time opens it again."
    )
    results: Results = optional_field(RESULTS)
    protection: Protection = optional_field(f"{PROTECTION} It stays once somebody has voted.")
    changeable: StrictBoolean = optional_field(CHANGEABLE)

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"results": "after-closing"}]}
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected something that is to be another")
        return self

    def on(self, draft: Draft) -> Draft:
        """The draft with what was said, and nothing else."""
        said: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        return replace(draft, **said)


class PollShown(Shown):
    """A poll, for everybody who has the link."""

    id: str
    title: str
    description: str
    candidates: list[str]
    created_at: datetime
    expires_at: datetime | None = absent_if_none("When the poll closes, or has closed.")
    results: Results = Field(description=RESULTS)
    protection: Protection = Field(description=PROTECTION)
    changeable: bool = Field(description=CHANGEABLE)
    link: str = Field(description="Where people vote.")

    @classmethod
    def of(cls, poll: Poll, public: str) -> PollShown:
        """The poll, with links under the address that people use."""
        return cls(**_said(poll, public))


class OwnPoll(PollShown):
    """A poll, for whoever made it."""

    admin_key: str = Field(description="Keep it: it changes, closes and deletes the poll.")
    admin_link: str = Field(description="Where people manage it; whoever has it may.")

    @classmethod
    def own(cls, own: Own, public: str) -> OwnPoll:
        """The poll, with its key."""
        link = admin_link(public, own.poll.id, own.admin_key)
        return cls(**_said(own.poll, public), admin_key=own.admin_key, admin_link=link)


def _said(poll: Poll, public: str) -> dict[str, Any]:
    return {
        "id": poll.id,
        "title": poll.title,
        "description": poll.description,
        "candidates": poll.candidates,
        "created_at": poll.created_at,
        "expires_at": poll.expires_at,
        "results": poll.results,
        "protection": poll.protection,
        "changeable": poll.changeable,
        "link": share_link(public, poll.id),
    }


Typed = Annotated[str, Field(max_length=100, description="A one-time code, however it is typed.")]


class NewVote(Sent):
    """What somebody votes."""

    rankings: list[str] = Field(
        description="Options, the best first; those not cared for are left out.",
        max_length=MOST_OPTIONS,
        examples=[["Go", "Rust"]],
        json_schema_extra={"minItems": 1},
    )
    code: Typed | None = Field(None, examples=["000A-7K3M-QX9T"])


class VoteShown(Shown):
    """A vote."""

    id: str = Field(description="Whoever knows it can read the vote again.")
    poll_id: str
    rankings: list[str]
    voted_at: datetime

    @classmethod
    def of(cls, vote: Vote) -> VoteShown:
        """The vote."""
        return cls(id=vote.id, poll_id=vote.poll_id, rankings=vote.rankings, voted_at=vote.voted_at)


class NewCodes(Sent):
    """How many codes are to be issued."""

    count: Annotated[int, Field(strict=True, ge=1, le=MOST_CODES, examples=[30])]


class CodeShown(Shown):
    """A one-time code, and whether somebody has voted with it."""

    code: str
    link: str = Field(description="Where its owner votes.")
    used: bool

    @classmethod
    def of(cls, public: str, poll_id: str, code: str, *, used: bool) -> CodeShown:
        """The code with its link."""
        return cls(code=code, link=code_link(public, poll_id, code), used=used)


class IssuedCodes(Shown):
    """Codes that are new; each lets one vote."""

    codes: list[CodeShown]

"""The request and response bodies of the API. Field names are camelCase in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Self

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from ranked_ballots import Number, explain
from singletable_apps.polls.entities import (
    Comment,
    Poll,
    PollKind,
    PollSettings,
    Protection,
    Vote,
)
from singletable_apps.polls.rules import (
    MAX_COMMENT,
    MAX_DESCRIPTION,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_TITLE,
    MIN_OPTIONS,
    PROTECTION_TEXT,
    PollDraft,
)
from singletable_apps.polls.service import ManagedPoll, PollResults
from singletable_apps.polls.tally import PickResult
from singletable_apps.polls.tokens import MAX_CODES
from singletable_apps.polls.urls import Urls
from singletable_apps.shared import web


class RequestModel(web.Model):
    """A request body."""

    model_config = ConfigDict(alias_generator=to_camel)


class ResponseModel(web.Model):
    """A response body. `model_validate` takes an object with attributes of the same names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


# ------------------------------------------------------------------------------ polls

_TITLE = f"The question, at most {MAX_TITLE} characters."
_DESCRIPTION = f"More about the question, at most {MAX_DESCRIPTION} characters."
_CANDIDATES = (
    f"The options: {MIN_OPTIONS} to {MAX_OPTIONS} of at most {MAX_OPTION} characters. They must "
    "differ in more than case and spaces. Dates are `2026-11-20`, or `2026-11-20T18:00:00+01:00`; "
    "you get times back in UTC."
)
_EXPIRES_AT = (
    "The closing time; without it, or with null, the poll is open until it is closed. A new time "
    "reopens a closed poll."
)


# The rules check lengths and numbers and report all errors at once; here are only the types.
class PollFields(PollSettings, RequestModel):
    """What the organizer of a poll chooses."""

    title: str = Field(description=_TITLE, examples=["Best Programming Language 2024"])
    candidates: list[str] = Field(
        description=_CANDIDATES,
        examples=[["JavaScript", "Python", "Go", "Rust"]],
        json_schema_extra={"minItems": MIN_OPTIONS, "maxItems": MAX_OPTIONS},
    )
    description: str = Field("", description=_DESCRIPTION)
    expires_at: web.Timestamp | None = Field(None, description=_EXPIRES_AT)


class NewPoll(PollFields):
    """A poll to create."""

    email: str = Field(
        "",
        description="Where to send a notice at the first vote and at the close, once the owner has "
        "confirmed the address with the link that we send.",
        max_length=254,
    )

    def to_draft(self) -> PollDraft:
        """Return the draft of the poll."""
        settings = PollSettings(**self.model_dump(include=set(PollSettings.model_fields)))
        return PollDraft(self.title, self.candidates, self.description, self.expires_at, settings)


@web.partial_model()
class PollChanges(PollFields, web.Changes):
    """Fields of a poll to change; the others stay as they are.

    Once someone has voted, `candidates`, `kind`, `maxPicks`, `names` and `protection` are fixed.
    """

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"results": "after-closing"}]}
    )

    def apply(self, draft: PollDraft) -> PollDraft:
        """Return the draft with these changes."""
        sent = self.sent()
        settings = {name: sent.pop(name) for name in PollSettings.model_fields if name in sent}
        return replace(draft, **sent, settings=draft.settings.model_copy(update=settings))


class PollSchema(
    PollSettings, ResponseModel, of=Poll, only="id title description candidates created_at"
):
    """A poll, for anyone with the link."""

    expires_at: datetime | None = web.absent_if_none("When the poll closes or was closed.")
    pictures: dict[str, web.PictureLink] = Field(description="Of options, if there are any.")
    link: str = Field(description="The link for voters.")

    @classmethod
    def from_poll(cls, poll: Poll, urls: Urls, **more: str) -> Self:
        """Return the poll as a response."""
        pictures = {
            name: web.PictureLink(url=urls.absolute(url), alt=alt)
            for name, (url, alt) in urls.pictures(poll).items()
        }
        computed = {"pictures": pictures, "link": urls.share_link(poll.id), **more}
        return cls.from_object(poll, **computed, **dict(poll.settings))


class CreatedPollSchema(PollSchema):
    """A poll, for its organizer."""

    admin_key: str = Field(description="Save it: you need it to edit, close and delete the poll.")
    admin_link: str = Field(description="The admin link. Anyone who has it can manage the poll.")

    @classmethod
    def from_managed(cls, managed: ManagedPoll, urls: Urls) -> CreatedPollSchema:
        """Return the poll with its admin key as a response."""
        poll, key = managed.poll, managed.admin_key
        link = urls.admin_link(poll.id, key)
        return cls.from_poll(poll, urls, admin_key=key, admin_link=link)


# ------------------------------------------------------------------------------ votes and codes

CodeText = Annotated[str, Field(max_length=100, description="A voting code.")]


class NewVote(RequestModel):
    """A vote to cast."""

    rankings: list[str] = Field(
        description="Options, best first; leave out the ones you do not want to rank. Or the "
        "options that you pick, or the dates to which you say yes.",
        max_length=MAX_OPTIONS,
        examples=[["Go", "Rust"]],
    )
    maybe: list[str] = Field(
        [],
        description="The dates answered with maybe.",
        max_length=MAX_OPTIONS,
        examples=[[]],
    )
    name: str = Field("", description="Your name, in polls that ask for it.", examples=[""])
    code: CodeText | None = Field(None, examples=["000A-7K3M-QX9T"])


class NewOption(RequestModel):
    """An option that a voter adds."""

    name: str = Field(description=f"The option, at most {MAX_OPTION} characters.")
    code: CodeText | None = Field(None, examples=["000A-7K3M-QX9T"])


class NewPicture(RequestModel):
    """A picture of an option."""

    data: web.ImageData = Field(description="An image in Base64, of up to 700 KB; empty for none.")
    alt: str = Field("", description="What it shows.", max_length=MAX_TITLE)


class NewComment(RequestModel):
    """A comment to write."""

    text: str = Field(description=f"At most {MAX_COMMENT} characters.", examples=["I like Go."])
    name: str = Field("", description="Your name, or nothing.", examples=["Ada"])


class CommentSchema(ResponseModel, of=Comment, only="id name text created_at"):
    """A comment."""


class VoteSchema(ResponseModel, of=Vote, only="id poll_id rankings voted_at"):
    """A vote."""

    id: str = Field(description="Keep it private: anyone who knows it can read the vote.")
    maybe: list[str] | None = web.absent_if_none("The dates answered with maybe.")
    name: str | None = web.absent_if_none("The name, in a poll that asks for it.")

    @classmethod
    def from_vote(cls, vote: Vote) -> VoteSchema:
        """Return the vote as a response."""
        return cls.from_object(vote, maybe=vote.maybe or None, name=vote.name or None)


class NewCodes(RequestModel):
    """How many voting codes to issue."""

    count: Annotated[int, Field(strict=True, ge=1, le=MAX_CODES, examples=[30])]


class VotingCodeSchema(ResponseModel):
    """A voting code, and whether it was used."""

    code: str
    link: str = Field(description="The link that fills in the code.")
    used: bool

    @classmethod
    def make(cls, urls: Urls, poll_id: str, code: str, *, used: bool) -> VotingCodeSchema:
        """Return the code with its link."""
        return cls(code=code, link=urls.code_link(poll_id, code), used=used)


class IssuedCodesSchema(ResponseModel):
    """New voting codes, each for one vote."""

    codes: list[VotingCodeSchema]


# ------------------------------------------------------------------------------ results

_WINNERS = "The winners: several if they are tied, none without votes."


def _whole(votes: Mapping[str, Number]) -> dict[str, int]:
    return {name: int(number) for name, number in votes.items()}


# Rankings in polls have no equal ranks, so no vote is split.
Whole = Annotated[int, BeforeValidator(int)]
Votes = Annotated[dict[str, int], BeforeValidator(_whole)]


class TransferSchema(ResponseModel):
    """Votes that moved when an option dropped out."""

    to: Annotated[str | None, Field(validation_alias="target")] = web.absent_if_none(
        "The option they moved to; absent if they are exhausted."
    )
    votes: Whole


class TieSchema(ResponseModel):
    """A tie for last place and how it was broken."""

    tied: list[str]
    broken_by: str = Field(
        description="`earlier rounds`, or `seed`: the order derived from the poll id."
    )
    mattered: str = Field(
        description="Whether another option could have won: `yes`, `no`, or `not known`."
    )


class RoundSchema(ResponseModel):
    """A round of the instant runoff. More than half of `continuing` wins."""

    round_number: int = Field(validation_alias="number")
    votes: Votes = Field(validation_alias="tally")
    eliminated: str | None = web.absent_if_none("The option that drops out after this round.")
    winner: str | None = web.absent_if_none("The option that wins in this round.")
    continuing: Whole = Field(description="Votes that count for an option in this round.")
    exhausted: Whole = Field(
        description="Votes that rank none of the remaining options.",
        validation_alias="exhausted_total",
    )
    transfers: list[TransferSchema] = Field(
        description="Where the votes of the eliminated option go."
    )
    tie_break: Annotated[TieSchema | None, Field(validation_alias="tie")] = web.absent_if_none(
        "How a tie for last place was broken."
    )


class PluralitySchema(ResponseModel):
    """The count of first choices."""

    votes: Votes
    winners: Sequence[str] = Field(description=_WINNERS)


class SchulzeSchema(ResponseModel):
    """The result by Schulze's method: the strongest chains of head-to-head wins."""

    places: Sequence[Sequence[str]] = Field(description="Best first; options in one list are tied.")
    winners: Sequence[str] = Field(description=_WINNERS)
    condorcet_winner: str | None = web.absent_if_none(
        "The option that beats all others head to head."
    )


class TieOrderSchema(ResponseModel):
    """The order that breaks ties: options sorted by SHA-256 of the seed and the name."""

    seed: str
    order: list[str] = Field(description="Of tied options, the later one drops out.")


class ProtectionSchema(ResponseModel):
    """What prevented people from voting twice, and how reliable that is."""

    level: Protection
    words: str


class NamedVoteSchema(ResponseModel, of=Vote, only="name rankings maybe"):
    """What someone voted for, in a poll that asks for names."""


class _Results(ResponseModel):
    poll_id: str
    total_votes: int
    is_final: bool = Field(description="Whether the poll is closed and nothing will change.")
    protection: ProtectionSchema

    @classmethod
    def _of(cls, results: PollResults, **count: object) -> Self:
        level = results.poll.settings.protection
        every_poll = {
            "poll_id": results.poll.id,
            "total_votes": results.tally.votes,
            "is_final": results.is_final,
            "protection": {"level": level, "words": PROTECTION_TEXT[level]},
        }
        return cls.model_validate(every_poll | count)


class PickResultsSchema(_Results):
    """The results of a poll in which people pick, provisional or final."""

    votes: dict[str, int] = Field(description="How often each option was picked, most often first.")
    maybe: dict[str, int] = Field(description="How often each date was answered with maybe.")
    winners: Sequence[str] = Field(description=_WINNERS)
    voters: list[NamedVoteSchema] = Field(description="Who voted for what, if names are asked for.")

    @classmethod
    def from_results(
        cls, results: PollResults, count: PickResult, voters: Sequence[Vote]
    ) -> PickResultsSchema:
        """Return the results as a response."""
        is_dates = results.poll.settings.kind is PollKind.DATES
        maybe: Mapping[str, int] = count.maybe if is_dates else {}
        return cls._of(
            results, votes=count.votes, maybe=maybe, winners=count.winners, voters=voters
        )


class ResultsSchema(_Results):
    """The results of a poll in which people rank, provisional or final."""

    rounds: list[RoundSchema]
    winner: str | None = web.absent_if_none("The winner by instant runoff; absent without votes.")
    possible_winners: Sequence[str] | None = web.absent_if_none(
        "The options that could have won with other tie-breaks; absent if not known."
    )
    tie_order: TieOrderSchema
    borda_count: Votes = Field(
        description="Points: as many as there are options for first place, then one less each."
    )
    borda_winners: Sequence[str] = Field(description=_WINNERS)
    borda_winner: str | None = web.absent_if_none("The winner, if there is exactly one.")
    plurality: PluralitySchema
    schulze: SchulzeSchema
    methods_disagree: bool = Field(description="Whether the four methods have different winners.")
    comparison: str = Field(description="How the methods compare, in words.")
    rules: Sequence[str] = Field(description="The rules of the instant runoff.")
    explanation: Sequence[str] = Field(description="The instant runoff in sentences.")
    voters: list[NamedVoteSchema] | None = web.absent_if_none(
        "Who voted for what, if names are asked for."
    )

    @classmethod
    def from_results(
        cls, results: PollResults, voters: Sequence[Vote] = (), **more: object
    ) -> Self:
        """Return the results as a response."""
        methods, comparison = results.methods, results.methods.compare()
        runoff, schulze, has_votes = methods.runoff, methods.schulze, results.tally.votes > 0
        borda, plurality, condorcet = (
            result.winners if has_votes else ()
            for result in (methods.borda, methods.plurality, schulze)
        )
        return cls._of(
            results,
            rounds=runoff.rounds,
            winner=runoff.winner if has_votes else None,
            possible_winners=runoff.possible_winners if has_votes else (),
            tie_order=runoff.tie_break,
            borda_count=methods.borda.scores,
            borda_winners=borda,
            borda_winner=borda[0] if len(borda) == 1 else None,
            plurality={"votes": methods.plurality.scores, "winners": plurality},
            schulze={
                "places": [place.candidates for place in schulze.places],
                "winners": condorcet,
                "condorcet_winner": schulze.condorcet_winner,
            },
            methods_disagree=has_votes and not comparison.agrees,
            comparison=f"{comparison.sentence} {comparison.explanation}".strip()
            if has_votes
            else "",
            # Rankings in polls have no equal ranks, so that rule is left out.
            rules=[rule.sentence for rule in runoff.rules if rule.about != "equal ranks"],
            explanation=explain(runoff, is_final=results.is_final),
            voters=voters or None,
            **more,
        )


class RankingSchema(ResponseModel):
    """A ranking and its number of votes."""

    rankings: Sequence[str]
    votes: int


class ExportSchema(ResultsSchema):
    """The results with the question and every ranking."""

    title: str
    candidates: list[str]
    rankings: list[RankingSchema] = Field(description="Most votes first.")

    @classmethod
    def from_results(
        cls, results: PollResults, voters: Sequence[Vote] = (), **more: object
    ) -> Self:
        """Return the export of some results."""
        counts = results.methods.ballots.ranking_counts()
        rankings = [{"rankings": ranking.names, "votes": votes} for ranking, votes in counts]
        poll = results.poll
        return super().from_results(
            results, voters, title=poll.title, candidates=poll.candidates, rankings=rankings, **more
        )

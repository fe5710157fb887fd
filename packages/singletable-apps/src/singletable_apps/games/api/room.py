"""The room of a game in the API: players, answers, moderation and audience questions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from starlette.concurrency import run_in_threadpool

from singletable_apps.games.api.dependencies import (
    EXISTS,
    ROOM_CLOSED,
    SEATED,
    WRONG_PHASE,
    Body,
    CurrentState,
    DriverSeat,
    PlayerSeat,
    Service,
    named_as_sent,
)
from singletable_apps.games.api.games import PlayerBody
from singletable_apps.games.entities import Answer, AnswerStatus, AskedStatus, AudienceQuestion
from singletable_apps.games.service.answers import Outcome, Submission, VoteSubmission
from singletable_apps.shared.web import INVALID, Segment, Timestamp, api_router, responses

router, answers = api_router("hosts", *SEATED), api_router("answers", *SEATED)
_CHANGES = responses(INVALID, WRONG_PHASE)


# ------------------------------------------------------------------------------ players


class NewName(Body):
    """A name."""

    name: str


class NewTeam(Body):
    """A team of the game."""

    team: str


@router.post("/games/{game_id}/players/{player_id}/rename", responses=responses(INVALID, EXISTS))
def rename_player(
    service: Service, seated: DriverSeat, player_id: Segment, body: NewName
) -> PlayerBody:
    """Give a player another name, also in earlier results."""
    return PlayerBody.from_object(service.players.rename(seated.game.game_id, player_id, body.name))


@router.post("/games/{game_id}/players/{player_id}/team", responses=responses(INVALID))
def move_player(
    service: Service, seated: DriverSeat, player_id: Segment, body: NewTeam
) -> PlayerBody:
    """Move a player to another team."""
    return PlayerBody.from_object(
        service.players.set_team(seated.game.game_id, player_id, body.team)
    )


@router.post("/games/{game_id}/players/{player_id}/remove")
def remove_player(service: Service, seated: DriverSeat, player_id: Segment) -> PlayerBody:
    """Remove and disconnect a player. The name stays taken."""
    return PlayerBody.from_object(service.players.remove(seated.game.game_id, player_id))


# ------------------------------------------------------------------------------ answers


class NewAnswer(Body):
    """An answer: a text, the ids of options, or a number, as the question needs it."""

    question_id: str
    answer: str = Field("", description="What was typed.")
    choices: list[str] = Field([], description="The ids of options, in order for a rank question.")
    number: int | None = Field(None, strict=True, description="A rating.")
    client_id: str = Field("", description="Sending the same id again changes nothing.")


class AnswerBody(Body):
    """An answer of the requesting player."""

    question_id: str
    player_name: str
    answer: str
    choices: list[str]
    number: int | None
    word_count: int
    status: AnswerStatus
    submitted_at: Timestamp

    @classmethod
    def of(cls, answer: Answer) -> AnswerBody:
        """Return the body of an answer."""
        return cls.from_object(
            answer, player_name=answer.name, answer=answer.text, choices=list(answer.choices)
        )


class AnswerOutcome(Body):
    """What became of an answer, and the answer that is stored."""

    outcome: Outcome
    answer: AnswerBody | None


@answers.post("/games/{game_id}/answers", responses=_CHANGES)
async def send_answer(state: CurrentState, seated: PlayerSeat, body: NewAnswer) -> AnswerOutcome:
    """Answer the question that is open. It is acknowledged when it is certain to be counted.

    In a homework, it is the question where you are, and the view shows the next one.
    """
    state.count_use("answer", seated.seat.player_id)
    sent = Submission(
        seated.seat.player_id,
        body.question_id,
        state.service.context.clock(),
        body.answer,
        tuple(body.choices),
        body.number,
        body.client_id,
    )
    with named_as_sent():
        if seated.game.homework:
            answer = state.service.homework.answer
            receipt = await run_in_threadpool(answer, seated.game.game_id, sent)
        else:
            receipt = await state.live.submit(seated.seat, sent)
    stored = AnswerBody.of(receipt.answer) if receipt.answer else None
    return AnswerOutcome(outcome=receipt.outcome, answer=stored)


class NewVote(Body):
    """A ranking of the answers of others: their ids, best first."""

    question_id: str
    ranking: list[str]
    client_id: str = ""


class VoteOutcome(Body):
    """What became of a vote."""

    outcome: Outcome


@answers.post("/games/{game_id}/votes", responses=_CHANGES)
async def send_vote(state: CurrentState, seated: PlayerSeat, body: NewVote) -> VoteOutcome:
    """Rank the answers of others, best first. A later vote replaces an earlier one."""
    state.count_use("answer", seated.seat.player_id)
    sent = VoteSubmission(
        seated.seat.player_id,
        body.question_id,
        state.service.context.clock(),
        tuple(body.ranking),
        body.client_id,
    )
    with named_as_sent():
        return VoteOutcome(outcome=(await state.live.submit(seated.seat, sent)).outcome)


# ------------------------------------------------------------------------------ moderation


class ReadText(Body):
    """The text that the host has read. If the player has changed it, nothing is done."""

    text: str | None = None


class DecisionBody(Body):
    """An answer after a decision. Its id does not reveal its author."""

    question_id: str
    answer_id: str
    text: str
    status: AnswerStatus
    is_late: bool = Field(description="The question was closed at the same time: see the ballot.")


class OfQuestion(Body):
    """A question that was played; the current one, if it is left out."""

    question_id: str = ""


_STATUSES = {"approve": AnswerStatus.VISIBLE, "hide": AnswerStatus.HIDDEN}


@router.post("/games/{game_id}/answers/{question_id}/{answer_id}/{verdict}", responses=_CHANGES)
def decide(
    service: Service,
    seated: DriverSeat,
    question_id: Segment,
    answer_id: Segment,
    verdict: Literal["approve", "hide"],
    body: ReadText | None = None,
) -> DecisionBody:
    """Let others see an answer, or hide it, while its question is open."""
    answer, is_late = service.moderation.decide(
        seated.game.game_id, question_id, answer_id, _STATUSES[verdict], body.text if body else None
    )
    return DecisionBody.from_object(answer, is_late=is_late)


@router.post("/games/{game_id}/ballot/{answer_id}/{change}", responses=_CHANGES)
def change_ballot(
    service: Service,
    seated: DriverSeat,
    answer_id: Segment,
    change: Literal["hide", "show", "accept", "reject"],
    body: OfQuestion | None = None,
) -> OfQuestion:
    """Hide a frozen answer on ballots and in results, or show it again.

    Before the votes are counted, a hidden answer gets no points. Accept a typed answer of the
    current question, and everyone who wrote it gets the points; reject takes that back.
    """
    if change in ("accept", "reject"):
        state = service.rounds.accept(seated.game.game_id, answer_id, change == "accept")
        return OfQuestion(question_id=state.question_id)
    question_id = body.question_id if body else ""
    changed = service.moderation.set_hidden(
        seated.game.game_id, answer_id, change == "hide", question_id
    )
    return OfQuestion(question_id=changed.question_id)


# ------------------------------------------------------------------------------ audience questions

_ASKED = "/games/{game_id}/audience-questions"


class NewAudienceQuestion(Body):
    """A question to the host, of at most 240 characters."""

    text: str


class AskedBody(Body, of=AudienceQuestion, only="asked_id text status asked_at"):
    """A question to the host. If it is pending, the host decides whether others see it."""


class Upvote(Body):
    """Whether you vote for a question."""

    is_on: bool


@router.post(_ASKED, status_code=201, responses=responses(INVALID, ROOM_CLOSED))
def ask_host(state: CurrentState, seated: PlayerSeat, body: NewAudienceQuestion) -> AskedBody:
    """Ask the host, if `takesQuestions` is on. Sending the same text again changes nothing."""
    state.count_use("ask", seated.seat.player_id)
    asked = state.service.audience.ask(seated.game, seated.seat.player_id, body.text)
    return AskedBody.from_object(asked)


@router.put(f"{_ASKED}/{{asked_id}}/vote", status_code=204, responses=responses(ROOM_CLOSED))
def upvote(state: CurrentState, seated: PlayerSeat, asked_id: Segment, body: Upvote) -> None:
    """Vote for a question, or take your vote back. The view has all questions with their votes."""
    state.count_use("answer", seated.seat.player_id)
    state.service.audience.vote(seated.game, seated.seat.player_id, asked_id, is_on=body.is_on)


@router.post(f"{_ASKED}/{{asked_id}}/{{status}}", status_code=204)
def decide_question(
    service: Service, seated: DriverSeat, asked_id: Segment, status: AskedStatus
) -> None:
    """Approve a question (`visible`), show it large, mark it as answered, or hide it."""
    service.audience.decide(seated.game, asked_id, status)

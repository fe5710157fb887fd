"""The room of a game in the API: players, moderation and audience questions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from singletable_apps.games.api.dependencies import (
    EXISTS,
    ROOM_CLOSED,
    SEATED,
    WRONG_PHASE,
    CurrentState,
    DriverSeat,
    PlayerSeat,
    Service,
)
from singletable_apps.games.api.schemas import Body, PlayerBody
from singletable_apps.games.entities import AnswerStatus, AskedStatus, AudienceQuestion
from singletable_apps.shared.web import INVALID, Segment, api_router, responses

router = api_router("hosts", *SEATED)
_CHANGES = responses(INVALID, WRONG_PHASE)


# ------------------------------------------------------------------------------ players


class NewName(Body):
    """A name."""

    name: str


class NewTeam(Body):
    """A team of the game."""

    team: str


class Moved(Body):
    """How many players were moved to another team."""

    moved: int


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


@router.post("/games/{game_id}/teams/balance", responses=responses(INVALID))
def balance_teams(service: Service, seated: DriverSeat) -> Moved:
    """Make teams equally large by moving few players."""
    return Moved(moved=service.players.balance_teams(seated.game.game_id))


# ------------------------------------------------------------------------------ moderation


class WrittenAnswer(Body):
    """An answer that is not frozen yet. Its id does not reveal its author."""

    question_id: str
    answer_id: str
    text: str
    status: AnswerStatus


class FrozenAnswerBody(Body):
    """An answer on ballots and in results."""

    question_id: str
    answer_id: str
    text: str
    is_hidden: bool


class ModerationBody(Body):
    """What a host can decide about."""

    pending: list[WrittenAnswer]
    hidden: list[WrittenAnswer]
    ballot: list[FrozenAnswerBody]
    left_out: int = Field(description="Answers that were not approved before the question closed.")


class ReadText(Body):
    """The text that the host has read. If the player has changed it, nothing is done."""

    text: str | None = None


class DecisionBody(WrittenAnswer):
    """An answer after a decision."""

    is_late: bool = Field(description="The question was closed at the same time: see the ballot.")


class OfQuestion(Body):
    """A question that was played; the current one, if it is left out."""

    question_id: str = ""


@router.get("/games/{game_id}/moderation")
def read_moderation(service: Service, seated: DriverSeat) -> ModerationBody:
    """Return answers that wait for a decision, hidden ones, and those on the ballot."""
    play, moderation = service.game_store.load(seated.game.game_id), service.moderation
    current = service.game_store.get_round(play.game.game_id, play.state.question_id)
    return ModerationBody(
        pending=[WrittenAnswer.from_object(each) for each in moderation.list_answers(play)],
        hidden=[
            WrittenAnswer.from_object(each)
            for each in moderation.list_answers(play, AnswerStatus.HIDDEN)
        ],
        ballot=[
            FrozenAnswerBody.from_object(
                answer,
                question_id=entry.question_id,
                answer_id=answer.id,
                is_hidden=answer.id in entry.hidden,
            )
            for entry, answer in moderation.list_frozen(play)
        ],
        left_out=current.left_out if current else 0,
    )


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

"""Answers and votes in the API.

Hosts read the answers of all players, but not the names of anonymous ones before the reveal, and
never in a survey. Players read their own.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.concurrency import run_in_threadpool

from singletable_apps.games.api.dependencies import (
    SEATED,
    WRONG_PHASE,
    AnySeat,
    CurrentState,
    PlayerSeat,
    Seated,
    Service,
)
from singletable_apps.games.api.schemas import (
    AnswerBody,
    AnswerList,
    AnswerOutcome,
    NewAnswer,
    NewVote,
    VoteList,
    VoteOutcome,
    VoteRow,
    named_as_sent,
)
from singletable_apps.games.errors import NotFound, NotPermitted
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import ranking_of
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.answers import Submission, VoteSubmission
from singletable_apps.games.tokens import Role
from singletable_apps.shared.web import INVALID, api_router, responses

router = api_router("answers", *SEATED)
_REJECTED = responses(INVALID, WRONG_PHASE)
QuestionId = Annotated[
    str,
    Query(alias="questionId", max_length=10, description="Such as 001; the current one if empty."),
]


@router.post("/games/{game_id}/answers", responses=_REJECTED)
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


@router.get("/games/{game_id}/answers")
def list_answers(service: Service, seated: AnySeat, question_id: QuestionId = "") -> AnswerList:
    """Return the answers to a question: a host gets all, a player the own one."""
    game, seat = seated.game, seated.seat
    asked, is_over = _played(service, seated, question_id)
    if seat.role is Role.PLAYER:
        own = service.answers.find_answer(game.game_id, asked, seat.player_id)
        found = [AnswerBody.of(own)] if own else []
        return AnswerList(count=len(found), answers=found)
    _check_driver(seated)
    answers = service.game_store.list_answers(game.game_id, asked)
    is_survey = game.type is EngagementType.SURVEY
    if is_survey and (not is_over or len(answers) < game.settings.min_cell):
        return AnswerList(count=len(answers), is_hidden=True, answers=[])
    with_name = not is_survey and _may_name(seated, is_over)
    bodies = [AnswerBody.of(each, with_name=with_name) for each in answers]
    if not with_name:
        # Stored by player: neither the order nor the times may tell who wrote what.
        asked_at = service.context.get_state(game.game_id).question_started_at
        bodies = sorted(
            (each.model_copy(update={"submitted_at": asked_at}) for each in bodies),
            key=lambda each: (each.answer, each.choices, each.number or 0),
        )
    return AnswerList(count=len(answers), answers=bodies)


@router.post("/games/{game_id}/votes", responses=_REJECTED)
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


@router.get("/games/{game_id}/votes")
def list_votes(service: Service, seated: AnySeat, question_id: QuestionId = "") -> VoteList:
    """Return the votes on the answers to a question: a host gets all, a player the own one."""
    game, seat = seated.game, seated.seat
    asked, is_over = _played(service, seated, question_id)
    if seat.role is Role.PLAYER:
        own = service.answers.find_vote(game.game_id, asked, seat.player_id)
        votes = [own] if own else []
        with_name = True
    else:
        _check_driver(seated)
        votes = service.game_store.list_votes(game.game_id, asked)
        with_name = _may_name(seated, is_over)
    if not with_name:
        votes = sorted(votes, key=ranking_of)
    rows = [
        VoteRow(
            question_id=vote.question_id,
            player_name=vote.name if with_name else "",
            answer_id=answer,
            rank=rank,
        )
        for vote in votes
        for answer, rank in sorted(vote.votes.items(), key=lambda each: each[1])
    ]
    return VoteList(count=len(votes), votes=rows)


def _played(service: GamesService, seated: Seated, question_id: str) -> tuple[str, bool]:
    """Return the id of a question that was asked, and whether its results are shown."""
    state = service.context.get_state(seated.game.game_id)
    wanted = question_id or state.question_id
    if wanted not in state.played:
        raise NotFound("This question has not been asked.")
    entry = service.game_store.get_round(seated.game.game_id, wanted)
    return wanted, entry is not None and entry.completed_at is not None


def _check_driver(seated: Seated) -> None:
    if not seated.seat.can_drive:
        raise NotPermitted("Only hosts can do this.")


def _may_name(seated: Seated, is_over: bool) -> bool:
    return is_over or not seated.game.settings.is_anonymous

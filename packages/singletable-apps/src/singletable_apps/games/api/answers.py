"""Answers and votes in the API."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool

from singletable_apps.games.api.dependencies import SEATED, WRONG_PHASE, CurrentState, PlayerSeat
from singletable_apps.games.api.schemas import (
    AnswerBody,
    AnswerOutcome,
    NewAnswer,
    NewVote,
    VoteOutcome,
    named_as_sent,
)
from singletable_apps.games.service.answers import Submission, VoteSubmission
from singletable_apps.shared.web import INVALID, api_router, responses

router = api_router("answers", *SEATED)
_REJECTED = responses(INVALID, WRONG_PHASE)


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

"""Live updates in the API: the socket of a game, and long polls with posted messages instead."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response, WebSocket
from starlette.concurrency import run_in_threadpool

from singletable_apps.games import errors
from singletable_apps.games.api.asyncapi import asyncapi_document, describe_messages
from singletable_apps.games.api.dependencies import SEATED, AnySeat, CurrentState, GameId
from singletable_apps.shared.rooms import (
    CloseCode,
    Position,
    RoomFull,
    refuse_socket,
    serve_poll,
    serve_socket,
    socket_token,
)
from singletable_apps.shared.web import PUBLIC, UNAVAILABLE, Problem, api_router, client_address

router = api_router("live", *SEATED)

# After this time a client reconnects, and its token is checked again.
_MAX_AGE = 2 * 3600.0
_CLOSE_CODES: dict[type[errors.AppError], CloseCode] = {
    errors.NotFound: CloseCode.NOT_FOUND,
    errors.NotSeated: CloseCode.UNAUTHORIZED,
    errors.RoomClosed: CloseCode.FORBIDDEN,
}


@router.websocket("/games/{game_id}/socket")
async def serve_game(websocket: WebSocket, state: CurrentState, game_id: GameId) -> None:
    """Serve a client until its socket is closed. Its token says which role it has."""
    try:
        seat, _ = await run_in_threadpool(
            state.service.context.read_seat, socket_token(websocket), game_id
        )
    except (errors.RequestRejected, errors.Busy) as error:
        code = _CLOSE_CODES.get(type(error), CloseCode.TRY_AGAIN_LATER)
        await refuse_socket(websocket, code, str(error))
        return
    await serve_socket(
        websocket,
        state.live.rooms,
        game_id,
        state.live.attendee(seat),
        snapshot=state.live.snapshot,
        receive=state.live.receiver(seat),
        max_age=_MAX_AGE,
    )


@router.get("/asyncapi.json", openapi_extra=PUBLIC)
def read_asyncapi() -> dict[str, Any]:
    """Return the AsyncAPI document of the socket."""
    return asyncapi_document()


@router.get("/games/{game_id}/events", description=describe_messages())
async def poll_events(
    request: Request,
    state: CurrentState,
    seated: AnySeat,
    epoch: Annotated[
        str, Query(max_length=64, description="The `epoch` of the last message.")
    ] = "",
    sequence: Annotated[
        str, Query(max_length=20, description="The `sequence` of the last message.")
    ] = "",
    wait: Annotated[float, Query(ge=0, le=55, description="Seconds to wait for a message.")] = 25,
) -> Response:
    """Return the messages after a position, as soon as there are any, or a snapshot."""
    member = state.live.attendee(seated.seat, client=client_address(request))
    poll = state.live.rooms.poll(
        seated.game.game_id,
        member,
        snapshot=state.live.snapshot,
        position=Position.parse(epoch, sequence),
        wait=wait,
    )
    try:
        return await serve_poll(request, poll)
    except RoomFull:
        raise Problem(
            UNAVAILABLE, "This game has too many connections.", headers={"Retry-After": "5"}
        ) from None


@router.post("/games/{game_id}/messages")
async def post_message(request: Request, state: CurrentState, seated: AnySeat) -> Response:
    """Send a message as over the socket, and return the same reply, also if it is an error."""
    member = state.live.attendee(seated.seat, client=client_address(request))
    receive = state.live.receiver(seated.seat)
    body = await request.body()
    text = await state.live.rooms.answer(seated.game.game_id, member, body, receive)
    return Response(text, media_type="application/json", headers={"Cache-Control": "no-store"})

"""Phones: join a game, play it, or watch it as the audience.

`play.html` shows the same view that scripts get over the socket, with forms, so that one can play
without scripts. With scripts, `static/play/play.js` replaces it, and one can ask and react, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import ceil

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.games import errors
from singletable_apps.games.entities import Game
from singletable_apps.games.pages.dependencies import (
    SEAT,
    AnyPage,
    PageContext,
    SeatPageContext,
    Segment,
)
from singletable_apps.games.phases import Phase
from singletable_apps.games.service.answers import Outcome, Receipt, Submission
from singletable_apps.games.service.players import MAX_LISTED_NAME, MAX_NAME
from singletable_apps.games.tokens import Actor, Role, new_id
from singletable_apps.games.views import View, public_view
from singletable_apps.games.web import limit_access_codes, limit_unknown_codes
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import ConfirmedAction, Form, PostedForm, confirm
from singletable_apps.shared.pages.page_context import FORM_METHODS
from singletable_apps.shared.qr import qr_svg

router = APIRouter()
# Seconds between reloads without scripts, and after a deadline until it is surely over.
_RELOAD, _AFTER_DEADLINE = 5, 3
_LATE = "Time was up when your answer arrived. The results show whether it counted."


# ------------------------------------------------------------------------------ join


@router.get("/join")
def show_join(page: AnyPage, code: str = "") -> Response:
    """Ask for the code of a game, or lead to the game with this code."""
    if not code.strip():
        return page.render("join", form=Form())
    count_request(page.request, "join")
    try:
        with limit_unknown_codes(page.request):
            game = page.service.games.find_by_code(code)
    except errors.NotFound:
        text = "There is no game with this code. Check it on the big screen; it has six digits."
        form = Form({"code": code[:20]}, {"code": text})
        return page.render("join", 404, form=form)
    return page.redirect(page.urls.play(game.game_id, "join"))


class JoinForm(BaseModel):
    """A name, the team in a game with teams, and the access code of a private game."""

    name: str = ""
    team: str = ""
    access_code: str = ""
    watch: str = ""


@router.api_route("/play/{game_id}/join", methods=FORM_METHODS)
def join_game(page: AnyPage, game_id: Segment, form: PostedForm) -> Response:
    """Ask for a name, and take a seat as a player or in the audience."""
    try:
        seat_of(page, game_id)
    except errors.NotSeated:
        pass
    except errors.RoomClosed as error:
        return show_closed(page, error)
    except errors.NotFound as error:
        return show_closed(page, error, 404)
    else:
        return page.redirect(page.urls.play(game_id))
    service = page.service
    game, state = service.context.get_game(game_id), service.rounds.finish_due(game_id)

    def show(shown: Form, status: int) -> Response:
        names = service.players.suggest_names(game) if game.settings.generated_names else []
        longest = MAX_LISTED_NAME if game.homework and game.homework.names else MAX_NAME
        return page.render("play/name", status, game=game, form=shown, longest=longest, names=names)

    def join(values: JoinForm) -> Response:
        count_request(page.request, "join")
        try:
            with limit_access_codes(page.request, game):
                token = _join(page, game, values)
        except errors.InvalidInput as error:
            if isinstance(error, errors.AlreadyExists) and error.suggestions:
                # One tap takes the suggestion.
                filled = {**form.values, "name": error.suggestions[0]}
                return show(Form(filled, error.errors), 422)
            raise
        page.take_seat(token, page.urls.play(game_id))
        return page.redirect(page.urls.play(game_id))

    try:
        if state.phase is Phase.ENDED and (game.homework or not form.value("watch")):
            about = "This homework is closed. Nothing is accepted any more."
            raise errors.RoomClosed(about if game.homework else "This game is over.")
        if game.is_locked and state.phase is not Phase.ENDED:
            raise errors.RoomClosed("The host has locked this game. Ask the host to let you in.")
        return page.fill(form, Form(), JoinForm, join, show)
    except errors.RoomClosed as error:
        is_public = state.phase is Phase.ENDED and not (game.access_code or game.homework)
        return show_closed(page, error, watch=page.urls.play(game_id, "join") if is_public else "")


def _join(page: PageContext, game: Game, values: JoinForm) -> str:
    """Return the token of a new player, or of the audience."""
    service = page.service
    if values.watch and not game.homework:
        service.games.check_access_code(game, values.access_code)
        return service.context.issue_seat(game, Role.AUDIENCE)
    return service.players.join(
        game.game_id, values.name, team=values.team, access_code=values.access_code
    ).token


# ------------------------------------------------------------------------------ play


def seat_of(page: PageContext, game_id: str) -> SeatPageContext:
    """Return the page with its seat, as a player or in the audience, or raise NotSeated.

    Only the cookie of this screen counts: a host may play in the own game with the same browser.
    """
    tokens, token = page.service.context.tokens, SEAT.read(page.request)
    if not token:
        page.service.context.get_game(game_id)
        raise errors.NotSeated("You are not in this game yet.")
    seat, game = page.service.context.seat_of(Actor(tokens.read_seat(token)), game_id)
    if seat.role not in (Role.PLAYER, Role.AUDIENCE):
        raise errors.NotSeated("You are not in this game yet.")
    return SeatPageContext(page.request, seat, game)


def _with_seat(
    page: PageContext, game_id: str, act: Callable[[SeatPageContext], Response]
) -> Response:
    """Act on the seat of the browser. Without one, lead to the page where one joins."""
    try:
        return act(seat_of(page, game_id))
    except errors.NotSeated:
        return page.redirect(page.urls.play(game_id, "join"))
    except errors.RoomClosed as error:
        return show_closed(page, error)
    except errors.NotFound as error:
        return show_closed(page, error, 404)


def show_closed(
    page: PageContext, error: Exception, status: int = 403, *, watch: str = ""
) -> Response:
    """Say why one cannot play: the game is over, full, locked or gone, or one was removed.

    `watch` is where one can post to see the result.
    """
    text = str(error) if status != 404 else "This game does not exist any more."
    title, _, rest = text.partition(". ")
    return page.render("play/closed", status, title=title.rstrip("."), text=rest, watch=watch)


@router.get("/play/{game_id}")
def show_play(page: AnyPage, game_id: Segment, step: int = 0) -> Response:
    """Show the game as it is now: the question with a form, or its results."""
    return _with_seat(page, game_id, lambda seated: _show(seated, step))


def _show(
    page: SeatPageContext,
    step: int = 0,
    status: int = 200,
    *,
    error: str = "",
    sent: Form | None = None,
) -> Response:
    service, game_id = page.service, page.game.game_id
    if page.game.homework:
        return _show_homework(page, status, error, sent or Form())
    snapshot = service.snapshots.read(game_id)
    view = public_view(snapshot, page.seat.role)
    me = service.snapshots.player_view(snapshot, page.seat.player_id) if page.seat.player_id else {}
    now, urls = service.context.clock(), page.urls
    urls_of = {name: urls.play(game_id, name) for name in ("device", "leave", "next")}
    data = {
        "view": view,
        "me": me or None,
        "token": page.token,
        "role": page.seat.role,
        "serverTime": now.isoformat(),
        "api": urls.api("games", game_id),
        "urls": {**urls_of, "join": urls.join()},
    }
    page_of_survey = _survey_step(view, me, step) if me and "survey" in view else {}
    is_asked = bool(me) and _is_asked(view, me, page_of_survey)
    return page.render(
        "play/play",
        status,
        view=view,
        me=me,
        phase=view["pausedPhase"] or view["phase"],
        # A form is reloaded at the deadline only: people are filling it in.
        reload=_seconds_left(view, now) if is_asked else _RELOAD,
        is_asked=is_asked,
        survey=page_of_survey,
        data=json.dumps(data, separators=(",", ":")),
        client_id=new_id(),
        error=error,
        sent=sent or Form(),
        bars_of=bars_of,
    )


def _show_homework(page: SeatPageContext, status: int, error: str, sent: Form) -> Response:
    """Show the question where the player is, or the result."""
    if not page.seat.player_id:
        raise errors.RoomClosed("Homework has no audience. Join it with your name.")
    view = page.service.homework.view(page.game.game_id, page.seat.player_id)
    reload = _seconds_left(view, page.service.context.clock())
    return page.render(
        "play/homework",
        status,
        view=view,
        homework=page.game.homework,
        url=page.urls.play(page.game.game_id),
        reload=reload,
        left=max(0, reload - _AFTER_DEADLINE),
        client_id=new_id(),
        error=error,
        sent=sent,
    )


def _is_asked(view: View, me: View, survey: View) -> bool:
    """Return whether the page has a form to fill in."""
    if view["phase"] == Phase.VOTING:
        return bool(me.get("ballot"))
    if view["phase"] != Phase.OPEN:
        return False
    if survey:
        return True
    is_quiz = "isQuiz" in view.get("question", {})
    return not (is_quiz and view["questionId"] in me["answers"])


def _seconds_left(view: View, now: datetime) -> int:
    """Return the seconds after which the phase is surely over, or 0 without a deadline."""
    if not view["deadline"]:
        return 0
    left = (datetime.fromisoformat(view["deadline"]) - now).total_seconds()
    return max(1, ceil(left) + _AFTER_DEADLINE)


def _survey_step(view: View, me: View, step: int) -> View:
    """Return the question of a step, from 1. The step after the last is the review."""
    questions, answers = view["survey"]["questions"], me["answers"]
    open_steps = [
        number
        for number, question in enumerate(questions, 1)
        if question["questionId"] not in answers
    ]
    chosen = step if 1 <= step <= len(questions) + 1 else next(iter(open_steps), len(questions) + 1)
    return {
        "step": chosen,
        "of": len(questions),
        "question": questions[chosen - 1] if chosen <= len(questions) else None,
        "open": open_steps,
    }


def bars_of(
    question: View, tally: Mapping[str, int], answers: int, correct: Sequence[str] = ()
) -> list[View]:
    """Return a row for each option or step of a question, with its count or its mean place.

    A bar is as long as the share of the `answers`, whatever the others have.
    """
    rows: list[View] = [*map(dict, question.get("bars") or question.get("options", []))]
    if question["type"] == "order":
        rows.sort(key=lambda row: correct.index(row["id"]))
    if question["type"] == "rank":
        orders = [(order.split(">"), count) for order, count in tally.items()]
        voters = sum(tally.values()) or 1
        for row in rows:
            total = sum((order.index(row["id"]) + 1) * count for order, count in orders)
            row["place"] = round(total / voters, 1)
        return sorted(rows, key=lambda row: row["place"])
    return [{**row, "count": tally.get(row["id"], 0), "of": max(1, answers)} for row in rows]


# ------------------------------------------------------------------------------ answer


@router.api_route("/play/{game_id}/answer", methods=FORM_METHODS)
def submit_answer(page: AnyPage, game_id: Segment, form: PostedForm) -> Response:
    """Store an answer that was sent without scripts."""

    def store(player_id: str, question_id: str, client_id: str) -> Receipt:
        sent = Submission(
            player_id,
            question_id,
            page.service.context.clock(),
            form.value("text"),
            _ranking(form) or tuple(form.selected("choices")),
            _number(form.value("number")),
            client_id,
        )
        service = page.service
        is_alone = service.context.get_game(game_id).homework
        return (service.homework.answer if is_alone else service.answers.submit)(game_id, sent)

    return _with_seat(page, game_id, lambda seated: _send(seated, form, store))


@router.api_route("/play/{game_id}/homework", methods=FORM_METHODS)
def go_on(page: AnyPage, game_id: Segment, form: PostedForm) -> Response:
    """Begin an attempt of a homework, or go to the next question."""

    def advance(player_id: str, *_: str) -> Receipt:
        place = [_number(form.value(name)) or 0 for name in ("attempt", "position")]
        page.service.homework.advance(game_id, player_id, *place)
        return Receipt(Outcome.ACCEPTED)

    return _with_seat(page, game_id, lambda seated: _send(seated, form, advance))


@router.api_route("/play/{game_id}/vote", methods=FORM_METHODS)
def submit_vote(page: AnyPage, game_id: Segment, form: PostedForm) -> Response:
    """Store a ranking of answers that was sent without scripts."""

    def store(player_id: str, question_id: str, client_id: str) -> Receipt:
        ranking = _ranking(form)
        return page.service.answers.vote(game_id, player_id, question_id, ranking, client_id)

    return _with_seat(page, game_id, lambda seated: _send(seated, form, store))


def _send(page: SeatPageContext, form: Form, store: Callable[[str, str, str], Receipt]) -> Response:
    """Store an answer or a vote and show the game again, with an error if it was rejected."""
    back, at = page.urls.play(page.game.game_id), _number(form.value("step")) or 0
    if page.request.method != "POST":
        # Someone has opened the address of a page with an error.
        return page.redirect(back)
    if not page.seat.player_id:
        return _show(page, at, 403, error="The audience cannot answer. Join as a player.")
    page.state.count_use("answer", page.seat.player_id)
    try:
        receipt = store(page.seat.player_id, form.value("question_id"), form.value("client_id"))
    except (errors.InvalidInput, errors.WrongPhase) as error:
        status = 422 if isinstance(error, errors.InvalidInput) else 409
        return _show(page, at, status, error=str(error), sent=form)
    flash = _LATE if receipt.outcome is Outcome.LATE else ""
    return page.redirect(f"{back}?step={at + 1}" if at else back, flash)


def _ranking(form: Form) -> tuple[str, ...]:
    """Return what was ranked with fields like `place-ID`, best first, or raise InvalidInput."""
    places: dict[str, int] = {}
    for name in form.values:
        place = _number(form.value(name)) if name.startswith("place-") else None
        if place is not None:
            places[name.removeprefix("place-")] = place
    if len(set(places.values())) < len(places):
        raise errors.InvalidInput({"ranking": "Give each place to one answer only."})
    return tuple(sorted(places, key=lambda each: places[each]))


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d{1,10}", text, re.ASCII) else None


# ------------------------------------------------------------------------------ menu


@router.get("/play/{game_id}/device")
def show_device_link(page: AnyPage, game_id: Segment) -> Response:
    """Show a link with which one continues on another device."""

    def show(seated: SeatPageContext) -> Response:
        link = page.urls.absolute(page.urls.seat(seated.token))
        back = page.urls.play(game_id)
        return page.render("play/device", link=link, qr=qr_svg(link), back=back)

    return _with_seat(page, game_id, show)


@router.get("/play/{game_id}/next")
def follow_game(page: AnyPage, game_id: Segment) -> Response:
    """Take the browser to the game after this one, with the same name."""

    def follow(seated: SeatPageContext) -> Response:
        service, seat, after = page.service, seated.seat, seated.game.next_game
        if not after:
            return page.redirect(page.urls.play(game_id))
        try:
            token = (
                service.players.follow(seated.game, seat.player_id).token
                if seat.player_id
                else service.context.issue_seat(service.context.get_game(after), seat.role)
            )
        except errors.AlreadyExists:
            return page.redirect(page.urls.play(after, "join"))
        page.take_seat(token, page.urls.play(after))
        return page.redirect(page.urls.play(after))

    return _with_seat(page, game_id, follow)


@confirm(router, "/play/{game_id}/seat")
def take_seat(page: AnyPage, game_id: Segment, token: str = "") -> ConfirmedAction | Response:
    """Take the seat of a link. Ask first if the browser has another seat in this game."""
    page.service.context.read_seat(token, game_id)
    back = page.urls.play(game_id)
    try:
        has_other = seat_of(page, game_id).token != token
    except (errors.NotSeated, errors.RoomClosed):
        has_other = False
    if not has_other:
        page.take_seat(token, back)
        return page.redirect(back)
    return ConfirmedAction(
        page,
        title="Take another seat?",
        text="You are already in this game. With this link you continue as someone else, and "
        "this phone forgets who you were.",
        button="Take the other seat",
        back=back,
        do=lambda _: page.take_seat(token, back),
    )


@confirm(router, "/play/{game_id}/leave")
def leave_game(page: AnyPage, game_id: Segment) -> ConfirmedAction:
    """Forget the seat of this browser. The points stay, for the link on another device."""
    return ConfirmedAction(
        page,
        title="Leave this game?",
        text="This phone forgets who you are. You can join again with another name.",
        button="Leave",
        back=page.urls.play(game_id),
        do=lambda _: SEAT.delete(page.request, path=page.urls.play(game_id)),
        to=page.urls.join(),
        done="You left the game.",
    )

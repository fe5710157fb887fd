"""The host's screen and the big screen of a game.

All actions of the host are forms, so they work without scripts and while the socket is down. A
script posts the same forms with `Accept: application/json` and gets an empty answer.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, Response
from markupsafe import Markup
from pydantic import BaseModel

from singletable_apps.games import errors
from singletable_apps.games.entities import AnswerStatus, AskedStatus
from singletable_apps.games.names import name_key
from singletable_apps.games.pages.dependencies import DriverPage, SeatPage, SeatPageContext, Segment
from singletable_apps.games.phases import HOST_COMMANDS, PHASE_NAMES, Command, Phase
from singletable_apps.games.service.homework import homework_of
from singletable_apps.games.tokens import Role, Seat
from singletable_apps.games.views import View, iso_time, roster_view
from singletable_apps.shared.pages import (
    FORM_METHODS,
    Confirmation,
    ConfirmedAction,
    Flash,
    Form,
    PostedForm,
    confirm,
    path_of,
)
from singletable_apps.shared.pages.templating import plural
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.web.hosts import host_name, is_loopback, lan_address

router = APIRouter()
# Roles with a link of their own, and what the link is for.
LINKS = {
    Role.SCREEN: ("Big screen", "For the projector. It shows the game and cannot control it."),
    Role.COHOST: ("Co-host", "For a colleague or your phone. It controls the game like you do."),
    Role.AUDIENCE: ("Audience", "For people who watch on their own device and do not play."),
}


@router.get("/host/{game_id}")
def show_host(page: DriverPage) -> Response:
    """Show the controls of a game, in the phase in which it is."""
    if page.game.homework:
        return page.redirect(page.urls.host(page.game.game_id, "homework"))
    view = page.view()
    return page.render(
        "host",
        game=page.game,
        view=view,
        phase_names=PHASE_NAMES,
        role_links=_links(page),
        qr=Markup(qr_svg(view["joinUrl"])),
        config=_config(page, view, page.token),
        access_code=page.game.access_code,
        is_owner=page.seat.role is not Role.COHOST,
    )


@router.get("/screen/{game_id}")
def show_screen(page: SeatPage) -> Response:
    """Show the big screen. It has a token that cannot control the game."""
    if not (page.seat.can_drive or page.seat.role is Role.SCREEN):
        raise errors.NotPermitted("Ask the host for the link of the big screen.")
    service, game = page.service, page.game
    view = service.snapshots.view(game.game_id, Role.SCREEN)
    token = service.context.issue_seat(game, Role.SCREEN)
    return page.render(
        "screen",
        game=game,
        view=view,
        phase_names=PHASE_NAMES,
        qr=Markup(qr_svg(view["joinUrl"])),
        config=_config(page, view, token),
    )


@router.post("/host/{game_id}/again")
def play_again(page: DriverPage) -> Response:
    """Create the same game once more, and take everyone there."""
    page.service.games.play_again(page.game)
    return page.redirect(page.urls.host(page.game.game_id, "next"))


@router.get("/host/{game_id}/next")
@router.get("/screen/{game_id}/next")
def follow_game(page: SeatPage) -> Response:
    """Take a host or a big screen to the game after this one."""
    urls, context = page.urls, page.service.context
    is_host = path_of(page.request).startswith(urls.host(page.game.game_id))
    if not page.game.next_game:
        return page.redirect((urls.host if is_host else urls.screen)(page.game.game_id))
    after = context.get_game(page.game.next_game)
    path = (urls.host if is_host else urls.screen)(after.game_id)
    if page.seat.role is not Role.ADMIN:
        page.take_seat(context.issue_seat(after, page.seat.role), path)
    return page.redirect(path)


def _config(page: SeatPageContext, view: View, token: str) -> View:
    """Return what the scripts of a screen need to begin with."""
    urls, game_id = page.urls, page.game.game_id
    return {
        "gameId": game_id,
        "token": token,
        "api": urls.api("games", game_id),
        "page": urls.host(game_id),
        "report": urls.report(game_id),
        "games": urls.page("games"),
        "new": urls.page("new", after=game_id) if page.owns(page.game) else "",
        "follow": urls.page("screen", game_id, "next"),
        "screen": urls.seat(page.service.context.issue_seat(page.game, Role.SCREEN)),
        "warning": address_warning(view["joinUrl"]),
        "view": view,
        "joined": roster_view(page.service.snapshots.players(game_id).values()),
        "serverTime": iso_time(page.service.context.clock()),
    }


def address_warning(join_url: str) -> str:
    """Return what to do if phones cannot open the address of the game, or an empty text."""
    host = urlsplit(join_url).netloc
    if not is_loopback(host_name(host)):
        return ""
    there = f"http://{lan_address() or 'the address of this computer'}:{host.rpartition(':')[2]}"
    return (
        f"Phones cannot open {host}, which is this computer only. Restart the server with "
        f"--host 0.0.0.0: then they join at {there}."
    )


def _links(page: SeatPageContext) -> list[dict[str, Any]]:
    """Return the links of the other roles, with their QR codes."""
    urls, context = page.urls, page.service.context
    found: list[dict[str, Any]] = []
    for role, (name, about) in LINKS.items():
        url = urls.absolute(urls.seat(context.issue_seat(page.game, role)))
        found.append(
            {"role": role, "name": name, "about": about, "url": url, "qr": Markup(qr_svg(url))}
        )
    return found


def _act(page: SeatPageContext, act: Callable[[], object], done: str = "") -> Response:
    """Execute the command of a form, and go back to the host's screen with a message."""
    is_script = "application/json" in page.request.headers.get("accept", "")
    try:
        act()
    except (errors.RequestRejected, errors.Busy) as error:
        if is_script:
            raise
        return page.redirect(page.urls.host(page.game.game_id), Flash(str(error), "danger"))
    if is_script:
        return Response(status_code=204)
    return page.redirect(page.urls.host(page.game.game_id), done)


# ------------------------------------------------------------------------------ commands


class CommandForm(BaseModel):
    """A command, and the version of the state that the host saw. `sure` answers a question."""

    command: Command | Literal["extend"]
    version: int | None = None
    seconds: int = 30
    sure: bool = False


@router.post("/host/{game_id}/command")
def send_command(page: DriverPage, form: PostedForm) -> Response:
    """Move the game on. What cannot be undone is asked first, unless a script has asked."""
    sent = form.validate(CommandForm)
    game_id = page.game.game_id
    if isinstance(sent, Form) or (
        sent.command != "extend" and Command(sent.command) not in HOST_COMMANDS
    ):
        return page.redirect(page.urls.host(game_id), Flash("There is no such command.", "danger"))
    question = None if sent.sure else _question(page, sent)
    if question is not None:
        return page.confirm(question)
    if sent.command == "extend":
        return _act(
            page, lambda: page.service.rounds.extend(game_id, sent.seconds, version=sent.version)
        )
    command = Command(sent.command)
    return _act(page, lambda: page.service.rounds.command(game_id, command, version=sent.version))


def _question(page: SeatPageContext, sent: CommandForm) -> Confirmation | None:
    """Return what to ask before a command, or None."""
    view = page.view()
    phase, host = Phase(view["phase"]), view["host"]
    if sent.version is not None and sent.version != view["version"]:
        return None  # nothing will be done
    text = ""
    if sent.command == Command.SKIP:
        title, text = "Skip this question?", "Nobody gets points for it, and it is not asked again."
        button = "Skip the question"
    elif sent.command == Command.END and page.game.homework:
        title, text = "Close the homework?", "Nobody can answer or change anything any more."
        button = "Close it now"
    elif sent.command == Command.END:
        title, text = "End the game?", "Everyone sees the final leaderboard."
        button = "End the game"
    elif phase is Phase.CHECKING and sent.command == Command.NEXT and host["pendingCount"]:
        title = f"Go on without {plural(host['pendingCount'], 'answer')}?"
        text, button = "Nobody sees answers that you have not approved.", "Go on without them"
    elif sent.command in (Command.NEXT, Command.CLOSE) and phase in (Phase.OPEN, Phase.VOTING):
        done, count = host["done"], len(host["players"])
        verb = "voted" if phase is Phase.VOTING else "answered"
        if 2 * done >= count:
            return None
        title, button = f"Only {done} of {count} players have {verb}. Close anyway?", "Close anyway"
    else:
        return None
    return Confirmation(
        title=title,
        text=text,
        button=button,
        url=page.urls.host(page.game.game_id, "command"),
        back=page.urls.host(page.game.game_id),
        hidden={"command": sent.command, "version": str(view["version"]), "sure": "on"},
        kind="danger" if sent.command in (Command.SKIP, Command.END) else "primary",
    )


# ------------------------------------------------------------------------------ the room


@router.post("/host/{game_id}/room")
def change_room(page: DriverPage, form: PostedForm) -> Response:
    """Lock the room or open it, take questions, rename the game, or set its private code."""
    changes: dict[str, Any] = {
        name: form.value(name) for name in ("title", "access_code") if name in form.values
    }
    for name in ("is_locked", "takes_questions"):
        if name in form.values:
            changes[name] = form.value(name) == "on"
    return _act(page, lambda: page.service.games.edit(page.game.game_id, **changes), "Saved.")


@router.post("/host/{game_id}/categories")
def change_categories(page: DriverPage, form: PostedForm) -> Response:
    """Choose the categories from which the next questions come."""
    chosen = form.selected("category")
    return _act(
        page,
        lambda: page.service.games.edit(page.game.game_id, active_categories=chosen),
        "The next question is from these categories.",
    )


@router.post("/host/{game_id}/share")
def share_results(page: DriverPage, form: PostedForm) -> Response:
    """Share the results of chosen survey questions with players and the big screen."""
    chosen = form.selected("question")
    return _act(
        page,
        lambda: page.service.rounds.share_results(page.game.game_id, chosen),
        "Players see these results now." if chosen else "Players see no results.",
    )


@confirm(router, "/host/{game_id}/links/{role}")
def replace_link(page: DriverPage, role: Segment) -> ConfirmedAction:
    """Make the links of a role void and issue new ones."""
    if role not in [*LINKS] or page.seat.role is Role.COHOST:
        raise errors.NotFound("Only the host can replace these links.")
    return ConfirmedAction(
        page,
        title=f"Replace the link “{LINKS[Role(role)][0]}”?",
        text="Everyone who uses the old link is sent away. Hand the new link out.",
        button="Replace the link",
        kind="primary",
        back=page.urls.host(page.game.game_id),
        do=lambda _: page.service.games.replace_links(page.game.game_id, Role(role)),
        done="The old link does not work any more.",
    )


# ------------------------------------------------------------------------------ answers

_DECISIONS = {
    **dict.fromkeys(("approve", "accept", "reject"), AnswerStatus.VISIBLE),
    "hide": AnswerStatus.HIDDEN,
}


@router.post("/host/{game_id}/answers")
def decide_answer(page: DriverPage, form: PostedForm) -> Response:
    """Approve or hide an answer that waits, hide or show one that others see, or accept it."""
    moderation, game_id = page.service.moderation, page.game.game_id
    answer, decision = form.value("answer"), form.value("decision")

    def decide() -> None:
        if decision == "approve-all":
            moderation.approve_all(game_id)
            return
        if decision in ("accept", "reject"):
            page.service.rounds.accept(game_id, answer, decision == "accept")
        if decision in ("accept", "reject") and "question" not in form.values:
            return
        if "question" not in form.values:
            moderation.set_hidden(game_id, answer, decision == "hide")
            return
        status = _DECISIONS.get(decision)
        if status is None:
            raise errors.InvalidInput({"decision": "Approve the answer, or hide it."})
        text = form.value("text") if "text" in form.values else None
        moderation.decide(game_id, form.value("question"), answer, status, text)

    return _act(page, decide)


@router.post("/host/{game_id}/audience/{asked_id}/{status}")
def decide_question(page: DriverPage, asked_id: Segment, status: AskedStatus) -> Response:
    """Approve a question of a player, show it large, mark it as answered, or hide it."""
    return _act(page, lambda: page.service.audience.decide(page.game, asked_id, status))


# ------------------------------------------------------------------------------ players


@router.post("/host/{game_id}/teams")
def balance_teams(page: DriverPage) -> Response:
    """Move players so that teams are equally large."""
    return _act(page, lambda: page.service.players.balance_teams(page.game.game_id), "Done.")


@router.post("/host/{game_id}/players/{player_id}")
def change_player(page: DriverPage, form: PostedForm, player_id: Segment) -> Response:
    """Rename a player, or move a player to another team."""
    service, game_id = page.service, page.game.game_id
    name, team = form.value("name"), form.value("team")

    def change() -> None:
        player = service.context.get_player(game_id, player_id)
        if "name" in form.values and name != player.name:
            service.players.rename(game_id, player_id, name)
        if "team" in form.values and team != player.team:
            service.players.set_team(game_id, player_id, team)

    return _act(page, change, "Saved.")


@confirm(router, "/host/{game_id}/players/{player_id}/remove")
def remove_player(page: DriverPage, player_id: Segment) -> ConfirmedAction:
    """Remove a player. They cannot come back with the same name."""
    service, game_id = page.service, page.game.game_id
    player = service.context.get_player(game_id, player_id)
    return ConfirmedAction(
        page,
        title=f"Remove {player.name}?",
        text="This phone cannot join again, the name stays taken, and points are not shown any "
        "more.",
        button="Remove",
        back=page.urls.host(game_id),
        do=lambda _: _act(
            page,
            lambda: service.players.remove(game_id, player_id),
            f"{player.name} was removed.",
        ),
    )


# ------------------------------------------------------------------------------ homework


class DeadlineForm(BaseModel):
    """Until when a homework is open."""

    due_at: datetime


@router.api_route("/host/{game_id}/homework", methods=FORM_METHODS)
def show_homework(page: DriverPage, form: PostedForm) -> Response:
    """Show how far everyone is in a homework, or change its deadline."""
    service, game, homework = page.service, page.game, homework_of(page.game)
    state = service.rounds.finish_due(game.game_id)
    join_url = page.urls.absolute(page.urls.join(game.join_code))

    def show(shown: Form, status: int) -> Response:
        players = [each for each in service.game_store.list_players(game.game_id) if each.is_active]
        joined = {name_key(each.name) for each in players}
        seats = {
            each.player_id: Seat(Role.PLAYER, game.game_id, each.player_id) for each in players
        }
        return page.render(
            "homework",
            status,
            form=shown,
            game=game,
            homework=homework,
            is_open=state.phase is not Phase.ENDED,
            players=sorted(players, key=lambda each: each.name.casefold()),
            missing=[each for each in homework.names if name_key(each) not in joined],
            tokens={each: service.context.tokens.seat_token(seat) for each, seat in seats.items()},
            join_url=join_url,
            qr=Markup(qr_svg(join_url)),
            warning=address_warning(join_url),
            cohost=next(each for each in _links(page) if each["role"] is Role.COHOST),
            is_owner=page.seat.role is not Role.COHOST,
        )

    def save(values: DeadlineForm) -> Response:
        service.homework.set_deadline(game.game_id, values.due_at)
        return page.redirect(page.urls.host(game.game_id, "homework"), "The deadline was changed.")

    return page.fill(form, Form({"due_at": homework.due_at}), DeadlineForm, save, show)

"""The administrator's pages: all games, who is connected, question sets, and live consumption."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable import CallStats, PatternStats
from singletable_apps.games.errors import InvalidInput, WrongPhase
from singletable_apps.games.pages.dependencies import AdminPage, Segment
from singletable_apps.games.pages.host import PHASE_NAMES
from singletable_apps.games.patterns import patterns
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import ENGAGEMENT_NAMES
from singletable_apps.games.service.sets import ADMIN
from singletable_apps.shared.pages import (
    FORM_METHODS,
    Confirmation,
    ConfirmField,
    ListQueryParameters,
    PostedForm,
)

router = APIRouter()
# What has to be typed before all games are deleted.
CLEAR_PHRASE = "delete all games"


@router.get("/admin")
def show_admin(page: AdminPage, query: ListQueryParameters) -> Response:
    """Show all games, newest first, and who is connected."""
    found = page.service.admin.list_games(20, query.cursor)
    return page.render(
        "admin/games",
        list=query.page(found.items, found.cursor),
        running=sum(each.is_running for each in found.items),
        connected=sum(each.players for each in found.items),
        phase_names=PHASE_NAMES,
        type_names=ENGAGEMENT_NAMES,
    )


@router.get("/admin/games/{game_id}")
def show_game(page: AdminPage, game_id: Segment) -> Response:
    """Show a game with its processes and connections."""
    details = page.service.admin.describe(game_id)
    return page.render(
        "admin/game", details=details, phase_names=PHASE_NAMES, type_names=ENGAGEMENT_NAMES
    )


@router.api_route("/admin/games/{game_id}/end", methods=FORM_METHODS)
def end_game(page: AdminPage, form: PostedForm, game_id: Segment) -> Response:
    """Ask, then end a game."""
    game = page.service.context.get_game(game_id)
    back = page.urls.page("admin", "games", game_id)

    def end() -> Response:
        # It may be over already.
        with suppress(WrongPhase):
            page.service.rounds.command(game_id, Command.END)
        return page.redirect(back, f"“{game.title}” is over.")

    question = Confirmation(
        title=f"End “{game.title}”?",
        text="Everyone sees the final leaderboard. The host cannot continue the game.",
        button="End the game",
        url=page.urls.page("admin", "games", game_id, "end"),
        back=back,
    )
    return page.ask(question, form, end)


@router.api_route("/admin/games/{game_id}/delete", methods=FORM_METHODS)
def delete_game(page: AdminPage, form: PostedForm, game_id: Segment) -> Response:
    """Ask, then delete a game, also one of which only the history is left."""
    entry = page.service.games.find_entry(game_id)
    title = entry.title if entry else game_id

    def delete() -> Response:
        page.service.games.delete(game_id)
        return page.redirect(page.urls.page("admin"), f"“{title}” was deleted.")

    question = Confirmation(
        title=f"Delete “{title}”?",
        text="Its players, answers and results are deleted, and it disappears from the history. "
        "You can’t undo this.",
        button="Delete",
        url=page.urls.page("admin", "games", game_id, "delete"),
        back=page.urls.page("admin"),
    )
    return page.ask(question, form, delete)


class ClearForm(BaseModel):
    """The typed confirmation."""

    phrase: str = ""


@router.api_route("/admin/clear", methods=FORM_METHODS)
def clear_games(page: AdminPage, form: PostedForm) -> Response:
    """Ask for a typed confirmation, then delete games of all hosts, some in each request."""
    question = Confirmation(
        title="Delete all games?",
        text="All games of all hosts are deleted, also running ones and the whole history. "
        "Question sets stay.",
        warning="You can’t undo this.",
        choice=ConfirmField("phrase", f"Type “{CLEAR_PHRASE}”", "text"),
        button="Delete all games",
        url=page.urls.page("admin", "clear"),
        back=page.urls.page("admin"),
    )

    def clear(values: ClearForm) -> Response:
        if values.phrase.strip().casefold() != CLEAR_PHRASE:
            raise InvalidInput({"phrase": f"Type “{CLEAR_PHRASE}” to confirm."})
        if page.service.admin.delete_games():
            return page.redirect(page.urls.page("admin"), "All games were deleted.")
        return page.redirect(page.urls.page("admin", "clear"), "50 games were deleted. Go on?")

    return page.fill(
        form, form, ClearForm, clear, lambda shown, status: page.confirm(question, shown, status)
    )


@router.get("/admin/sets")
def show_sets(page: AdminPage, query: ListQueryParameters) -> Response:
    """Show the question sets of all hosts."""
    found = page.service.sets.list_all(ADMIN, 50, query.cursor)
    return page.render(
        "admin/sets", list=query.page(found.items, found.cursor), type_names=ENGAGEMENT_NAMES
    )


@router.post("/admin/sets/{set_id}/{change}")
def toggle_set(page: AdminPage, set_id: Segment, change: Segment) -> Response:
    """Let hosts choose a set for new games, or not."""
    item = page.service.sets.toggle(ADMIN, set_id, is_active=change == "activate")
    text = "active" if item.is_active else "not active any more"
    return page.redirect(page.urls.page("admin", "sets"), f"“{item.name}” is {text}.")


@dataclass(frozen=True, slots=True)
class LivePattern:
    """What the calls of an access pattern have consumed in this process."""

    code: str
    title: str
    stats: PatternStats


def live_patterns(stats: CallStats) -> list[LivePattern]:
    """Return what each pattern has consumed, most units first."""
    titles = {each.id: (each.code, each.description) for each in patterns.patterns.values()}
    found = [
        LivePattern(*titles.get(each.pattern, (each.pattern, "")), each)
        for each in stats.snapshot()
    ]
    return sorted(found, key=lambda each: -each.stats.read_units - each.stats.write_units)


@router.get("/admin/consumption")
def show_consumption(page: AdminPage) -> Response:
    """Show what this process has consumed, by access pattern."""
    return page.render("admin/consumption", live=live_patterns(page.service.stats))

"""The administrator's pages: all games, connected players, and question sets."""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter, Response

from singletable_apps.games.errors import InvalidInput, WrongPhase
from singletable_apps.games.pages.dependencies import AdminPage, Segment
from singletable_apps.games.phases import PHASE_NAMES, Command
from singletable_apps.games.questions import ENGAGEMENT_NAMES
from singletable_apps.games.service.sets import ADMIN
from singletable_apps.shared.pages import (
    ConfirmedAction,
    ConfirmField,
    Form,
    ListQueryParameters,
    confirm,
)

router = APIRouter()
# The administrator types this before all games are deleted.
CLEAR_PHRASE = "delete all games"


@router.get("/admin")
def show_admin(page: AdminPage, query: ListQueryParameters) -> Response:
    """Show all games, newest first, with connected players."""
    found = page.service.admin.list_games(20, query.cursor)
    return page.render(
        "admin/games",
        list=query.page(found.items, found.cursor),
        running=sum(each.is_running for each in found.items),
        connected=sum(each.players for each in found.items),
        phase_names=PHASE_NAMES,
        type_names=ENGAGEMENT_NAMES,
    )


@confirm(router, "/admin/games/{game_id}/end")
def end_game(page: AdminPage, game_id: Segment) -> ConfirmedAction:
    """End a game."""
    game = page.service.context.get_game(game_id)

    def end(_: Form) -> None:
        # It may be over already.
        with suppress(WrongPhase):
            page.service.rounds.command(game_id, Command.END)

    return ConfirmedAction(
        page,
        title=f"End “{game.title}”?",
        text="Everyone sees the final leaderboard. The host cannot continue the game.",
        button="End the game",
        back=page.urls.page("admin"),
        do=end,
        done=f"“{game.title}” is over.",
    )


@confirm(router, "/admin/games/{game_id}/delete")
def delete_game(page: AdminPage, game_id: Segment) -> ConfirmedAction:
    """Delete a game, also one of which only the history is left."""
    entry = page.service.games.find_entry(game_id)
    title = entry.title if entry else game_id
    return ConfirmedAction(
        page,
        title=f"Delete “{title}”?",
        text="Its players, answers and results are deleted, and it disappears from the history. "
        "You can’t undo this.",
        button="Delete",
        back=page.urls.page("admin"),
        do=lambda _: page.service.games.delete(game_id),
        done=f"“{title}” was deleted.",
    )


@confirm(router, "/admin/clear")
def clear_games(page: AdminPage) -> ConfirmedAction:
    """Ask for a typed confirmation, then delete games of all hosts, some in each request."""

    def clear(form: Form) -> Response | None:
        if form.value("phrase").strip().casefold() != CLEAR_PHRASE:
            raise InvalidInput({"phrase": f"Type “{CLEAR_PHRASE}” to confirm."})
        if page.service.admin.delete_games():
            return None
        return page.redirect(page.urls.page("admin", "clear"), "50 games were deleted. Go on?")

    return ConfirmedAction(
        page,
        title="Delete all games?",
        text="All games of all hosts are deleted, also running ones and the whole history. "
        "Question sets stay.",
        warning="You can’t undo this.",
        choice=ConfirmField("phrase", f"Type “{CLEAR_PHRASE}”", "text"),
        button="Delete all games",
        back=page.urls.page("admin"),
        do=clear,
        done="All games were deleted.",
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
    item = page.service.sets.toggle(ADMIN, set_id, change == "activate")
    text = "active" if item.is_active else "not active any more"
    return page.redirect(page.urls.page("admin", "sets"), f"“{item.name}” is {text}.")

"""Create a game from a question set, and list the games of a host."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, replace
from datetime import timedelta
from typing import Annotated, Any, cast, get_origin, get_type_hints

from fastapi import APIRouter, Query, Response
from markupsafe import Markup
from pydantic import BaseModel, Field, create_model

from singletable_apps.games import entities
from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.pages.dependencies import AnyPage, PageContext, Segment
from singletable_apps.games.questions import ENGAGEMENT_NAMES, SetDraft
from singletable_apps.games.scoring import Partial, RankMethod
from singletable_apps.games.service.games import GameDraft, draft_from_set, take_fields
from singletable_apps.games.set_library import load_samples, load_templates
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import (
    ConfirmedAction,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.qr import qr_svg

router = APIRouter()
CHOICES: dict[str, Sequence[tuple[str, str]]] = {
    "leaderboard": (
        (entities.Leaderboard.EACH, "After each question with points"),
        (entities.Leaderboard.CATEGORY, "After each category"),
        (entities.Leaderboard.END, "At the end"),
        (entities.Leaderboard.NEVER, "Never"),
    ),
    "trivia_mode": (
        ("speed", "Correct and fast"),
        ("classic", "Classic: 10 points, up to 5 for speed"),
        ("accuracy", "Correct, fast or not"),
    ),
    "partial": (
        (Partial.ALL_OR_NOTHING, "All correct options, or nothing"),
        (Partial.PER_OPTION, "Half of the points for each correct option"),
        (Partial.BALANCED, "A share for each correct option, minus one for each wrong one"),
    ),
    "rank_method": (
        (RankMethod.MEDALS, "Medals: 3, 2 and 1 points"),
        (RankMethod.BORDA, "Borda: every place counts"),
        (RankMethod.SCHULZE, "Schulze: who wins each comparison"),
        (RankMethod.IRV, "Instant runoff: the weakest drops out"),
    ),
    "profanity": (
        (entities.Profanity.QUEUE, "Wait for your decision"),
        (entities.Profanity.BLOCK, "Are rejected"),
        (entities.Profanity.OFF, "Are shown"),
    ),
    "host_absence": (
        (entities.HostAbsence.WAIT, "The game waits"),
        (entities.HostAbsence.CONTINUE, "The game goes on by itself"),
        (entities.HostAbsence.END, "The game ends"),
    ),
    "answers_shown": (
        ("at-once", "After each question"),
        ("end", "At the end of an attempt"),
        ("closed", "After the deadline"),
    ),
}


class NewGame(BaseModel):
    """The form of a new game. `NewGameForm` adds the settings.

    `after` is a game whose players stay for this one. With `is_homework`, it is given as such.
    """

    set_id: Annotated[str, Field(min_length=1, max_length=100)]
    after: str = ""
    title: str = ""
    access_code: str = ""
    ai_context: str = ""
    # The `speed_floor` of the settings.
    speed_percent: Annotated[int, Field(ge=0, le=100)] = 50
    is_homework: bool = False

    def settings(self) -> entities.GameSettings:
        """Return the settings of the game."""
        lists = {name: _lines(getattr(self, name)) for name in ("teams", "deny_words")}
        floor = self.speed_percent / 100
        return take_fields(entities.GameSettings, self, **lists, speed_floor=floor)

    def homework(self) -> entities.Homework:
        """Return how the game is given as homework."""
        names = tuple(cast(Any, self).names.splitlines())
        homework = take_fields(entities.Homework, self, names=names, left_out=0)
        if cast(Any, homework).due_at is None:
            raise InvalidInput({"due_at": "Choose until when it can be answered."})
        return homework


def _form_fields(struct: type[Any]) -> dict[str, Any]:
    """Return the fields of a form for a struct. A list is a text with a line for each entry."""
    hints, found = get_type_hints(struct), dict[str, Any]()
    for each in fields(struct):
        kind = hints[each.name]
        if kind is bool:
            # A browser does not send boxes that are not checked.
            found[each.name] = (bool, False)
        elif get_origin(kind) is tuple:
            found[each.name] = (str, "")
        elif each.default is MISSING:
            found[each.name] = (kind | None, None)
        else:
            found[each.name] = (kind, each.default)
    return found


_FIELDS = _form_fields(entities.GameSettings) | _form_fields(entities.Homework)
NewGameForm = create_model("NewGameForm", __base__=NewGame, **_FIELDS)
_STRUCTS = (entities.GameSettings, entities.Homework)
_DEFAULTS = {
    each.name: each.default
    for struct in _STRUCTS
    for each in fields(struct)
    if each.default not in (MISSING, ())
}


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.replace(",", "\n").splitlines() if line.strip())


def _new_form(page: PageContext, chosen: str, after: str = "") -> Form:
    percent = round(entities.GameSettings().speed_floor * 100)
    due_at = page.service.context.clock().replace(minute=0) + timedelta(days=7)
    return Form(
        {**_DEFAULTS, "due_at": due_at, "speed_percent": percent, "set_id": chosen, "after": after}
    )


@router.get("/new")
def show_new_game(
    page: AnyPage, chosen: Annotated[str, Query(alias="set", max_length=100)] = "", after: str = ""
) -> Response:
    """Show the sets and the settings of a new game; the players of the game `after` come along."""
    return _show_form(page, _new_form(page, chosen, after))


@router.post("/new")
def create_game(page: AnyPage, form: PostedForm) -> Response:
    """Create the game and open the host's screen; `start` is a set to play at once."""
    count_request(page.request, "create")
    at_once = form.value("start")
    # The settings of the page are for the set that is chosen there, not for a quick start.
    sent = _new_form(page, at_once, form.value("after")) if at_once else form

    def create(values: NewGame) -> Response:
        draft = replace(
            load_draft(page, values.set_id, values.title),
            access_code=values.access_code,
            settings=values.settings(),
        )
        after = values.after and _find_own(page, values.after).game_id
        if values.ai_context.strip():
            draft = replace(draft, ai_context=values.ai_context)
        if values.is_homework:
            given = page.service.homework.give(page.become_host(), draft, values.homework())
            return page.redirect(page.urls.host(given.game_id, "homework"))
        game = page.service.games.create(page.become_host(), draft)
        if after:
            page.service.games.lead_to(after, game)
        return page.redirect(page.urls.host(game.game_id))

    return page.submit(
        sent, NewGameForm, create, lambda shown, status: _show_form(page, shown, status)
    )


def load_draft(page: PageContext, ref: str, title: str = "") -> GameDraft:
    """Return the draft of a game that plays a set, which can be one of the library."""
    if ref.startswith("library:"):
        draft = _library().get(ref.removeprefix("library:"))
        if draft is None:
            raise InvalidInput({"set_id": "Choose a question set."})
        return draft_from_set(draft, "", 0, title=title)
    loaded = page.service.sets.load_for_game(ref, page.host_id)
    return draft_from_set(loaded.draft, ref, loaded.item.set_version, title=title)


def _library() -> dict[str, SetDraft]:
    return {**load_samples(), **load_templates()}


def list_playable(page: PageContext) -> list[entities.QuestionSet]:
    """Return the sets that the browser can play: own, shared, and those of the library.

    The id of a set of the library is `library:` and its name; it is not stored.
    """
    host_id, sets = page.host_id, page.service.sets
    stored = sets.list_playable(host_id) if host_id else sets.list_shared()
    names = {each.name for each in stored}
    library = [
        entities.QuestionSet(
            set_id=f"library:{name}",
            name=draft.name,
            description=draft.description,
            type=draft.type,
            created_by="",
            total_questions=len(draft.questions),
            categories=[each.name for each in draft.categories],
        )
        for name, draft in _library().items()
        if draft.name not in names
    ]
    return [*stored, *library]


def _show_form(page: PageContext, form: Form, status: int = 200) -> Response:
    sets, chosen = list_playable(page), form.value("set_id")
    if chosen and chosen not in {each.set_id for each in sets}:
        # A set that someone shared by its link.
        with suppress(InvalidInput):
            sets.insert(0, page.service.sets.load_for_game(chosen, page.host_id).item)
    return page.render(
        "new",
        status,
        form=form,
        sets=sets,
        choices=CHOICES,
        type_names=ENGAGEMENT_NAMES,
        host_id=page.host_id,
    )


# ------------------------------------------------------------------------------ your games


@router.get("/games")
def list_games(page: AnyPage, query: ListQueryParameters) -> Response:
    """List the games of the browser's host, with a link to host on another device."""
    host_id = page.host_id
    if not host_id:
        return page.render("games", running=[], past=[], link="")
    found = page.service.rounds.list_of_host(host_id, cursor=query.cursor)
    link = page.urls.absolute(
        page.urls.page("host-link", token=page.service.context.tokens.host_token(host_id))
    )
    return page.render(
        "games",
        running=[each for each in found.items if each.completed_at is None],
        past=[each for each in found.items if each.completed_at is not None],
        list=query.page(found.items, found.cursor),
        type_names=ENGAGEMENT_NAMES,
        link=link,
        qr=Markup(qr_svg(link)),
    )


@confirm(router, "/games/{game_id}/delete")
def delete_game(page: AnyPage, game_id: Segment) -> ConfirmedAction:
    """Delete a game of this host with its answers and results."""
    entry = _find_own(page, game_id)
    return ConfirmedAction(
        page,
        title=f"Delete “{entry.title}”?",
        text="The game, its answers and its report are deleted for everyone. Players who are in "
        "it are sent away.",
        button="Delete the game",
        back=page.urls.page("games"),
        do=lambda _: page.service.games.delete(game_id),
        done=f"“{entry.title}” was deleted.",
    )


def _find_own(page: PageContext, game_id: str) -> entities.GameEntry:
    entry = page.service.games.find_entry(game_id)
    if entry is None or not page.owns(entry):
        raise NotFound("You have no such game.")
    return entry

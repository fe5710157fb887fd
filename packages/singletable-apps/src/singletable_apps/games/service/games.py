"""Create, find, change and delete games."""

from __future__ import annotations

import hmac
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast, get_type_hints

from singletable import Page, evolve, retry_conflicts
from singletable_apps.games import patterns
from singletable_apps.games.entities import (
    Answer,
    Between,
    Game,
    GameContent,
    GameEntry,
    GameSettings,
    GameState,
    Homework,
    JoinCode,
)
from singletable_apps.games.errors import Busy, InvalidInput, NotFound
from singletable_apps.games.questions import EngagementType, Question, SetDraft
from singletable_apps.games.rules import open_all
from singletable_apps.games.service.context import Context, is_id, retry_busy
from singletable_apps.games.tokens import Role, new_game_id, new_join_code
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks

T = TypeVar("T")
DEFAULT_TITLE = "Engagements Session"
# Items of a game expire this long after it was created.
LIFETIME = timedelta(days=14)
# A homework is due at most this long after it was given.
LONGEST_HOMEWORK = timedelta(days=60)
_QUESTIONS_PER_PART = 25


@dataclass(frozen=True, slots=True)
class GameDraft:
    """The choices of a host for a new game. `questions` come from the set."""

    title: str = ""
    type: EngagementType = EngagementType.MIXED
    set_id: str = ""
    set_version: int = 0
    set_name: str = ""
    questions: Sequence[Question] = ()
    ai_context: str = ""
    access_code: str = ""
    settings: GameSettings = field(default_factory=GameSettings)
    homework: Homework | None = None


# The fields of a draft that a game has, too.
_COPIED = {each.name for each in fields(GameDraft)} - {"questions"}


def draft_from_set(draft: SetDraft, set_id: str, set_version: int, *, title: str = "") -> GameDraft:
    """Return the draft of a game that plays a set. Its instruction is copied to the questions."""
    questions = tuple(
        replace(each, instruction=each.instruction or draft.instruction) for each in draft.questions
    )
    return GameDraft(
        title=title or draft.name,
        type=draft.type,
        set_id=set_id,
        set_version=set_version,
        set_name=draft.name,
        questions=questions,
        ai_context=draft.ai_instruction,
    )


def take_fields(struct: type[T], source: object, **others: object) -> T:
    """Return a struct with the values that a form or a body has for its fields."""
    names = {each.name for each in fields(cast(Any, struct))} - others.keys()
    values: dict[str, Any] = {name: getattr(source, name) for name in names}
    return struct(**values, **others)


def numbers_of(struct: type) -> Iterator[tuple[str, Between]]:
    """Yield the numbers of a struct that have bounds."""
    for name, hint in get_type_hints(struct, include_extras=True).items():
        for bounds in getattr(hint, "__metadata__", ()):
            if isinstance(bounds, Between):
                yield name, bounds


def check_settings(settings: GameSettings, checks: InputChecks) -> GameSettings:
    """Check the numbers and texts of the settings; errors are named by field."""
    for name, bounds in numbers_of(GameSettings):
        if not bounds.least <= getattr(settings, name) <= bounds.most:
            checks.reject(name, f"Use a number from {bounds.least:g} to {bounds.most:,g}.")
    teams = tuple(
        name for each in settings.teams if (name := checks.line("teams", each, longest=30))
    )
    if len(teams) > 12 or len({name.casefold() for name in teams}) < len(teams):
        checks.reject("teams", "Use at most 12 teams with different names.")
    words = tuple(
        word
        for each in settings.deny_words[:200]
        if (word := checks.line("deny_words", each, longest=40))
    )
    return replace(settings, teams=teams, deny_words=words)


class Games:
    """Creates and changes games."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, host_id: str, draft: GameDraft) -> Game:
        """Create a game with the questions of the draft, and return it."""
        context, checks = self._context, InputChecks()
        draft = replace(
            draft,
            title=checks.line("title", draft.title, longest=120) or DEFAULT_TITLE,
            ai_context=checks.text("ai_context", draft.ai_context, longest=2_000),
            access_code=checks.line("access_code", draft.access_code, longest=40),
            settings=check_settings(draft.settings, checks),
        )
        if not draft.questions:
            checks.reject("set_id", "Choose a question set with at least one question.")
        checks.raise_errors()
        questions = list(draft.questions)
        if draft.settings.is_random:
            random.SystemRandom().shuffle(questions)
        now = context.clock()
        expires_at = now + LIFETIME + (LONGEST_HOMEWORK if draft.homework else timedelta())
        game_id = new_game_id(int(now.timestamp() * 1000))
        parts = [
            GameContent(
                game_id=game_id,
                part=number,
                questions=questions[start : start + _QUESTIONS_PER_PART],
                expires_at=expires_at,
            )
            for number, start in enumerate(range(0, len(questions), _QUESTIONS_PER_PART))
        ]
        context.store.put_many(parts)
        return self._create(
            Game(
                **{name: getattr(draft, name) for name in _COPIED},
                game_id=game_id,
                created_by=host_id,
                join_code="",
                question_count=len(questions),
                categories=list(dict.fromkeys(each.category for each in questions)),
                last_activity_at=now,
                expires_at=expires_at,
            ),
            now,
        )

    def play_again(self, game: Game) -> Game:
        """Create a game like this one for its players, or return the one that they have."""
        if game.next_game:
            return self._context.get_game(game.next_game)
        copied = {name: getattr(game, name) for name in _COPIED - {"homework"}}
        draft = GameDraft(**copied, questions=self._context.get_questions(game))
        return self.lead_to(game.game_id, self.create(game.created_by, draft))

    def lead_to(self, game_id: str, game: Game) -> Game:
        """Let the players of one game go on to another, and return that."""
        changed = self._context.store.update(Game.key(game_id), Game.next_game.set(game.game_id))
        self._context.notify(changed)
        return game

    @retry_conflicts(
        attempts=8, otherwise=lambda: Busy("No free join code was found. Try again in a minute.")
    )
    def _create(self, game: Game, now: datetime) -> Game:
        """Store a game with a random join code, or another one if that is taken."""
        game.join_code = new_join_code()
        game_id, expires_at = game.game_id, game.expires_at
        state = GameState(game_id=game_id, expires_at=expires_at)
        if game.homework:
            opened = open_all(state, game.question_count, now)
            state = evolve(opened, deadline=game.homework.due_at)
        with self._context.store.transaction() as tx:
            tx.create(JoinCode(code=game.join_code, game_id=game_id, expires_at=expires_at))
            tx.create(game)
            tx.create(state)
            tx.create(
                GameEntry(
                    game_id=game_id,
                    title=game.title,
                    type=game.type,
                    created_by=game.created_by,
                    created_at=now,
                    question_count=game.question_count,
                )
            )
        return game

    def find_by_code(self, code: str) -> Game:
        """Return the game that one joins with this code, or raise NotFound."""
        typed = "".join(one for one in code[:40] if one in "0123456789")
        found = self._context.store.run(patterns.game_by_code, typed) if len(typed) == 6 else None
        entry = check_found(found, "Game not found. Please check the game ID.")
        return self._context.get_game(entry.game_id)

    def check_access_code(self, game: Game, code: str) -> None:
        """Raise InvalidInput unless this is the access code of a private game."""
        expected = game.access_code
        if expected and not hmac.compare_digest(
            code.strip().casefold().encode("utf-8", "replace"), expected.casefold().encode()
        ):
            raise InvalidInput({"access_code": "This access code is not right. Ask the host."})

    @retry_busy
    def edit(
        self,
        game_id: str,
        *,
        title: str | None = None,
        is_locked: bool | None = None,
        debug_mode: bool | None = None,
        active_categories: Sequence[str] | None = None,
        access_code: str | None = None,
        takes_questions: bool | None = None,
    ) -> Game:
        """Change the fields that are given, and return the game."""
        checks = InputChecks()
        game = self._context.get_game(game_id, consistent=True)
        if title is not None:
            game.title = checks.line("title", title, longest=120, required=True)
        if access_code is not None:
            game.access_code = checks.line("access_code", access_code, longest=40)
        if active_categories is not None:
            game.active_categories = [each for each in game.categories if each in active_categories]
        if takes_questions is not None:
            game.settings = replace(game.settings, takes_questions=takes_questions)
        game.is_locked = game.is_locked if is_locked is None else is_locked
        game.debug_mode = game.debug_mode if debug_mode is None else debug_mode
        checks.raise_errors()
        game.last_activity_at = self._context.clock()
        with self._context.store.transaction() as tx:
            tx.put(game)
            tx.update(GameEntry.key(game_id), GameEntry.title.set(game.title))
        self._context.notify(game)
        return game

    @retry_busy
    def replace_links(self, game_id: str, role: Role) -> Game:
        """Make the links of a role void, so that new ones have to be handed out."""
        game = self._context.get_game(game_id, consistent=True)
        links = {**game.links, role.value: game.links.get(role, 0) + 1}
        changed = self._context.store.update(
            Game.key(game_id), Game.links.set(links), if_=Game.links == game.links
        )
        self._context.notify(changed)
        return changed

    def find_entry(self, game_id: str) -> GameEntry | None:
        """Return a game in the history, or None. It stays there when the game has expired."""
        return self._context.store.run(patterns.game_entry, game_id) if is_id(game_id) else None

    def list_all(self, size: int = 20, cursor: str | None = None) -> Page[GameEntry]:
        """Return a page of all games, newest first, for the administrator."""
        return self._context.store.page(patterns.all_games(), size, cursor=cursor, reverse=True)

    def delete(self, game_id: str) -> None:
        """Delete a game with everything in it. Its entry in the history goes last."""
        store = self._context.store
        try:
            game = self._context.get_game(game_id, consistent=True)
        except NotFound:
            game = None
        if game is not None:
            store.delete(JoinCode.key(game.join_code))
        # Votes are in the partitions of the answers.
        store.delete_partition(Answer.key.partition(game_id))
        store.delete_partition(Game.key.partition(game_id))
        store.delete(GameEntry.key(game_id))

"""The bodies of games in the API. Field names are camelCase in JSON, as the original's."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime

from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

from singletable_apps.games.entities import (
    Answer,
    AnswersShown,
    AnswerStatus,
    Game,
    GameEntry,
    GameSettings,
    GameState,
    Player,
    Standing,
)
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats.document import QuestionDocument
from singletable_apps.games.phases import ORIGINAL_STATES, Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.service.answers import Outcome
from singletable_apps.shared import web
from singletable_apps.shared.web import StrictBoolean, Timestamp


class Body(web.Model, json_types={datetime: Timestamp}):
    """A body with names in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


@dataclass(
    frozen=True, config=ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")
)
class SettingsBody(GameSettings):
    """Settings of a game. Times are in seconds; 0 means no limit."""

    @field_validator("*", mode="before")
    @classmethod
    def _check_type(cls, value: object, info: ValidationInfo) -> object:
        """Reject 1 for true, and true or "1" for 1."""
        default: object = getattr(GameSettings(), info.field_name or "", None)
        expected = type(default)
        if expected in (bool, int) and type(value) is not expected:
            raise ValueError("Expected true or false" if expected is bool else "Expected a number")
        return value

    def to_settings(self) -> GameSettings:
        """Return the settings."""
        return GameSettings(**{name: getattr(self, name) for name in _SETTING_NAMES})


_SENT_NAMES = {
    "set_id": "questionSetId",
    "text": "answer",
    "due_at": "homework/dueAt",
    **{name: f"homework/{name}" for name in ("attempts", "seconds", "names")},
}
_SETTING_NAMES = frozenset(each.name for each in fields(GameSettings))


@contextmanager
def named_as_sent(**others: str) -> Generator[None]:
    """Rename the fields of errors to what the client has sent; `others` has its own names."""
    sent_names = _SENT_NAMES | others
    try:
        yield
    except InvalidInput as error:
        names = {
            name: f"settings/{to_camel(name)}"
            if name in _SETTING_NAMES
            else sent_names.get(name, to_camel(name))
            for name in error.errors
            if "/" not in name
        }
        error.errors = {names.get(name, name): text for name, text in error.errors.items()}
        raise


# ------------------------------------------------------------------------------ games


class HomeworkBody(Body):
    """How a game is played as homework: players answer one question after the other."""

    due_at: Timestamp = Field(description="Nothing is accepted after it.")
    attempts: int = Field(1, strict=True, description="The best one counts; 0 is no limit.")
    answers_shown: AnswersShown = "end"
    seconds: int = Field(0, strict=True, description="For each question; 0 is no limit.")
    names: tuple[str, ...] = Field((), description="Who can join; everyone, if it is empty.")
    left_out: int = Field(0, description="How many questions need others to vote. Do not send it.")


class NewGame(Body):
    """A game to create, with the questions of a set or with its own."""

    title: str = Field("", description="“Engagements Session” if it is empty.")
    engagement_type: EngagementType | None = Field(
        None, description="For own questions; a set has its own type."
    )
    question_set_id: str = Field("", description="A set that you can play.")
    questions: list[QuestionDocument] = Field([], description="Instead of a set.")
    ai_context: str = Field("", description="Background for the summary of answers.")
    access_code: str = Field("", description="Players have to enter it, too.")
    settings: SettingsBody = Field(default_factory=SettingsBody)
    homework: HomeworkBody | None = Field(None, description="Null for a game in a room.")


class SeatTokens(Body):
    """A token for each role. Everyone with the token has the role."""

    host: str
    cohost: str
    screen: str
    audience: str


class CreatedGame(Body):
    """A new game with the tokens of its roles."""

    game_id: str
    join_code: str
    join_url: str
    tokens: SeatTokens
    host_token: str = Field(description="Recognizes you as the host of all your games.")


class GameBody(
    Body,
    of=Game,
    only="game_id title engagement_type question_set_id question_count categories join_code "
    "join_url is_locked is_private debug_mode created_at last_activity_at expires_at phase state "
    "homework",
    rename={"type": "engagement_type"},
):
    """A game."""

    question_set_id: str = Field(description="For hosts; others could read the solutions with it.")
    join_url: str
    is_private: bool
    phase: Phase
    state: str = Field(description="The phase in the words of the original.")
    homework: HomeworkBody | None = Field(None, description="For hosts.")

    @classmethod
    def of(cls, game: Game, state: GameState, join_url: str, *, for_host: bool = True) -> GameBody:
        """Return the body of a game."""
        return cls.from_object(
            game,
            question_set_id=game.set_id if for_host else "",
            is_private=bool(game.access_code),
            join_url=join_url,
            phase=state.phase,
            state=ORIGINAL_STATES[state.phase],
            homework=game.homework if for_host else None,
        )


class GameEntryBody(Body, of=GameEntry, omit="created_by", rename={"type": "engagement_type"}):
    """A game in the history."""

    duration: int = Field(description="Minutes from the creation to the end.")


class Validation(Body):
    """Whether there is a game with this code or id."""

    exists: bool
    game_id: str = ""
    title: str = ""


class NewTitle(Body):
    """A title."""

    event_title: str


class DebugMode(Body):
    """Whether hosts see what the summary is made from."""

    debug_mode: StrictBoolean


# ------------------------------------------------------------------------------ state


class StateBody(
    Body,
    of=GameState,
    only="game_id current_state phase version current_question_id current_question_index "
    "question_started_at opened_at deadline played_questions scored_questions updated_at",
    rename={
        "question_id": "current_question_id",
        "question_index": "current_question_index",
        "played": "played_questions",
        "scored": "scored_questions",
    },
):
    """The state of a game."""

    current_state: str = Field(description="The phase in the words of the original.")
    version: int = Field(description="Send it with a command, so that it is executed once.")

    @classmethod
    def of(cls, state: GameState) -> StateBody:
        """Return the body of a state."""
        return cls.from_object(state, current_state=ORIGINAL_STATES[state.phase])


class NewState(Body):
    """A command. Without a version it applies to whatever state the game is in."""

    command: Command
    version: int | None = Field(None, strict=True, description="The version that the host saw.")


# ------------------------------------------------------------------------------ players


class NewPlayer(Body):
    """A player who joins."""

    name: str
    team: str = ""
    access_code: str = Field("", description="For a private game.")


class PlayerBody(
    Body,
    of=Player,
    only="player_id name team total_score rank is_active joined_at last_seen_at attempt position",
):
    """A player. Scores are those after the last question with points.

    In a homework, `position` is how many questions of the current attempt are over.
    """


class JoinedPlayer(Body, of=Player, only="game_id player_id name team token rejoined total_score"):
    """A player with the token that only this player gets."""

    token: str
    rejoined: bool


class PlayerList(Body):
    """Players of a game, in the order of joining."""

    players: list[PlayerBody]
    next: str | None = Field(description="The cursor of the next page, or null on the last page.")

    @classmethod
    def of(
        cls, players: Iterable[Player], standings: Iterable[Standing], cursor: str | None
    ) -> PlayerList:
        """Return the body of a page of players with their standings."""
        known = {each.player: each for each in standings}
        bodies = [
            PlayerBody.from_object(each, total_score=own.total, rank=own.place)
            if (own := known.get(each.player_id))
            else PlayerBody.from_object(each)
            for each in players
        ]
        return cls(players=bodies, next=cursor)


# ------------------------------------------------------------------------------ answers


class NewAnswer(Body):
    """An answer: a text, the ids of options, or a number, as the question needs it."""

    question_id: str
    answer: str = Field("", description="What was typed.")
    choices: list[str] = Field([], description="The ids of options, in order for a rank question.")
    number: int | None = Field(None, strict=True, description="A rating.")
    client_id: str = Field("", description="Sending the same id again changes nothing.")


class AnswerBody(Body):
    """An answer of the player who asks."""

    question_id: str
    player_name: str
    answer: str
    choices: list[str]
    number: int | None
    word_count: int
    status: AnswerStatus
    submitted_at: Timestamp

    @classmethod
    def of(cls, answer: Answer) -> AnswerBody:
        """Return the body of an answer."""
        return cls.from_object(
            answer, player_name=answer.name, answer=answer.text, choices=list(answer.choices)
        )


class AnswerOutcome(Body):
    """What became of an answer, and the answer that is stored."""

    outcome: Outcome
    answer: AnswerBody | None


class NewVote(Body):
    """A ranking of the answers of others: their ids, best first."""

    question_id: str
    ranking: list[str]
    client_id: str = ""


class VoteOutcome(Body):
    """What became of a vote."""

    outcome: Outcome

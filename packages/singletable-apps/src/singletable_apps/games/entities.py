"""The items of `engagements-{environment}-table`.

    partition             sort keys
    GAME#{gameId}         METADATA, STATE, PLAYER#{playerId}, NAME#{look}, CONTENT#{part},
                          QUESTION#{questionId}, BALLOT#{questionId}#{attempt}#{part},
                          RESULT#{questionId}#{attempt}#{part}, ASKED#{askedId},
                          PROCESS#{processId}
    GAME#{gameId}#{shard} ANSWER#{questionId}#{playerId}, VOTE#{questionId}#{playerId}
    CODE#{code}           GAME: the game that one joins with this code
    GAMES                 GAME#{gameId}: the history, by time because ids begin with it
    SETS                  SET#{setId}
    SET#{setId}           VERSION#{version}, QUESTION#{version}#{attempt}#{categoryId}#{number}

All items of a game have the same TTL, which is set when the game is created. Answers and votes of
a large room arrive within a second, so they are spread over eight partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from singletable import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    Shards,
    Table,
    Unique,
    attr,
    casefold,
    created,
    expires,
    padded,
    pascal_case,
    updated,
    version,
)
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import (
    MAX_SECONDS,
    Category,
    EngagementType,
    Question,
    Visibility,
)
from singletable_apps.games.scoring import Partial, RankMethod, TriviaMode

# The games and sets of a host.
gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
# The sets that every host can play.
gsi2 = Index("GSI2", pk="GSI2PK", sk="GSI2SK")
engagements = Table(
    "engagements-dev-table", indexes=[gsi1, gsi2], ttl="TTL", attribute_names=pascal_case
)

# When players of a homework see the right answers: after each one, an attempt, or the deadline.
AnswersShown: TypeAlias = Literal["at-once", "end", "closed"]
# A partition takes 1,000 writes a second; 5,000 players may answer at once.
ANSWER_SHARDS = 8


class Leaderboard(StrEnum):
    """When the leaderboard is shown."""

    EACH = "each"
    CATEGORY = "category"
    END = "end"
    NEVER = "never"


class Profanity(StrEnum):
    """What happens to answers with words of the deny list, and to such names."""

    OFF = "off"
    QUEUE = "queue"
    BLOCK = "block"


class HostAbsence(StrEnum):
    """What happens when no host is connected for a minute."""

    WAIT = "wait"
    CONTINUE = "continue"
    END = "end"


@dataclass(frozen=True, slots=True)
class Between:
    """The bounds of a number, as an annotation of its field."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Homework:
    """How a game is played as homework: players answer one question after the other."""

    due_at: Annotated[datetime, Field(description="Nothing is accepted after it.")]
    attempts: Annotated[
        int, Between(0, 20), Field(description="The best one counts; 0 is no limit.")
    ] = 1
    answers_shown: AnswersShown = "end"
    seconds: Annotated[
        int, Between(0, MAX_SECONDS), Field(description="For each question; 0 is no limit.")
    ] = 0
    names: Annotated[
        tuple[str, ...], Field(description="Who can join; everyone, if it is empty.")
    ] = ()
    left_out: Annotated[
        int, Field(description="How many questions need others to vote. Do not send it.")
    ] = 0


@dataclass(frozen=True, slots=True)
class GameSettings:
    """The choices of a host for a game. Times are in seconds; 0 means no limit.

    `speed_floor` is the share of the points that the slowest correct answer gets. `auto_seconds`
    continues after the reveal and the leaderboard by itself. `ballot_size` is how many answers of
    others one ranks at most. Results of fewer than `min_cell` people are hidden in surveys.
    `takes_questions` lets players ask the host; `is_moderated` is for these questions, too.
    """

    reading_seconds: Annotated[int, Between(0, 60)] = 4
    question_seconds: Annotated[int, Between(0, 600)] = 30
    writing_seconds: Annotated[int, Between(0, 600)] = 75
    voting_seconds: Annotated[int, Between(0, 600)] = 60
    auto_seconds: Annotated[int, Between(0, 120)] = 0
    is_random: bool = False
    leaderboard: Leaderboard = Leaderboard.EACH
    trivia_mode: TriviaMode = "speed"
    speed_floor: Annotated[float, Between(0, 1)] = 0.5
    partial: Partial = Partial.ALL_OR_NOTHING
    streak: bool = False
    points: Annotated[int, Between(0, 2_000)] = 1_000
    rank_method: RankMethod = RankMethod.MEDALS
    ballot_size: Annotated[int, Between(1, 20)] = 5
    is_anonymous: bool = True
    is_moderated: bool = False
    profanity: Profanity = Profanity.QUEUE
    deny_words: tuple[str, ...] = ()
    live_counts: bool = True
    teams: tuple[str, ...] = ()
    generated_names: bool = False
    late_join: bool = True
    max_players: Annotated[int, Between(1, 10_000)] = 2_000
    min_cell: Annotated[int, Between(1, 50)] = 5
    host_absence: HostAbsence = HostAbsence.WAIT
    takes_questions: bool = False


class Game(Entity, table=engagements, type_tag=("EntityType", "Game")):
    """A game. `links` counts how often the links of a role were replaced, by role.

    `access_code` is asked from players who join a private game.
    """

    game_id: Attr[str] = attr()
    title: Attr[str] = attr()
    type: Attr[EngagementType] = attr(name="EngagementType")
    created_by: Attr[str] = attr()
    set_id: Attr[str] = attr(name="QuestionSetId")
    set_version: Attr[int] = attr(name="QuestionSetVersion", default=0)
    set_name: Attr[str] = attr(name="QuestionSetName", default="")
    ai_context: Attr[str] = attr(default="")
    debug_mode: Attr[bool] = attr(default=False)
    join_code: Attr[str] = attr()
    access_code: Attr[str] = attr(default="", hidden=True)
    is_locked: Attr[bool] = attr(default=False)
    settings: Attr[GameSettings] = attr(factory=GameSettings)
    homework: Attr[Homework | None] = attr(default=None)
    question_count: Attr[int] = attr(default=0)
    categories: Attr[list[str]] = attr(factory=list[str])
    # Categories from which the next question is taken; all if it is empty.
    active_categories: Attr[list[str]] = attr(factory=list[str])
    links: Attr[dict[str, int]] = attr(factory=dict[str, int])
    # The game to which the players of this one go on.
    next_game: Attr[str] = attr(default="")
    last_activity_at: Attr[datetime] = attr()
    created_at: Attr[datetime] = created()
    expires_at: Attr[datetime] = expires()
    revision: Attr[int] = version()

    key = Key(pk=("GAME", game_id), sk="METADATA")


class GameState(Entity, table=engagements, type_tag=("EntityType", "GameState")):
    """The phase of a game. Every transition is a write on the condition of `version`.

    `question_index` is the place of the question in the content; `played` has the ids of played
    questions, `asked` their indexes. `deadline` is when the phase ends by itself. While the game
    is paused, `paused_phase` is the phase before, and `remaining` its seconds until the deadline.
    `shared` has the ids of survey questions whose results players can see. `phases_begun` counts
    phases; going on after a pause begins none.
    """

    game_id: Attr[str] = attr()
    phase: Attr[Phase] = attr(name="CurrentState", default=Phase.WAITING)
    question_id: Attr[str] = attr(name="CurrentQuestionId", default="")
    question_index: Attr[int] = attr(name="CurrentQuestionIndex", default=-1)
    question_started_at: Attr[datetime | None] = attr(default=None)
    played: Attr[list[str]] = attr(name="PlayedQuestions", factory=list[str])
    scored: Attr[list[str]] = attr(name="ScoredQuestions", factory=list[str])
    asked: Attr[list[int]] = attr(name="AskedIndexes", factory=list[int])
    opened_at: Attr[datetime | None] = attr(default=None)
    deadline: Attr[datetime | None] = attr(default=None)
    paused_phase: Attr[Phase | None] = attr(name="PausedState", default=None)
    remaining: Attr[float | None] = attr(name="RemainingSeconds", default=None)
    paused_at: Attr[datetime | None] = attr(default=None)
    # How long the game was paused since the question was opened.
    paused_seconds: Attr[float] = attr(default=0.0)
    # Since when answers or votes are not accepted, while they are being counted.
    closed_at: Attr[datetime | None] = attr(default=None)
    is_void: Attr[bool] = attr(default=False)
    # The host has ended the game, and the current question is being counted.
    is_ending: Attr[bool] = attr(default=False)
    shared: Attr[list[str]] = attr(name="SharedResults", factory=list[str])
    phases_begun: Attr[int] = attr(default=0)
    updated_at: Attr[datetime] = updated()
    expires_at: Attr[datetime] = expires()
    version: Attr[int] = version()

    key = Key(pk=("GAME", game_id), sk="STATE")


class Player(Entity, table=engagements, type_tag=("EntityType", "Player")):
    """A player. Scores are copied here from the results of rounds when the game ends.

    `scored_through` is the id of the last question whose points are in `total_score`. In a
    homework, `attempt` and `position` say where the player is, from 0, and `asked_at` since when.
    """

    game_id: Attr[str] = attr()
    player_id: Attr[str] = attr()
    name: Attr[str] = attr(name="PlayerName")
    team: Attr[str] = attr(default="")
    joined_at: Attr[datetime] = attr()
    last_seen_at: Attr[datetime] = attr()
    total_score: Attr[int] = attr(default=0)
    rank: Attr[int] = attr(name="CurrentRank", default=0)
    scored_through: Attr[str] = attr(default="")
    # The ids of audience questions for which the player has voted.
    upvotes: Attr[frozenset[str]] = attr(default=frozenset())
    attempt: Attr[int] = attr(default=0)
    position: Attr[int] = attr(default=0)
    asked_at: Attr[datetime | None] = attr(default=None)
    # False once the host has removed the player.
    is_active: Attr[bool] = attr(default=True)
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("PLAYER", player_id))


class PlayerName(Entity, table=engagements, type_tag=("EntityType", "PlayerName")):
    """A name that is taken in a game. `look` is equal for names that look the same."""

    game_id: Attr[str] = attr()
    look: Attr[str] = attr(name="NameLook")
    player_id: Attr[str] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("NAME", look))


class GameContent(Entity, table=engagements, type_tag=("EntityType", "GameContent")):
    """A part of the questions that a game was created with. They never change."""

    game_id: Attr[str] = attr()
    part: Attr[int] = attr()
    questions: Attr[list[Question]] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("CONTENT", padded(part, 3)))


class Round(Entity, table=engagements, type_tag=("EntityType", "Round")):
    """A question that was played.

    `ballot` and `result` name the attempts whose parts are valid: they are written first, and then
    this item and the state in one transaction. `source` is the category and number in the set.
    `tally` counts how often each option, number or order (`b>a>c`) was chosen. `accepted` has texts
    of players that the host counts as correct.
    """

    game_id: Attr[str] = attr()
    question_id: Attr[str] = attr()
    index: Attr[int] = attr(name="ContentIndex")
    source: Attr[str] = attr(name="SourceQuestionRef", default="")
    set_id: Attr[str] = attr(default="")
    category: Attr[str] = attr(default="")
    started_at: Attr[datetime] = attr()
    completed_at: Attr[datetime | None] = attr(default=None)
    is_void: Attr[bool] = attr(default=False)
    ballot: Attr[str] = attr(default="")
    result: Attr[str] = attr(default="")
    answers: Attr[int] = attr(name="AnswerCount", default=0)
    votes: Attr[int] = attr(name="VoteCount", default=0)
    tally: Attr[dict[str, int]] = attr(factory=dict[str, int])
    # Answers that were not shown, because the host has hidden them or has not approved them.
    left_out: Attr[int] = attr(name="LeftOutCount", default=0)
    # The ids of answers that the host has hidden since they were frozen.
    hidden: Attr[list[str]] = attr(name="HiddenAnswers", factory=list[str])
    accepted: Attr[list[str]] = attr(name="AcceptedAnswers", factory=list[str])
    summary: Attr[str] = attr(name="AiSummary", default="")
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("QUESTION", question_id))


@dataclass(frozen=True, slots=True)
class BallotAnswer:
    """An answer that can be ranked. Equal texts of several players are one answer."""

    id: str
    text: str
    players: tuple[str, ...]


class BallotPart(Entity, table=engagements, type_tag=("EntityType", "BallotPart")):
    """A part of the answers that were frozen when voting opened."""

    game_id: Attr[str] = attr()
    question_id: Attr[str] = attr()
    attempt: Attr[str] = attr()
    part: Attr[int] = attr()
    answers: Attr[list[BallotAnswer]] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("BALLOT", question_id, attempt, padded(part, 3)))


@dataclass(frozen=True, slots=True)
class Standing:
    """A player after a round: points of the round and in total, and the place.

    `seconds` is the time of all answers that scored, which decides between equal totals.
    `is_correct` is None where answers are not right or wrong.
    """

    player: str
    points: int
    total: int
    place: int
    seconds: float = 0.0
    streak: int = 0
    has_answered: bool = False
    is_correct: bool | None = None


class ResultPart(Entity, table=engagements, type_tag=("EntityType", "ResultPart")):
    """A part of the result of a round: the standings of all players, best first."""

    game_id: Attr[str] = attr()
    question_id: Attr[str] = attr()
    attempt: Attr[str] = attr()
    part: Attr[int] = attr()
    standings: Attr[list[Standing]] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("RESULT", question_id, attempt, padded(part, 3)))


class AnswerStatus(StrEnum):
    """Whether others can see an answer."""

    VISIBLE = "visible"
    PENDING = "pending"
    HIDDEN = "hidden"


class Answer(Entity, table=engagements, type_tag=("EntityType", "Answer")):
    """An answer of a player to a question.

    `text` is what was typed; `choices` are ids of options, in order for a rank question; `number`
    is a rating. `client_id` is the id that the phone gave the message: sending it again changes
    nothing. `seconds` is the time since the question was opened, by the server's clock.
    """

    game_id: Attr[str] = attr()
    question_id: Attr[str] = attr()
    player_id: Attr[str] = attr()
    name: Attr[str] = attr(name="PlayerName", default="")
    text: Attr[str] = attr(name="Answer", default="")
    choices: Attr[tuple[str, ...]] = attr(default=())
    number: Attr[int | None] = attr(default=None)
    seconds: Attr[float] = attr(default=0.0)
    word_count: Attr[int] = attr(default=0)
    status: Attr[AnswerStatus] = attr(default=AnswerStatus.VISIBLE)
    client_id: Attr[str] = attr(default="")
    submitted_at: Attr[datetime] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(
        pk=("GAME", game_id, Shards(ANSWER_SHARDS, by=player_id)),
        sk=("ANSWER", question_id, player_id),
    )


class Vote(Entity, table=engagements, type_tag=("EntityType", "Vote")):
    """A player's ranking of the answers of others: ranks by the ids of frozen answers."""

    game_id: Attr[str] = attr()
    question_id: Attr[str] = attr()
    player_id: Attr[str] = attr(name="VoterId")
    name: Attr[str] = attr(name="VoterName", default="")
    votes: Attr[dict[str, int]] = attr()
    # Fewer answers are ranked than asked for: it counts if the vote is closed now.
    is_partial: Attr[bool] = attr(default=False)
    client_id: Attr[str] = attr(default="")
    submitted_at: Attr[datetime] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(
        pk=("GAME", game_id, Shards(ANSWER_SHARDS, by=player_id)),
        sk=("VOTE", question_id, player_id),
    )


class AskedStatus(StrEnum):
    """What became of an audience question. At most one is shown large on the big screen."""

    PENDING = "pending"
    VISIBLE = "visible"
    SHOWN = "shown"
    ANSWERED = "answered"
    HIDDEN = "hidden"


# Only hosts see these.
UNSEEN = (AskedStatus.PENDING, AskedStatus.HIDDEN)


class AudienceQuestion(Entity, table=engagements, type_tag=("EntityType", "AudienceQuestion")):
    """A question of a player to the host. Votes for it are in the items of players.

    One that is shown large is so only in the phase `shown_in`, because the next needs the screen.
    """

    game_id: Attr[str] = attr()
    asked_id: Attr[str] = attr()
    player_id: Attr[str] = attr()
    text: Attr[str] = attr()
    status: Attr[AskedStatus] = attr()
    # What `GameState.phases_begun` was when the question was shown large.
    shown_in: Attr[int] = attr(default=-1)
    asked_at: Attr[datetime] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("ASKED", asked_id))


class Process(Entity, table=engagements, type_tag=("EntityType", "Process")):
    """The counts of one server process for a game: connections, and players who have answered.

    Other processes read it to add everything up. `changes` counts what they should read again:
    players who joined or were changed, moderated answers, settings.
    """

    game_id: Attr[str] = attr()
    process_id: Attr[str] = attr()
    changes: Attr[int] = attr(default=0)
    question_id: Attr[str] = attr(default="")
    phase: Attr[str] = attr(default="")
    players: Attr[int] = attr(default=0)
    done: Attr[int] = attr(default=0)
    hosts: Attr[int] = attr(default=0)
    screens: Attr[int] = attr(default=0)
    seen_at: Attr[datetime] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("GAME", game_id), sk=("PROCESS", process_id))


class JoinCode(Entity, table=engagements, type_tag=("EntityType", "JoinCode")):
    """The code with which one joins a game."""

    code: Attr[str] = attr(name="JoinCode")
    game_id: Attr[str] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("CODE", code), sk="GAME")


class GameEntry(Entity, table=engagements, type_tag=("EntityType", "GameEntry")):
    """A game in the history. It stays when the game has expired."""

    game_id: Attr[str] = attr()
    title: Attr[str] = attr()
    type: Attr[EngagementType] = attr(name="EngagementType")
    created_by: Attr[str] = attr()
    created_at: Attr[datetime] = attr()
    completed_at: Attr[datetime | None] = attr(default=None)
    player_count: Attr[int] = attr(default=0)
    question_count: Attr[int] = attr(default=0)
    # Minutes from the creation to the end.
    duration: Attr[int] = attr(default=0)

    key = Key(pk="GAMES", sk=("GAME", game_id))
    by_host = Key(pk=("HOST", created_by), sk=("GAME", game_id)).on(gsi1)


class QuestionSet(Entity, table=engagements, type_tag=("EntityType", "QuestionSet")):
    """A question set. `set_version` and `attempt` tell which questions are valid.

    A save writes them under an attempt of its own, and then names it here. So readers see the
    old version or the new one, and two people who save at the same time do not mix.
    """

    set_id: Attr[str] = attr()
    name: Attr[str] = attr()
    description: Attr[str] = attr(default="")
    type: Attr[EngagementType] = attr(name="EngagementType")
    total_questions: Attr[int] = attr(default=0)
    categories: Attr[list[str]] = attr(factory=list[str])
    created_by: Attr[str] = attr()
    is_active: Attr[bool] = attr(default=True)
    visibility: Attr[Visibility] = attr(default=Visibility.PRIVATE)
    instruction: Attr[str] = attr(name="CustomInstructions", default="")
    ai_instruction: Attr[str] = attr(name="AiInstructions", default="")
    source_file: Attr[str] = attr(default="")
    set_version: Attr[int] = attr(name="Version", default=0)
    attempt: Attr[str] = attr(default="")
    # True while its versions are being deleted.
    is_deleting: Attr[bool] = attr(default=False)
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()
    revision: Attr[int] = version()

    key = Key(pk="SETS", sk=("SET", set_id))
    by_host = Key(pk=("HOST", created_by), sk=("SET", casefold(name), set_id)).on(gsi1)
    by_name = Key(pk="SHARED", sk=("SET", casefold(name), set_id)).on(
        gsi2,
        when=(visibility == Visibility.SHARED) & (is_active == True),  # noqa: E712
    )
    one_name = Unique(
        created_by,
        casefold(name),
        pk=("HOST", created_by),
        sk=("SETNAME", casefold(name)),
    )


class SetVersion(Entity, table=engagements, type_tag=("EntityType", "SetVersion")):
    """A version of a set: everything but its questions. It has their categories, in order."""

    set_id: Attr[str] = attr()
    set_version: Attr[int] = attr(name="Version")
    attempt: Attr[str] = attr()
    name: Attr[str] = attr()
    description: Attr[str] = attr(default="")
    type: Attr[EngagementType] = attr(name="EngagementType")
    instruction: Attr[str] = attr(name="CustomInstructions", default="")
    ai_instruction: Attr[str] = attr(name="AiInstructions", default="")
    categories: Attr[tuple[Category, ...]] = attr(default=())
    total_questions: Attr[int] = attr(default=0)
    saved_at: Attr[datetime] = created()

    key = Key(pk=("SET", set_id), sk=("VERSION", padded(set_version, 4)))


class SetQuestion(Entity, table=engagements, type_tag=("EntityType", "SetQuestion")):
    """A question of a version of a set. The number is its place in the whole set.

    The attributes of the document are copies of what `content` has, for other readers.
    """

    set_id: Attr[str] = attr()
    set_version: Attr[int] = attr(name="Version")
    attempt: Attr[str] = attr()
    category_id: Attr[str] = attr()
    number: Attr[int] = attr()
    question_id: Attr[str] = attr()
    title: Attr[str] = attr()
    detail: Attr[str] = attr(default="")
    category: Attr[str] = attr(default="")
    school: Attr[str] = attr(default="")
    order: Attr[int] = attr(name="OrderInCategory")
    instruction: Attr[str] = attr(name="CustomInstruction", default="")
    content: Attr[Question] = attr()
    created_at: Attr[datetime] = created()

    key = Key(
        pk=("SET", set_id),
        sk=("QUESTION", padded(set_version, 4), attempt, category_id, padded(number, 3)),
    )


class GameFile(Collection):
    """A whole game but for its answers and votes, in one query."""

    game: Game
    state: GameState
    players: list[Player]
    names: list[PlayerName]
    content: list[GameContent]
    rounds: list[Round]
    ballots: list[BallotPart]
    results: list[ResultPart]
    asked: list[AudienceQuestion]
    processes: list[Process]

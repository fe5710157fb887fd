"""The items of `engagements-{environment}-table`.

    partition             sort keys
    GAME#{gameId}         METADATA, STATE, PLAYER#{playerId}, NAME#{look}, CONTENT#{part},
                          QUESTION#{questionId}, BALLOT#{questionId}#{attempt}#{part},
                          RESULT#{questionId}#{attempt}#{part}, PROCESS#{processId}
    GAME#{gameId}#{shard} ANSWER#{questionId}#{playerId}, VOTE#{questionId}#{playerId}
    CODE#{code}           GAME: the game that one joins with this code
    GAMES                 GAME#{gameId}: the history, by time because ids begin with it
    SETS                  SET#{setId}
    SET#{setId}           VERSION#{version}, CATEGORY#{version}#{attempt}#{categoryId},
                          QUESTION#{version}#{attempt}#{categoryId}#{number}
    CONNECTION#{id}       METADATA

All items of a game have the same TTL, which is set when the game is created. Answers and votes of
a large room arrive within a second, so they are spread over eight partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

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
    updated,
    version,
)
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import Category, EngagementType, Question, Visibility
from singletable_apps.games.scoring import Partial, RankMethod, TriviaMode

# The games, sets and connections of a host or a game.
gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
# The sets that every host can play.
gsi2 = Index("GSI2", pk="GSI2PK", sk="GSI2SK")
engagements = Table("engagements-dev-table", indexes=[gsi1, gsi2], ttl="TTL")

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
class GameSettings:
    """What a host can choose for a game. Times are in seconds; 0 is no limit.

    `speed_floor` is the share of the points that the slowest correct answer gets. `auto_seconds`
    continues after the reveal and the leaderboard by itself. `ballot_size` is how many answers of
    others one ranks at most. Results of fewer than `min_cell` people are hidden in surveys.
    """

    reading_seconds: int = 4
    question_seconds: int = 30
    voting_seconds: int = 60
    auto_seconds: int = 0
    is_random: bool = False
    leaderboard: Leaderboard = Leaderboard.EACH
    trivia_mode: TriviaMode = "speed"
    speed_floor: float = 0.5
    partial: Partial = Partial.ALL_OR_NOTHING
    streak: bool = False
    points: int = 1_000
    rank_method: RankMethod = RankMethod.MEDALS
    ballot_size: int = 5
    is_anonymous: bool = True
    is_moderated: bool = False
    profanity: Profanity = Profanity.QUEUE
    deny_words: tuple[str, ...] = ()
    live_counts: bool = True
    teams: tuple[str, ...] = ()
    generated_names: bool = False
    late_join: bool = True
    max_players: int = 2_000
    min_cell: int = 5
    host_absence: HostAbsence = HostAbsence.WAIT


class Game(Entity, table=engagements, type_tag=("EntityType", "Game")):
    """A game. `links` counts how often the links of a role were replaced, by role.

    `access_code` is asked from players who join a private game. `content_parts` is the number of
    GameContent items, which are written before the game.
    """

    game_id: Attr[str] = attr(name="GameId")
    title: Attr[str] = attr(name="Title")
    type: Attr[EngagementType] = attr(name="EngagementType")
    created_by: Attr[str] = attr(name="CreatedBy")
    set_id: Attr[str] = attr(name="QuestionSetId")
    set_version: Attr[int] = attr(name="QuestionSetVersion", default=0)
    set_name: Attr[str] = attr(name="QuestionSetName", default="")
    ai_context: Attr[str] = attr(name="AiContext", default="")
    debug_mode: Attr[bool] = attr(name="DebugMode", default=False)
    join_code: Attr[str] = attr(name="JoinCode")
    access_code: Attr[str] = attr(name="AccessCode", default="", hidden=True)
    is_locked: Attr[bool] = attr(name="IsLocked", default=False)
    settings: Attr[GameSettings] = attr(name="Settings", factory=GameSettings)
    question_count: Attr[int] = attr(name="QuestionCount", default=0)
    content_parts: Attr[int] = attr(name="ContentParts", default=0)
    categories: Attr[list[str]] = attr(name="Categories", factory=list[str])
    # Categories from which the next question is taken; all if it is empty.
    active_categories: Attr[list[str]] = attr(name="ActiveCategories", factory=list[str])
    links: Attr[dict[str, int]] = attr(name="Links", factory=dict[str, int])
    last_activity_at: Attr[datetime] = attr(name="LastActivityAt")
    created_at: Attr[datetime] = created(name="CreatedAt")
    expires_at: Attr[datetime] = expires(name="TTL")
    revision: Attr[int] = version(name="Revision")

    key = Key(pk=("GAME", game_id), sk="METADATA")


class GameState(Entity, table=engagements, type_tag=("EntityType", "GameState")):
    """The phase of a game. Every transition is a write on the condition of `version`.

    `question_index` is the place of the question in the content; `played` has the ids of played
    questions, `asked` their indexes. `deadline` is when the phase ends by itself. While the game
    is paused, `paused_phase` is the phase before, and `remaining` its seconds until the deadline.
    `shared` has the ids of survey questions whose results players can see.
    """

    game_id: Attr[str] = attr(name="GameId")
    phase: Attr[Phase] = attr(name="CurrentState", default=Phase.WAITING)
    question_id: Attr[str] = attr(name="CurrentQuestionId", default="")
    question_index: Attr[int] = attr(name="CurrentQuestionIndex", default=-1)
    question_started_at: Attr[datetime | None] = attr(name="QuestionStartedAt", default=None)
    played: Attr[list[str]] = attr(name="PlayedQuestions", factory=list[str])
    scored: Attr[list[str]] = attr(name="ScoredQuestions", factory=list[str])
    asked: Attr[list[int]] = attr(name="AskedIndexes", factory=list[int])
    opened_at: Attr[datetime | None] = attr(name="OpenedAt", default=None)
    deadline: Attr[datetime | None] = attr(name="Deadline", default=None)
    paused_phase: Attr[Phase | None] = attr(name="PausedState", default=None)
    remaining: Attr[float | None] = attr(name="RemainingSeconds", default=None)
    paused_at: Attr[datetime | None] = attr(name="PausedAt", default=None)
    # How long the game was paused since the question was opened.
    paused_seconds: Attr[float] = attr(name="PausedSeconds", default=0.0)
    # Since when answers or votes are not accepted, while they are being counted.
    closed_at: Attr[datetime | None] = attr(name="ClosedAt", default=None)
    is_void: Attr[bool] = attr(name="IsVoid", default=False)
    # The host has ended the game, and the current question is being counted.
    is_ending: Attr[bool] = attr(name="IsEnding", default=False)
    shared: Attr[list[str]] = attr(name="SharedResults", factory=list[str])
    updated_at: Attr[datetime] = updated(name="UpdatedAt")
    expires_at: Attr[datetime] = expires(name="TTL")
    version: Attr[int] = version(name="Version")

    key = Key(pk=("GAME", game_id), sk="STATE")


class Player(Entity, table=engagements, type_tag=("EntityType", "Player")):
    """A player. Scores are copied here from the results of rounds when the game ends.

    `scored_through` is the id of the last question whose points are in `total_score`.
    """

    game_id: Attr[str] = attr(name="GameId")
    player_id: Attr[str] = attr(name="PlayerId")
    name: Attr[str] = attr(name="PlayerName")
    team: Attr[str] = attr(name="Team", default="")
    joined_at: Attr[datetime] = attr(name="JoinedAt")
    last_seen_at: Attr[datetime] = attr(name="LastSeenAt")
    total_score: Attr[int] = attr(name="TotalScore", default=0)
    rank: Attr[int] = attr(name="CurrentRank", default=0)
    scored_through: Attr[str] = attr(name="ScoredThrough", default="")
    # How often players have changed their own names.
    renames: Attr[int] = attr(name="Renames", default=0)
    # False once the host has removed the player.
    is_active: Attr[bool] = attr(name="IsActive", default=True)
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("GAME", game_id), sk=("PLAYER", player_id))


class PlayerName(Entity, table=engagements, type_tag=("EntityType", "PlayerName")):
    """A name that is taken in a game. `look` is equal for names that look the same."""

    game_id: Attr[str] = attr(name="GameId")
    look: Attr[str] = attr(name="NameLook")
    player_id: Attr[str] = attr(name="PlayerId")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("GAME", game_id), sk=("NAME", look))


class GameContent(Entity, table=engagements, type_tag=("EntityType", "GameContent")):
    """A part of the questions that a game was created with. They never change."""

    game_id: Attr[str] = attr(name="GameId")
    part: Attr[int] = attr(name="Part")
    questions: Attr[list[Question]] = attr(name="Questions")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("GAME", game_id), sk=("CONTENT", padded(part, 3)))


class Round(Entity, table=engagements, type_tag=("EntityType", "Round")):
    """A question that was played.

    `ballot` and `result` name the attempts whose parts are valid: they are written first, and then
    this item and the state in one transaction. `source` is the category and number in the set.
    `tally` counts how often each option, number or order (`b>a>c`) was chosen.
    """

    game_id: Attr[str] = attr(name="GameId")
    question_id: Attr[str] = attr(name="QuestionId")
    index: Attr[int] = attr(name="ContentIndex")
    source: Attr[str] = attr(name="SourceQuestionRef", default="")
    set_id: Attr[str] = attr(name="SetId", default="")
    category: Attr[str] = attr(name="Category", default="")
    started_at: Attr[datetime] = attr(name="StartedAt")
    completed_at: Attr[datetime | None] = attr(name="CompletedAt", default=None)
    is_void: Attr[bool] = attr(name="IsVoid", default=False)
    ballot: Attr[str] = attr(name="Ballot", default="")
    result: Attr[str] = attr(name="Result", default="")
    answers: Attr[int] = attr(name="AnswerCount", default=0)
    votes: Attr[int] = attr(name="VoteCount", default=0)
    tally: Attr[dict[str, int]] = attr(name="Tally", factory=dict[str, int])
    # Answers that were not shown, because the host has hidden them or has not approved them.
    left_out: Attr[int] = attr(name="LeftOutCount", default=0)
    # The ids of answers that the host has hidden since they were frozen.
    hidden: Attr[list[str]] = attr(name="HiddenAnswers", factory=list[str])
    summary: Attr[str] = attr(name="AiSummary", default="")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("GAME", game_id), sk=("QUESTION", question_id))


@dataclass(frozen=True, slots=True)
class BallotAnswer:
    """An answer that can be ranked. Equal texts of several players are one answer."""

    id: str
    text: str
    players: tuple[str, ...]


class BallotPart(Entity, table=engagements, type_tag=("EntityType", "BallotPart")):
    """A part of the answers that were frozen when voting opened."""

    game_id: Attr[str] = attr(name="GameId")
    question_id: Attr[str] = attr(name="QuestionId")
    attempt: Attr[str] = attr(name="Attempt")
    part: Attr[int] = attr(name="Part")
    answers: Attr[list[BallotAnswer]] = attr(name="Answers")
    expires_at: Attr[datetime] = expires(name="TTL")

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

    game_id: Attr[str] = attr(name="GameId")
    question_id: Attr[str] = attr(name="QuestionId")
    attempt: Attr[str] = attr(name="Attempt")
    part: Attr[int] = attr(name="Part")
    standings: Attr[list[Standing]] = attr(name="Standings")
    expires_at: Attr[datetime] = expires(name="TTL")

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

    game_id: Attr[str] = attr(name="GameId")
    question_id: Attr[str] = attr(name="QuestionId")
    player_id: Attr[str] = attr(name="PlayerId")
    name: Attr[str] = attr(name="PlayerName", default="")
    text: Attr[str] = attr(name="Answer", default="")
    choices: Attr[tuple[str, ...]] = attr(name="Choices", default=())
    number: Attr[int | None] = attr(name="Number", default=None)
    seconds: Attr[float] = attr(name="Seconds", default=0.0)
    word_count: Attr[int] = attr(name="WordCount", default=0)
    status: Attr[AnswerStatus] = attr(name="Status", default=AnswerStatus.VISIBLE)
    client_id: Attr[str] = attr(name="ClientId", default="")
    submitted_at: Attr[datetime] = attr(name="SubmittedAt")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(
        pk=("GAME", game_id, Shards(ANSWER_SHARDS, by=player_id)),
        sk=("ANSWER", question_id, player_id),
    )


class Vote(Entity, table=engagements, type_tag=("EntityType", "Vote")):
    """A player's ranking of the answers of others: ranks by the ids of frozen answers."""

    game_id: Attr[str] = attr(name="GameId")
    question_id: Attr[str] = attr(name="QuestionId")
    player_id: Attr[str] = attr(name="VoterId")
    name: Attr[str] = attr(name="VoterName", default="")
    votes: Attr[dict[str, int]] = attr(name="Votes")
    client_id: Attr[str] = attr(name="ClientId", default="")
    submitted_at: Attr[datetime] = attr(name="SubmittedAt")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(
        pk=("GAME", game_id, Shards(ANSWER_SHARDS, by=player_id)),
        sk=("VOTE", question_id, player_id),
    )


class Process(Entity, table=engagements, type_tag=("EntityType", "Process")):
    """What one server process knows of a game: its connections, and how many have answered.

    Other processes read it to add everything up. `changes` counts what they should read again:
    players who joined or were changed, moderated answers, settings.
    """

    game_id: Attr[str] = attr(name="GameId")
    process_id: Attr[str] = attr(name="ProcessId")
    changes: Attr[int] = attr(name="Changes", default=0)
    question_id: Attr[str] = attr(name="QuestionId", default="")
    phase: Attr[str] = attr(name="Phase", default="")
    players: Attr[int] = attr(name="Players", default=0)
    done: Attr[int] = attr(name="Done", default=0)
    hosts: Attr[int] = attr(name="Hosts", default=0)
    screens: Attr[int] = attr(name="Screens", default=0)
    seen_at: Attr[datetime] = attr(name="SeenAt")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("GAME", game_id), sk=("PROCESS", process_id))


class JoinCode(Entity, table=engagements, type_tag=("EntityType", "JoinCode")):
    """The code with which one joins a game."""

    code: Attr[str] = attr(name="JoinCode")
    game_id: Attr[str] = attr(name="GameId")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("CODE", code), sk="GAME")


class Connection(Entity, table=engagements, type_tag=("EntityType", "Connection")):
    """An open socket. It expires after two hours, if the process was killed."""

    connection_id: Attr[str] = attr(name="ConnectionId")
    game_id: Attr[str] = attr(name="GameId")
    role: Attr[str] = attr(name="Role")
    player_id: Attr[str] = attr(name="PlayerId", default="")
    name: Attr[str] = attr(name="PlayerName", default="")
    is_host: Attr[bool] = attr(name="IsHost", default=False)
    process_id: Attr[str] = attr(name="ProcessId")
    connected_at: Attr[datetime] = attr(name="ConnectedAt")
    last_ping_at: Attr[datetime] = attr(name="LastPingAt")
    expires_at: Attr[datetime] = expires(name="TTL")

    key = Key(pk=("CONNECTION", connection_id), sk="METADATA")
    by_game = Key(pk=("GAME", game_id), sk=("CONNECTION", connection_id)).on(gsi1)


class GameEntry(Entity, table=engagements, type_tag=("EntityType", "GameEntry")):
    """A game in the history. It stays when the game has expired."""

    game_id: Attr[str] = attr(name="GameId")
    title: Attr[str] = attr(name="Title")
    type: Attr[EngagementType] = attr(name="EngagementType")
    created_by: Attr[str] = attr(name="CreatedBy")
    created_at: Attr[datetime] = attr(name="CreatedAt")
    completed_at: Attr[datetime | None] = attr(name="CompletedAt", default=None)
    player_count: Attr[int] = attr(name="PlayerCount", default=0)
    question_count: Attr[int] = attr(name="QuestionCount", default=0)
    # Minutes from the creation to the end.
    duration: Attr[int] = attr(name="Duration", default=0)

    key = Key(pk="GAMES", sk=("GAME", game_id))
    by_host = Key(pk=("HOST", created_by), sk=("GAME", game_id)).on(gsi1)


class QuestionSet(Entity, table=engagements, type_tag=("EntityType", "QuestionSet")):
    """A question set. `set_version` and `attempt` tell which categories and questions are valid.

    A save writes them under an attempt of its own, and then names it here. So readers see the
    old version or the new one, and two people who save at the same time do not mix.
    """

    set_id: Attr[str] = attr(name="SetId")
    name: Attr[str] = attr(name="Name")
    description: Attr[str] = attr(name="Description", default="")
    type: Attr[EngagementType] = attr(name="EngagementType")
    total_questions: Attr[int] = attr(name="TotalQuestions", default=0)
    categories: Attr[list[str]] = attr(name="Categories", factory=list[str])
    created_by: Attr[str] = attr(name="CreatedBy")
    is_active: Attr[bool] = attr(name="IsActive", default=True)
    visibility: Attr[Visibility] = attr(name="Visibility", default=Visibility.PRIVATE)
    instruction: Attr[str] = attr(name="CustomInstructions", default="")
    ai_instruction: Attr[str] = attr(name="AiInstructions", default="")
    source_file: Attr[str] = attr(name="SourceFile", default="")
    set_version: Attr[int] = attr(name="Version", default=0)
    attempt: Attr[str] = attr(name="Attempt", default="")
    # True while its versions are being deleted.
    is_deleting: Attr[bool] = attr(name="IsDeleting", default=False)
    created_at: Attr[datetime] = created(name="CreatedAt")
    updated_at: Attr[datetime] = updated(name="UpdatedAt")
    revision: Attr[int] = version(name="Revision")

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
    """A version of a set: everything but its questions."""

    set_id: Attr[str] = attr(name="SetId")
    set_version: Attr[int] = attr(name="Version")
    attempt: Attr[str] = attr(name="Attempt")
    name: Attr[str] = attr(name="Name")
    description: Attr[str] = attr(name="Description", default="")
    type: Attr[EngagementType] = attr(name="EngagementType")
    instruction: Attr[str] = attr(name="CustomInstructions", default="")
    ai_instruction: Attr[str] = attr(name="AiInstructions", default="")
    categories: Attr[tuple[Category, ...]] = attr(name="Categories", default=())
    total_questions: Attr[int] = attr(name="TotalQuestions", default=0)
    saved_at: Attr[datetime] = created(name="SavedAt")

    key = Key(pk=("SET", set_id), sk=("VERSION", padded(set_version, 4)))


class SetCategory(Entity, table=engagements, type_tag=("EntityType", "SetCategory")):
    """A category of a version of a set."""

    set_id: Attr[str] = attr(name="SetId")
    set_version: Attr[int] = attr(name="Version")
    attempt: Attr[str] = attr(name="Attempt")
    category_id: Attr[str] = attr(name="CategoryId")
    name: Attr[str] = attr(name="Name")
    description: Attr[str] = attr(name="Description", default="")
    question_count: Attr[int] = attr(name="QuestionCount", default=0)
    order: Attr[int] = attr(name="OrderIndex")

    key = Key(pk=("SET", set_id), sk=("CATEGORY", padded(set_version, 4), attempt, category_id))


class SetQuestion(Entity, table=engagements, type_tag=("EntityType", "SetQuestion")):
    """A question of a version of a set. The number is its place in the whole set.

    The attributes of the document are copies of what `content` has, for other readers.
    """

    set_id: Attr[str] = attr(name="SetId")
    set_version: Attr[int] = attr(name="Version")
    attempt: Attr[str] = attr(name="Attempt")
    category_id: Attr[str] = attr(name="CategoryId")
    number: Attr[int] = attr(name="Number")
    question_id: Attr[str] = attr(name="QuestionId")
    title: Attr[str] = attr(name="Title")
    detail: Attr[str] = attr(name="Detail", default="")
    category: Attr[str] = attr(name="Category", default="")
    school: Attr[str] = attr(name="School", default="")
    order: Attr[int] = attr(name="OrderInCategory")
    instruction: Attr[str] = attr(name="CustomInstruction", default="")
    content: Attr[Question] = attr(name="Content")
    created_at: Attr[datetime] = created(name="CreatedAt")

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
    processes: list[Process]

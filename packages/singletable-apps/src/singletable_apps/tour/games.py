"""Games: the table `engagements-dev-table`, where most items expire."""

from __future__ import annotations

from datetime import datetime, timedelta

from singletable.operations import GetItem, SweepExpired
from singletable.schema import Attr, Entity, Key, Table, attr, expires, padded
from singletable_apps.tour.design import Design, Step, TourSession

GAME_ID = "4711"
CONNECTION_ID = "d3adb33f"
TWO_HOURS = timedelta(hours=2)
games_table = Table("engagements-dev-table", ttl="TTL")


class Game(Entity, table=games_table):
    """A game and its settings."""

    game_id: Attr[str] = attr(name="GameId")
    title: Attr[str] = attr(name="Title")
    engagement_type: Attr[str] = attr(name="EngagementType")
    question_set_id: Attr[str] = attr(name="QuestionSetId")
    expires_at: Attr[datetime] = expires()
    key = Key(pk=("GAME", game_id), sk="METADATA")


class GameState(Entity, table=games_table):
    """The current state of a game."""

    game_id: Attr[str] = attr(key_only=True)
    state: Attr[str] = attr(name="CurrentState")
    question_index: Attr[int] = attr(name="CurrentQuestionIndex")
    question_id: Attr[str | None] = attr(name="CurrentQuestionId", default=None)
    expires_at: Attr[datetime] = expires()
    key = Key(pk=("GAME", game_id), sk="STATE")


class Player(Entity, table=games_table):
    """A player and the total score."""

    game_id: Attr[str] = attr(key_only=True)
    name: Attr[str] = attr(name="PlayerName")
    total_score: Attr[int] = attr(name="TotalScore")
    expires_at: Attr[datetime] = expires()
    key = Key(pk=("GAME", game_id), sk=("PLAYER", name))


class Answer(Entity, table=games_table):
    """A player's answer to a question."""

    game_id: Attr[str] = attr(key_only=True)
    question: Attr[int] = attr(key_only=True)
    player_name: Attr[str] = attr(name="PlayerName")
    answer: Attr[str] = attr(name="Answer")
    expires_at: Attr[datetime] = expires()
    key = Key(pk=("GAME", game_id), sk=("ANSWER", padded(question, 3), player_name))


class Connection(Entity, table=games_table):
    """An open connection of a player, which expires after two hours."""

    connection_id: Attr[str] = attr(name="ConnectionId")
    game_id: Attr[str] = attr(name="GameId")
    player_name: Attr[str] = attr(name="PlayerName")
    expires_at: Attr[datetime] = expires()
    key = Key(pk=("CONNECTION", connection_id), sk="METADATA")


class QuestionSet(Entity, table=games_table):
    """A set of questions."""

    set_id: Attr[str] = attr(name="SetId")
    name: Attr[str] = attr(name="Name")
    total_questions: Attr[int] = attr(name="TotalQuestions")
    key = Key(pk="SETS", sk=("SET", set_id))


class Question(Entity, table=games_table):
    """A question of a set."""

    set_id: Attr[str] = attr(key_only=True)
    category: Attr[str] = attr(key_only=True)
    number: Attr[int] = attr(key_only=True)
    title: Attr[str] = attr(name="Title")
    key = Key(pk=("SET", set_id), sk=("QUESTION", category, padded(number, 3)))


def _items(now: datetime) -> list[object]:
    end = now + timedelta(days=14)
    scores = {"Ada": 30, "Grace": 50, "Linus": 20}
    answers = (
        (1, "Ada", "A loom that thinks"),
        (1, "Grace", "A bug in a relay"),
        (2, "Ada", "Not yet asked"),
    )
    questions = ("What was the first computer?", "Why bugs?")
    return [
        Game(
            game_id=GAME_ID,
            title="Team day",
            engagement_type="call-and-answer",
            question_set_id="warm-up",
            expires_at=end,
        ),
        GameState(game_id=GAME_ID, state="waiting", question_index=0, expires_at=end),
        *(
            Player(game_id=GAME_ID, name=name, total_score=score, expires_at=end)
            for name, score in scores.items()
        ),
        *(
            Answer(game_id=GAME_ID, question=n, player_name=name, answer=text, expires_at=end)
            for n, name, text in answers
        ),
        Connection(
            connection_id=CONNECTION_ID,
            game_id=GAME_ID,
            player_name="Ada",
            expires_at=now + TWO_HOURS,
        ),
        QuestionSet(set_id="warm-up", name="Warm-up", total_questions=len(questions)),
        *(
            Question(set_id="warm-up", category="history", number=number, title=title)
            for number, title in enumerate(questions, start=1)
        ),
    ]


def _ask_first_question(session: TourSession) -> GameState:
    return session.store.update(
        GameState.key(GAME_ID),
        GameState.state.set("question"),
        GameState.question_id.set("001"),
        GameState.question_index.add(1),
        if_=GameState.state == "waiting",
    )


GAMES = Design(
    title="Games",
    description="A live game with an audience: host, players, answers and open connections. Games "
    "are kept for two weeks and connections for two hours; then their TTL expires.",
    tables=(games_table,),
    items=_items,
    steps=(
        Step(
            title="Get Game State",
            document="PK = GAME#{gameId} AND SK = STATE",
            call=lambda session: session.store.get(GameState.key(GAME_ID), consistent=True),
            columns=("state", "question_index"),
            note='"Strong Consistency: Game state updates (critical for real-time sync)".',
        ),
        Step(
            title="Question state transition",
            document="CurrentState: string (waiting|question|voting|results|ended)",
            call=_ask_first_question,
            columns=("state", "question_id", "question_index"),
        ),
        Step(
            title="The same, from the host's second click",
            document="CurrentState: string (waiting|question|voting|results|ended)",
            call=_ask_first_question,
            note="The state is in the condition, so the server decides which click was first.",
            rejected=True,
        ),
        Step(
            title="Get All Players",
            document='PK = GAME#{gameId} AND begins_with(SK, "PLAYER#")',
            call=lambda session: [*session.store.query(Player.key.partition(GAME_ID))],
            columns=("name", "total_score"),
        ),
        Step(
            title="Get Question Answers",
            document='PK = GAME#{gameId} AND begins_with(SK, "ANSWER#{questionId}#")',
            call=lambda session: [*session.store.query(Answer.key.partition(GAME_ID).eq(1))],
            columns=("player_name", "answer"),
        ),
        Step(
            title="Get Question Sets",
            document='PK = SETS AND begins_with(SK, "SET#")',
            call=lambda session: [*session.store.query(QuestionSet.key.partition())],
            columns=("set_id", "name", "total_questions"),
            note="The document describes a set under PK = SET#{setId} but looks for it under SETS; "
            "it is stored where the document looks for it.",
        ),
    ),
)

_FEED_END = "The end of the change feed"
_NEW_CHANGES = "Changes since then"
_READ_CONNECTION = GetItem(
    games_table.name,
    {"PK": {"S": f"CONNECTION#{CONNECTION_ID}"}, "SK": {"S": "METADATA"}},
    return_consumed_capacity="INDEXES",
)

# Continues with the items of GAMES.
CHANGES_AND_EXPIRY = Design(
    title="Changes and expiry",
    description="Every write is appended to a change feed, in the same transaction and in commit "
    "order: use it for live pages and projections. Expired items are deleted when your program "
    "runs a sweep; the engine starts no threads.",
    tables=(),
    items=lambda now: [],
    steps=(
        Step(
            title=_FEED_END,
            document="an operation of singletable",
            call=lambda session: session.store.changes(Player, Connection, after=None),
        ),
        Step(
            title="Leaderboard updates",
            document="TotalScore: number (default: 0)",
            call=lambda session: session.store.update(
                Player.key(GAME_ID, "Ada"), Player.total_score.add(30)
            ),
            columns=("name", "total_score"),
        ),
        Step(
            title=_NEW_CHANGES,
            document="an operation of singletable",
            call=lambda session: session.store.changes(
                Player, Connection, after=session.results[_FEED_END].position
            ),
        ),
        Step(
            title="Two hours later: the connection",
            document="TTL: number (2 hours from connection)",
            call=lambda session: session.send(_READ_CONNECTION),
            columns=("ConnectionId", "PlayerName", "TTL"),
            note="Expired and still stored, as in DynamoDB: a request returns the item until it is "
            "swept. A store never returns expired items.",
            after=TWO_HOURS + timedelta(seconds=1),
        ),
        Step(
            title="Cleanup Process",
            document="DynamoDB TTL handles automatic cleanup",
            call=lambda session: session.send(SweepExpired(games_table.name)),
        ),
        Step(
            title="The connection after the sweep",
            document="GetItem",
            call=lambda session: session.send(_READ_CONNECTION),
        ),
        Step(
            title="The change feed distinguishes expiry from deletion",
            document="an operation of singletable",
            call=lambda session: session.store.changes(
                Player, Connection, after=session.results[_NEW_CHANGES].position
            ),
        ),
    ),
)

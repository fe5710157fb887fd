"""Games: `engagements-dev-table`, where almost everything expires."""

from __future__ import annotations

from singletable.cli.tour.chapter import Chapter, Fill, Walk, ask
from singletable.cli.tour.declare import key, table
from singletable.cli.tour.plain import PlainItem, to_item
from singletable.operations import (
    GetItem,
    Query,
    TimeToLiveSpecification,
    UpdateItem,
    UpdateTimeToLive,
)

GAMES_TABLE = "engagements-dev-table"
GAME = "GAME#4711"
TWO_HOURS = 2 * 60 * 60
TWO_WEEKS = 14 * 24 * 60 * 60
CONNECTION = key("CONNECTION#d3adb33f", "METADATA")


def fill(now: int) -> Fill:
    """A game that waits for its first question, with its players, and a set of questions."""
    metadata: PlainItem = {
        "PK": GAME,
        "SK": "METADATA",
        "GameId": "4711",
        "Title": "Team day",
        "EngagementType": "call-and-answer",
        "QuestionSetId": "warm-up",
    }
    state: PlainItem = {
        "PK": GAME,
        "SK": "STATE",
        "CurrentState": "waiting",
        "CurrentQuestionIndex": 0,
    }
    players: list[PlainItem] = [
        {"PK": GAME, "SK": f"PLAYER#{name}", "PlayerName": name, "TotalScore": score}
        for name, score in {"Ada": 30, "Grace": 50, "Linus": 20}.items()
    ]
    answers: list[PlainItem] = [
        {"PK": GAME, "SK": f"ANSWER#{question}#{name}", "PlayerName": name, "Answer": answer}
        for question, name, answer in (
            ("001", "Ada", "A loom that thinks"),
            ("001", "Grace", "A bug in a relay"),
            ("002", "Ada", "Not yet asked"),
        )
    ]
    connection: PlainItem = {
        "PK": "CONNECTION#d3adb33f",
        "SK": "METADATA",
        "ConnectionId": "d3adb33f",
        "GameId": "4711",
        "PlayerName": "Ada",
        "TTL": now + TWO_HOURS,
    }
    game = [metadata, state, *players, *answers]
    expiring: list[PlainItem] = [{**item, "TTL": now + TWO_WEEKS} for item in game]
    return {GAMES_TABLE: [*expiring, connection, *question_set("warm-up", "Warm-up")]}


def question_set(set_id: str, name: str) -> list[PlainItem]:
    """A set of questions, found where the document looks for it: under PK = SETS."""
    described: PlainItem = {"PK": "SETS", "SK": f"SET#{set_id}", "SetId": set_id, "Name": name}
    questions: list[PlainItem] = [
        {"PK": f"SET#{set_id}", "SK": f"QUESTION#history#{number:03}", "Title": title}
        for number, title in enumerate(("What was the first computer?", "Why bugs?"), start=1)
    ]
    return [{**described, "TotalQuestions": len(questions)}, *questions]


def walk(now: int) -> Walk[None]:
    """Ask the first question, and see who is there and what they answered."""
    yield from ask(
        "Get Game State",
        "PK = GAME#{gameId} AND SK = STATE",
        GetItem(GAMES_TABLE, key(GAME, "STATE"), consistent_read=True),
        columns=("CurrentState", "CurrentQuestionIndex"),
        remark='"Strong Consistency: Game state updates (critical for real-time sync)".',
    )
    ask_first = UpdateItem(
        GAMES_TABLE,
        key(GAME, "STATE"),
        update_expression="SET CurrentState = :next, CurrentQuestionId = :question "
        "ADD CurrentQuestionIndex :one",
        condition_expression="CurrentState = :now",
        expression_attribute_values=to_item(
            {":now": "waiting", ":next": "question", ":question": "001", ":one": 1}
        ),
        return_values="ALL_NEW",
    )
    yield from ask(
        "Question state transition",
        "CurrentState: string (waiting|question|voting|results|ended)",
        ask_first,
        columns=("CurrentState", "CurrentQuestionId", "CurrentQuestionIndex"),
    )
    yield from ask(
        "The same, from the host's second click",
        "CurrentState: string (waiting|question|voting|results|ended)",
        ask_first,
        remark="The state is in the condition, so the server decides who was first.",
        refused=True,
    )
    yield from ask(
        "Get All Players",
        'PK = GAME#{gameId} AND begins_with(SK, "PLAYER#")',
        _beginning_with(GAME, "PLAYER#"),
        columns=("PlayerName", "TotalScore"),
    )
    yield from ask(
        "Get Question Answers",
        'PK = GAME#{gameId} AND begins_with(SK, "ANSWER#{questionId}#")',
        _beginning_with(GAME, "ANSWER#001#"),
        columns=("PlayerName", "Answer"),
    )
    yield from ask(
        "Get Question Sets",
        'PK = SETS AND begins_with(SK, "SET#")',
        _beginning_with("SETS", "SET#"),
        columns=("SetId", "Name", "TotalQuestions"),
        remark="The document describes a set under PK = SET#{setId} and looks for it under SETS; "
        "it is stored where it is looked for.",
    )


def _beginning_with(partition: str, prefix: str) -> Query:
    return Query(
        GAMES_TABLE,
        key_condition_expression="PK = :pk AND begins_with(SK, :sk)",
        expression_attribute_values=to_item({":pk": partition, ":sk": prefix}),
    )


GAMES = Chapter(
    title="Games",
    about="A live game with an audience: host, players, answers, open connections. Games are kept "
    "for two weeks, connections for two hours; time to live removes them.",
    tables=(table(GAMES_TABLE),),
    times_to_live=(UpdateTimeToLive(GAMES_TABLE, TimeToLiveSpecification(True, "TTL")),),
    fill=fill,
    walk=walk,
)

"""Every access pattern of games: the document's seven and its batch operations, then additions."""

from __future__ import annotations

from singletable import (
    ItemCount,
    PatternCatalog,
    Selection,
    clears,
    creates,
    deletes,
    per_day,
    per_minute,
    per_second,
    puts,
    updates,
)
from singletable_apps.games.entities import (
    Answer,
    AudienceQuestion,
    BallotPart,
    Game,
    GameContent,
    GameEntry,
    GameFile,
    GameState,
    JoinCode,
    Player,
    PlayerName,
    Process,
    QuestionSet,
    ResultPart,
    Round,
    SetQuestion,
    SetVersion,
    Vote,
    engagements,
)

# A busy evening: 100 games at once with 30 players each, one of them with 1,000 players, a question
# every minute. Games are kept for two weeks.
# Bytes of an item, and the number of items.
_ITEMS: dict[type, tuple[int, int | ItemCount]] = {
    Game: (1_500, 2_000),
    GameState: (600, 2_000),
    Player: (350, 60_000),
    PlayerName: (200, 60_000),
    GameContent: (15_000, 2_000),
    Round: (600, 24_000),
    BallotPart: (8_000, 8_000),
    ResultPart: (6_000, 20_000),
    Answer: (400, 600_000),
    Vote: (400, 200_000),
    AudienceQuestion: (350, 10_000),
    Process: (300, 200),
    JoinCode: (150, 2_000),
    GameEntry: (350, ItemCount(50_000, growth=0.05)),
    QuestionSet: (700, ItemCount(2_000, shares={"by_name": 0.05})),
    SetVersion: (900, 20_000),
    SetQuestion: (900, 400_000),
}
patterns = PatternCatalog(
    "games",
    engagements,
    sizes={entity: size for entity, (size, _) in _ITEMS.items()},
    counts={entity: count for entity, (_, count) in _ITEMS.items()},
)

read, write, read_function = patterns.read, patterns.write, patterns.read_function

# ------------------------------------------------------------------------------ the document's

game_state = read("AP1", "Get game state", GameState.key, consistent=True, rate=per_second(500))
game_metadata = read("AP2", "Get game metadata", Game.key, rate=per_second(500))
all_players = read(
    "AP3", "Get all players", Player.key.partition, consistent=True, items=30, rate=per_second(20)
)


@read_function("AP4", consistent=True, items=30, rate=per_second(5))
def question_answers(game_id: str, question_id: str) -> Selection[Answer]:
    """Get question answers."""
    return Answer.key.partition(game_id).eq(question_id)


@read_function("AP5", consistent=True, items=30, rate=per_second(2))
def question_votes(game_id: str, question_id: str) -> Selection[Vote]:
    """Get question votes."""
    return Vote.key.partition(game_id).eq(question_id)


all_sets = read("AP6", "Get question sets", QuestionSet.key.partition, items=100, rate=per_day(100))


@read_function("AP7", consistent=True, items=20, rate=per_minute(5))
def set_questions(set_id: str, set_version: int, attempt: str) -> Selection[SetQuestion]:
    """Get set questions, of one version of the set."""
    return SetQuestion.key.partition(set_id).eq(set_version).eq(attempt)


@read_function("B1", consistent=True, items=1, rate=per_second(20))
def leaderboard(game_id: str, question_id: str, attempt: str) -> Selection[ResultPart]:
    """Player leaderboard: the standings after a round."""
    return ResultPart.key.partition(game_id).eq(question_id).eq(attempt)


@read_function("B2", consistent=True, items=1, rate=per_second(20))
def question_ballot(game_id: str, question_id: str, attempt: str) -> Selection[BallotPart]:
    """Question results: the frozen answers of a round."""
    return BallotPart.key.partition(game_id).eq(question_id).eq(attempt)


read(
    "B3",
    "Game summary: a whole game but for its answers",
    Game.key.partition,
    collection=GameFile,
    items=80,
    rate=per_minute(10),
)

# ------------------------------------------------------------------------------ games

write("G1", "Store the questions of a new game", puts(GameContent), rate=per_day(150))
write(
    "G2",
    "Create a game",
    creates(JoinCode),
    creates(Game),
    creates(GameState),
    creates(GameEntry),
    rate=per_day(150),
)
game_by_code = read("G3", "Find a game by its code", JoinCode.key, rate=per_second(10))
game_content = read(
    "G4",
    "Read the questions of a game",
    GameContent.key.partition,
    consistent=True,
    items=1,
    rate=per_minute(10),
)
write("G5", "Change a game", puts(Game), updates(GameEntry, GameEntry.title), rate=per_day(500))
write(
    "G6",
    "Replace the links of a role, or lead to the next game",
    updates(Game, Game.links, Game.next_game, Game.revision),
    rate=per_day(50),
)
games_of_host = read(
    "G7", "List the games of a host", GameEntry.by_host, items=20, rate=per_minute(5)
)
all_games = read("G8", "List all games", GameEntry.key.partition, items=20, rate=per_day(20))
game_entry = read("G13", "Find a game in the history", GameEntry.key, rate=per_day(50))
write("G9", "Delete a join code", deletes(JoinCode), rate=per_day(5))
write("G11", "Delete the answers and votes of a game", clears(Answer), rate=per_day(5))
write("G12", "Delete the rest of a game", clears(Game), rate=per_day(5))
write("G10", "Delete a game from the history", deletes(GameEntry), rate=per_day(5))

# ------------------------------------------------------------------------------ players

player = read("P1", "Get a player", Player.key, consistent=True, rate=per_second(100))
write("P2", "Join a game", creates(PlayerName), creates(Player), rate=per_second(20))
write(
    "P3",
    "Rename a player",
    creates(PlayerName),
    deletes(PlayerName),
    updates(Player, Player.name),
    rate=per_day(50),
)
write(
    "P8",
    "Go on in a homework",
    updates(Player, Player.attempt, Player.position, Player.asked_at, Player.last_seen_at),
    rate=per_minute(50),
)
write("P7", "Spell the name of a player otherwise", updates(Player, Player.name), rate=per_day(5))
write(
    "P4",
    "Move a player to a team, or remove a player",
    updates(Player, Player.team, Player.is_active),
    rate=per_day(500),
)
# As many leave as join, and a phone that falls asleep leaves, too: say, one of four in each minute.
# When a lesson ends, many rooms go home at once, and each notes at most 50 players a second.
write(
    "P9",
    "Note when a player was here last",
    updates(Player, Player.last_seen_at),
    rate=per_second(35, peak=per_second(1_000)),
)
player_name = read(
    "P6", "Check whether names are taken", PlayerName.key, items=8, rate=per_second(1)
)
write(
    "P5",
    "Copy a score to a player",
    updates(Player, Player.total_score, Player.rank, Player.scored_through),
    rate=per_second(50),
)

# ------------------------------------------------------------------------------ rounds

write("R1", "Ask a question", puts(GameState), puts(Round), rate=per_second(2))
write(
    "R9",
    "Show the results of a question, or the ballot",
    puts(GameState),
    updates(
        Round,
        *(Round.completed_at, Round.is_void, Round.ballot, Round.result),
        *(Round.answers, Round.votes, Round.tally, Round.left_out, Round.accepted),
    ),
    rate=per_second(3),
)
write("R2", "Change the phase of a game", puts(GameState), rate=per_second(5))
write("R3", "Store the results of a survey", creates(Round), rate=per_minute(20))
write("R4", "Freeze answers for the vote", puts(BallotPart), rate=per_second(1))
write("R5", "Store the standings after a round", puts(ResultPart), rate=per_second(2))
played_round = read("R6", "Get a played question", Round.key, consistent=True, rate=per_second(20))
played_rounds = read(
    "R7",
    "List the played questions",
    Round.key.partition,
    consistent=True,
    items=12,
    rate=per_minute(20),
)
write("R10", "Hide a frozen answer, or show it", updates(Round, Round.hidden), rate=per_day(100))
write("R11", "Store the summary of answers", updates(Round, Round.summary), rate=per_day(100))
write(
    "R8",
    "End a game, and note it in the history",
    puts(GameState),
    updates(
        GameEntry,
        *(GameEntry.completed_at, GameEntry.player_count),
        *(GameEntry.question_count, GameEntry.duration),
    ),
    rate=per_day(150),
)

write("R12", "Change the deadline of a homework", puts(Game), puts(GameState), rate=per_day(20))

# ------------------------------------------------------------------------------ answers

write(
    "A1", "Answer a trivia question", creates(Answer), rate=per_second(50, peak=per_second(5_000))
)
write("A2", "Answer any other question", puts(Answer), rate=per_second(20, peak=per_second(5_000)))
write("A3", "Rank the answers of others", puts(Vote), rate=per_second(10, peak=per_second(1_000)))
answer = read("A4", "Get the answers of a player", Answer.key, consistent=True, rate=per_second(50))
vote = read("A5", "Get the vote of a player", Vote.key, consistent=True, rate=per_second(20))

write("A6", "Approve or hide an answer", updates(Answer, Answer.status), rate=per_minute(5))

write("A7", "Let a better attempt without this answer count", deletes(Answer), rate=per_day(20))

# ------------------------------------------------------------------------------ audience questions

asked_questions = read(
    "Q1",
    "List the questions to the host",
    AudienceQuestion.key.partition,
    consistent=True,
    items=20,
    rate=per_second(5),
)
write("Q2", "Ask the host", creates(AudienceQuestion), rate=per_second(1))
write("Q3", "Vote for a question, or not", updates(Player, Player.upvotes), rate=per_second(5))
write(
    "Q4",
    "Show, answer or hide a question",
    updates(AudienceQuestion, AudienceQuestion.status, AudienceQuestion.shown_in),
    rate=per_minute(5),
)

# ------------------------------------------------------------------------------ processes

write("C1", "Tell other processes what this one knows", puts(Process), rate=per_second(50))
processes = read(
    "C2",
    "Add up what the processes know",
    Process.key.partition,
    consistent=True,
    items=2,
    rate=per_second(100),
)
write("C3", "Stop to serve a game", deletes(Process), rate=per_minute(5))
patterns.feed("C4", "Follow what other processes do", GameState, Process)

# ------------------------------------------------------------------------------ question sets

question_set = patterns.crud(
    "S1 S4 S7 S14",
    "a question set",
    QuestionSet.key,
    update=puts(QuestionSet),
    consistent=True,
    reads=per_minute(20),
    writes=per_day(50),
)
sets_of_host = read(
    "S2", "List the sets of a host", QuestionSet.by_host, items=10, rate=per_minute(5)
)
shared_sets = read(
    "S3", "List the sets that all hosts can play", QuestionSet.by_name, items=30, rate=per_minute(5)
)
write("S5", "Store the questions of a new version", puts(SetQuestion), rate=per_day(5_000))
save_set = write(
    "S6",
    "Make a new version of a set visible",
    puts(QuestionSet),
    creates(SetVersion),
    rate=per_day(500),
)
set_versions = read(
    "S8", "List the versions of a set", SetVersion.key.partition, items=10, rate=per_day(500)
)
set_version = read(
    "S9", "Get a version of a set", SetVersion.key, consistent=True, rate=per_day(20)
)


@read_function("S10", consistent=True, items=20, rate=per_day(500))
def stored_questions(set_id: str, set_version: int) -> Selection[SetQuestion]:
    """Find the questions of a version, also those of interrupted saves."""
    return SetQuestion.key.partition(set_id).eq(set_version)


write("S13", "Delete the questions of an old version", deletes(SetQuestion), rate=per_day(5_000))
write("S17", "Delete an old version", deletes(SetVersion), rate=per_day(400))

patterns.check()

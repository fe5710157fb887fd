"""Sample data: question sets for every host, two games that have ended, and one that waits."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from msgspec import structs

from singletable_apps.games.entities import Game, GameSettings, engagements
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import Question, QuestionType, Visibility
from singletable_apps.games.scoring import required_ranks
from singletable_apps.games.service import GamesService, open_games
from singletable_apps.games.service.answers import Submission
from singletable_apps.games.service.games import draft_from_set
from singletable_apps.games.service.sets import ADMIN
from singletable_apps.games.set_library import load_samples
from singletable_apps.games.tokens import new_id
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.serve import open_driver

# The host of the sample games; the home page has a link that makes a browser this host's.
SAMPLE_HOST = "samplehost000000"
_NAMES = (
    *("Amara", "Bo", "Chidi", "Dolores", "Elif", "Farid", "Greta"),
    *("Hiro", "Ines", "Jonas", "Kavya", "Lucia", "Mateo", "Noor"),
)
# The sample sets of the two games that have ended, how many days ago, and of the one that waits.
_ENDED = (("curious-planet", 3), ("lessons-of-great-teams", 1))
_WAITING = "all-hands-warm-up"
# What people have answered to the written questions, by the title of the question.
_TEXTS: dict[str, list[str]] = json.loads(Path(__file__).with_name("answers.json").read_bytes())


@dataclass
class _Clock:
    """A clock that the sample moves, so that games of last week have plausible times."""

    now: datetime
    random: Random = field(default_factory=lambda: Random(7))

    def __call__(self) -> datetime:
        return self.now

    def move(self, least: float, most: float) -> None:
        self.now += timedelta(seconds=round(self.random.uniform(least, most), 1))


def create_sample(service: GamesService, progress: Callable[[int, int], None]) -> None:
    """Create the sample sets, and games of the sample host.

    They are played in memory and then copied: each write to a file waits for the disk.
    """
    if service.sets.list_shared():
        raise InvalidInput({"address": "There are games already. Choose other tables."})
    context, now = service.context, service.context.clock()
    with open_driver("memory:") as memory:
        clock = _Clock(now)
        played = open_games(
            memory,
            context.secret,
            environment=context.environment,
            urls=context.urls,
            clock=clock,
        )
        set_ids = {
            name: played.sets.create(ADMIN, replace(draft, visibility=Visibility.SHARED)).set_id
            for name, draft in load_samples().items()
        }
        for name, days in _ENDED:
            clock.now = now - timedelta(days=days, hours=2)
            _play(played, clock, _create(played, set_ids[name]))
        clock.now = now
        waiting = _create(played, set_ids[_WAITING])
        for name in _NAMES[:3]:
            played.players.join(waiting.game_id, name)
        scan = played.context.store.admin.scan
        items = list[object]()
        for entity in engagements.entities:
            items += scan(entity)
        context.store.bulk_load(items)
        progress(1, 1)


def _create(service: GamesService, set_id: str) -> Game:
    loaded = service.sets.load_for_game(set_id, SAMPLE_HOST)
    draft = draft_from_set(loaded.draft, set_id, loaded.item.set_version)
    return service.games.create(SAMPLE_HOST, replace(draft, settings=GameSettings(min_cell=3)))


def _play(service: GamesService, clock: _Clock, game: Game) -> None:
    """Play a game to its end, with answers that differ from player to player."""
    players = [service.players.join(game.game_id, name).player.player_id for name in _NAMES]
    skill = {player: clock.random.uniform(0.35, 0.95) for player in players}
    questions = service.context.get_questions(game)
    state = service.rounds.command(game.game_id, Command.START)
    while state.phase is not Phase.ENDED:
        clock.move(3, 6)
        if state.phase is Phase.OPEN:
            question, sent = questions[state.question_index], list[tuple[str, Submission]]()
            for player in clock.random.sample(players, len(players) - 1):
                clock.move(0.2, 1.2)
                answer = _answer(clock, question, player, state.question_id, skill[player])
                sent.append((game.game_id, answer))
            service.answers.submit_many(sent)
        elif state.phase is Phase.VOTING:
            _vote(service, clock, game, players)
        state = service.rounds.command(game.game_id, Command.NEXT)


def _answer(
    clock: _Clock, question: Question, player: str, question_id: str, skill: float
) -> Submission:
    random, ids = clock.random, [option.id for option in question.choices]
    sent = Submission(player, question_id, clock(), client_id=new_id())
    match question.type:
        case QuestionType.RATING:
            steps = question.scale.steps
            return structs.replace(sent, number=random.choice(steps[len(steps) // 2 :]))
        case QuestionType.SLIDER:
            steps = range(question.low, question.high + 1, question.step)
            far = 2 * question.tolerance
            near = [each for each in steps if abs(each - (question.target or 0)) <= far]
            return structs.replace(
                sent, number=random.choice(near if random.random() < skill else steps)
            )
        case QuestionType.TYPED if random.random() < skill:
            return structs.replace(sent, text=random.choice(question.options).text)
        case QuestionType.TRIVIA | QuestionType.ORDER if random.random() < skill:
            return structs.replace(sent, choices=question.correct)
        case QuestionType.RANK | QuestionType.ORDER:
            return structs.replace(sent, choices=tuple(random.sample(ids, len(ids))))
        case QuestionType.CALL_AND_ANSWER | QuestionType.TEXT | QuestionType.TYPED:
            return structs.replace(sent, text=random.choice(_TEXTS[question.title]))
        case _:
            return structs.replace(sent, choices=(random.choice(ids),))


def _vote(service: GamesService, clock: _Clock, game: Game, players: list[str]) -> None:
    state = service.context.get_state(game.game_id)
    entry = service.game_store.get_round(game.game_id, state.question_id)
    assert entry is not None
    for player in players[:-2]:
        clock.move(0.5, 2)
        offered = [*service.game_store.offered_to(game, entry, player)]
        ranking = clock.random.sample(offered, required_ranks(len(offered)))
        service.answers.vote(game.game_id, player, state.question_id, ranking)


def list_sample(service: GamesService) -> SampleData | None:
    """Return links into the sample data that still exists, or None."""
    entries = service.rounds.list_of_host(SAMPLE_HOST, size=10).items
    if not entries:
        return None
    urls, context = service.context.urls, service.context
    host, admin = context.tokens.host_token(SAMPLE_HOST), context.tokens.admin_token()
    links = [
        SampleEntry(
            "Host",
            "The host of the sample games: start the one that waits, or read a report.",
            urls.page("host-link", token=host),
        ),
        SampleEntry(
            "Administrator", "All games and question sets.", urls.page("admin-link", token=admin)
        ),
    ]
    for each in (each for each in entries if each.completed_at is None):
        code = context.get_game(each.game_id).join_code
        links.append(SampleEntry("Player", f"Join “{each.title}” with {code}.", urls.join(code)))
    return SampleData(tuple(links))

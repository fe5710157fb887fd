"""A test world: a driver, a clock that tests move, and the service on them."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Driver
from singletable_apps.games.entities import Game, GameSettings, GameState, engagements
from singletable_apps.games.kinds import check_question
from singletable_apps.games.patterns import patterns
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import (
    EngagementType,
    Question,
    QuestionType,
    make_options,
)
from singletable_apps.games.service import GamesService, open_games
from singletable_apps.games.service.answers import Receipt, Submission
from singletable_apps.games.service.games import GameDraft
from singletable_apps.games.tokens import new_id
from singletable_apps.games.urls import Urls
from tests.apps.support.worlds import AppWorld

SECRET = b"of tests" * 4
PUBLIC = "https://games.example"
HOST = new_id()

CAPITAL = Question(
    QuestionType.TRIVIA,
    "What is the capital of Australia?",
    category="Places",
    options=make_options(["Sydney", "Canberra", "Perth", "Hobart"]),
    correct=("b",),
    seconds=20,
    explanation="Canberra was founded as a compromise between Sydney and Melbourne.",
)
PRIMES = Question(
    QuestionType.TRIVIA,
    "Which of these are prime?",
    category="Numbers",
    options=make_options(["2", "9", "11", "15"]),
    correct=("a", "c"),
    seconds=20,
)
LESSON = Question(
    QuestionType.CALL_AND_ANSWER, "What slowed us down?", category="Lessons", seconds=60
)
LUNCH = Question(
    QuestionType.CHOICE,
    "Where shall we eat?",
    category="Polls",
    options=make_options(["Noodles", "Salad", "Pizza"]),
)
SURVEY = (
    Question(QuestionType.RATING, "How was the workshop?", category="General"),
    Question(QuestionType.YES_NO, "Would you come again?", category="General"),
    Question(QuestionType.TEXT, "What should change?", category="General"),
    Question(
        QuestionType.RANK,
        "What matters most?",
        category="General",
        options=make_options(["Time", "Cost", "Quality"]),
    ),
)
# A slider, an order, and a typed answer, as they are stored.
MOON = Question(
    *(QuestionType.SLIDER, "When did people first walk on the Moon?"),
    low=1900,
    high=2000,
    target=1969,
    tolerance=10,
    seconds=20,
)
PLANETS, _ = check_question(
    Question(
        *(QuestionType.ORDER, "From small to large?"),
        options=make_options(["Mercury", "Mars", "Venus", "Jupiter"]),
        seconds=20,
    )
)
PAINTER, _ = check_question(
    Question(
        *(QuestionType.TYPED, "Who painted Guernica?"),
        options=make_options(["Picasso", "Pablo Picasso"]),
        seconds=20,
    )
)
# No reading phase, so that tests answer at once.
SETTINGS = GameSettings(reading_seconds=0)


@dataclass(frozen=True)
class Phone:
    """A player in a test, who answers and votes."""

    world: World
    game_id: str
    player_id: str
    name: str
    token: str

    def answer_id(self, question_id: str = "001") -> str:
        """Return the id that hosts use to approve or hide the answer to a question."""
        tokens = self.world.service.context.tokens
        return tokens.answer_id(self.game_id, question_id, self.player_id)

    def answer(
        self, *choices: str, text: str = "", number: int | None = None, question_id: str = ""
    ) -> Receipt:
        """Answer the current question, or the one with this id."""
        service = self.world.service
        question = question_id or service.context.get_state(self.game_id).question_id
        return service.answers.submit(
            self.game_id,
            Submission(
                self.player_id,
                question,
                self.world.clock(),
                text=text,
                choices=choices,
                number=number,
                client_id=new_id(),
            ),
        )

    def vote(self, *ranking: str) -> Receipt:
        service = self.world.service
        question_id = service.context.get_state(self.game_id).question_id
        return service.answers.vote(self.game_id, self.player_id, question_id, ranking)


class World(AppWorld[GamesService]):
    """Games of one host."""

    patterns = patterns
    tables = (engagements,)

    def open(self, driver: Driver | None = None) -> GamesService:
        """Open another service on the same table, as another process would have it."""
        return open_games(
            driver or self.driver,
            SECRET,
            urls=Urls(public=PUBLIC),
            clock=self.clock,
            observers=[self.calls.append],
        )

    def game(
        self,
        *questions: Question,
        kind: EngagementType = EngagementType.MIXED,
        settings: GameSettings = SETTINGS,
        access_code: str = "",
        set_id: str = "",
    ) -> Game:
        draft = GameDraft(
            title="Friday quiz",
            type=kind,
            questions=questions or (CAPITAL,),
            settings=settings,
            access_code=access_code,
            set_id=set_id,
        )
        return self.service.games.create(HOST, draft)

    def join(self, game: Game, *names: str) -> list[Phone]:
        phones: list[Phone] = []
        for name in names:
            joined = self.service.players.join(game.game_id, name)
            phones.append(Phone(self, game.game_id, joined.player.player_id, name, joined.token))
        return phones

    def play(self, game: Game, *commands: Command) -> GameState:
        """Execute commands of the host, and return the last state."""
        state = self.service.context.get_state(game.game_id)
        for command in commands:
            state = self.service.rounds.command(game.game_id, command)
        return state

    def play_to(self, game: Game, phase: Phase) -> GameState:
        state = self.service.context.get_state(game.game_id)
        for _ in range(50):
            if state.phase is phase:
                return state
            state = self.play(game, Command.NEXT)
        raise AssertionError(f"The game does not reach {phase}.")

    def totals(self, game: Game) -> dict[str, int]:
        """Return the total points by the name of the player."""
        snapshot = self.service.snapshots.read(game.game_id)
        return {snapshot.name_of(each.player): each.total for each in snapshot.standings}

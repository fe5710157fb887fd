"""Questions and question sets as values; `kinds.py` has the rules for what they may contain.

A `Question` is the same value everywhere: in the editor, in files that are imported and exported,
in a set, and in a running game, which keeps the questions it started with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_TITLE, MAX_DETAIL, MAX_OPTION, MAX_CATEGORY = 300, 2_000, 150, 60
MAX_QUESTIONS, MAX_CATEGORIES = 300, 40
MIN_SECONDS, MAX_SECONDS = 5, 600
DEFAULT_INSTRUCTION = "How could you adapt this lesson to your work, project, or team?"


class QuestionType(StrEnum):
    """How people answer a question, and what follows."""

    CALL_AND_ANSWER = "call-and-answer"
    TRIVIA = "trivia"
    CHOICE = "choice"
    RATING = "rating"
    YES_NO = "yes-no"
    RANK = "rank"
    TEXT = "text"
    SLIDER = "slider"
    ORDER = "order"
    TYPED = "typed"


class EngagementType(StrEnum):
    """What a game or a set is about. A mixed one has questions of all types, asked one by one."""

    CALL_AND_ANSWER = "call-and-answer"
    TRIVIA = "trivia"
    POLL = "poll"
    SURVEY = "survey"
    MIXED = "mixed"


ENGAGEMENT_NAMES: dict[EngagementType, str] = {
    EngagementType.TRIVIA: "Trivia",
    EngagementType.CALL_AND_ANSWER: "Call and answer",
    EngagementType.POLL: "Poll",
    EngagementType.SURVEY: "Survey",
    EngagementType.MIXED: "Mixed",
}


class Scale(StrEnum):
    """The steps of a rating."""

    FIVE = "1-5"
    TEN = "1-10"
    ELEVEN = "0-10"
    STARS = "stars"

    @property
    def steps(self) -> range:
        """Return the numbers that can be chosen."""
        return {"1-10": range(1, 11), "0-10": range(11)}.get(self.value, range(1, 6))


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question. The id is a letter, a to h, by its place in the editor."""

    id: str
    text: str
    image: str = ""


YES_NO_OPTIONS = (Option("yes", "Yes"), Option("no", "No"))
OPTION_IDS = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `correct` has the ids of the correct options, or of all options in their order.

    A slider goes from `low` to `high` in steps; answers within the `tolerance` of the `target` are
    right. The options of a typed question are the answers that are accepted.

    `seconds` is the time limit: None for the game's own, 0 for no limit. `points` None is the
    game's own, too. `selections` is how many options one may choose, or how many points a rating
    has. `image` is a URL of this site or of the web.
    """

    type: QuestionType
    title: str
    detail: str = ""
    category: str = ""
    school: str = ""
    instruction: str = ""
    options: tuple[Option, ...] = ()
    correct: tuple[str, ...] = ()
    seconds: int | None = None
    points: int | None = None
    explanation: str = ""
    image: str = ""
    selections: int = 1
    scale: Scale = Scale.FIVE
    low_label: str = ""
    high_label: str = ""
    longest: int = 280
    tags: tuple[str, ...] = ()
    low: int = 0
    high: int = 100
    step: int = 1
    target: int | None = None
    tolerance: int = 0

    @property
    def choices(self) -> tuple[Option, ...]:
        """Return the options that people see: the two of a yes-no question, none of a typed one."""
        fixed = {QuestionType.YES_NO: YES_NO_OPTIONS, QuestionType.TYPED: ()}
        return fixed.get(self.type, self.options)

    @property
    def listed(self) -> tuple[Option, ...]:
        """Return the options as the author lists them: an order in its right order."""
        if self.type is not QuestionType.ORDER or len(self.correct) < len(self.options):
            return self.options
        return tuple(sorted(self.options, key=lambda each: self.correct.index(each.id)))


def make_options(texts: Sequence[str]) -> tuple[Option, ...]:
    """Return options with the ids a, b, c … for these texts."""
    return tuple(Option(OPTION_IDS[place], text) for place, text in enumerate(texts))


@dataclass(frozen=True, slots=True)
class Category:
    """A category of a set, such as a round of a quiz."""

    name: str
    description: str = ""


class Visibility(StrEnum):
    """Visibility of a set: to its host, everybody with the link to it, or every host."""

    PRIVATE = "private"
    LINK = "link"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class SetDraft:
    """A whole question set, as an editor or a file has it.

    `instruction` is shown to players unless a question has its own. `ai_instruction` goes to the
    summary of answers. Only active sets are offered when a game is created.
    """

    name: str
    description: str = ""
    type: EngagementType = EngagementType.MIXED
    instruction: str = ""
    ai_instruction: str = ""
    categories: tuple[Category, ...] = ()
    questions: tuple[Question, ...] = ()
    visibility: Visibility = Visibility.PRIVATE
    is_active: bool = True

"""Questions and question sets as values, and the rules for what they may contain.

A `Question` is the same value everywhere: in the editor, in files that are imported and exported,
in a set, and in a running game, which keeps the questions it started with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from singletable_apps.shared.text import InputChecks

MAX_TITLE, MAX_DETAIL, MAX_OPTION, MAX_CATEGORY = 300, 2_000, 150, 60
MAX_QUESTIONS, MAX_CATEGORIES = 300, 40
MIN_SECONDS, MAX_SECONDS = 5, 600
MAX_POINTS = 2_000
MAX_TAGS = 10
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


QUESTION_NAMES: dict[QuestionType, str] = {
    QuestionType.TRIVIA: "Trivia",
    QuestionType.CALL_AND_ANSWER: "Call and answer",
    QuestionType.CHOICE: "Choice",
    QuestionType.RATING: "Rating",
    QuestionType.YES_NO: "Yes or no",
    QuestionType.RANK: "Ranking",
    QuestionType.TEXT: "Free text",
}
# Questions that people answer with a text.
WRITTEN = (QuestionType.CALL_AND_ANSWER, QuestionType.TEXT)
# Questions for an opinion: nobody gets points.
OPINIONS = frozenset(QuestionType) - {QuestionType.CALL_AND_ANSWER, QuestionType.TRIVIA}


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
ALLOWED: dict[EngagementType, frozenset[QuestionType]] = {
    EngagementType.CALL_AND_ANSWER: frozenset({QuestionType.CALL_AND_ANSWER}),
    EngagementType.TRIVIA: frozenset({QuestionType.TRIVIA}),
    EngagementType.POLL: OPINIONS,
    EngagementType.SURVEY: OPINIONS,
    EngagementType.MIXED: frozenset(QuestionType),
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


# How many options each type has. A yes-no question has the two of YES_NO_OPTIONS.
OPTION_COUNTS: dict[QuestionType, tuple[int, int]] = {
    QuestionType.TRIVIA: (1, 8),
    QuestionType.CHOICE: (2, 8),
    QuestionType.RANK: (3, 7),
}


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
    """A question. `correct` has the ids of the correct options of a trivia question.

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

    @property
    def choices(self) -> tuple[Option, ...]:
        """Return the options that people choose from, also for a yes-no question."""
        return YES_NO_OPTIONS if self.type is QuestionType.YES_NO else self.options


def make_options(texts: Sequence[str]) -> tuple[Option, ...]:
    """Return options with the ids a, b, c … for these texts."""
    return tuple(Option(OPTION_IDS[place], text) for place, text in enumerate(texts))


@dataclass(frozen=True, slots=True)
class Category:
    """A category of a set, such as a round of a quiz."""

    name: str
    description: str = ""


class Visibility(StrEnum):
    """Who can play a set: its host, everybody with the link to it, or every host."""

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


# ------------------------------------------------------------------------------ checks

_IMAGE = re.compile(r"/games/images/[0-9a-f]{8,64}_\d{1,5}x\d{1,5}(/\d{2,4}\.webp)?")


def check_question(question: Question) -> tuple[Question, dict[str, str]]:
    """Return the question with its texts normalized, and a sentence for each invalid field."""
    checks = InputChecks()
    normalized = replace(
        question,
        title=checks.line("title", question.title, longest=MAX_TITLE, required=True),
        detail=checks.text("detail", question.detail, longest=MAX_DETAIL),
        category=checks.line("category", question.category, longest=MAX_CATEGORY),
        school=checks.line("school", question.school, longest=MAX_CATEGORY),
        instruction=checks.text("instruction", question.instruction, longest=MAX_TITLE),
        explanation=checks.text("explanation", question.explanation, longest=MAX_DETAIL),
        low_label=checks.line("low_label", question.low_label, longest=40),
        high_label=checks.line("high_label", question.high_label, longest=40),
        options=tuple(
            replace(option, text=checks.line(f"options/{place}", option.text, longest=MAX_OPTION))
            for place, option in enumerate(question.options)
        ),
        tags=tuple(checks.line("tags", tag, longest=30) for tag in question.tags if tag.strip()),
    )
    _check_options(checks, normalized)
    _check_numbers(checks, normalized)
    for field, image in (
        ("image", normalized.image),
        *((f"options/{place}", each.image) for place, each in enumerate(normalized.options)),
    ):
        if image and not _IMAGE.fullmatch(image):
            checks.reject(field, "Upload the image; links to other sites are not shown.")
    if len(normalized.tags) > MAX_TAGS:
        checks.reject("tags", f"Use at most {MAX_TAGS} tags.")
    return normalized, checks.errors


def _check_options(checks: InputChecks, question: Question) -> None:
    least, most = OPTION_COUNTS.get(question.type, (0, 0))
    count = len(question.options)
    if not least <= count <= most:
        expected = f"{least} to {most} options" if most else "no options"
        checks.reject("options", f"A {question.type} question has {expected}; there are {count}.")
    seen = set[str]()
    for place, option in enumerate(question.options):
        folded = option.text.casefold()
        if not option.text and not option.image:
            checks.reject(f"options/{place}", "Please fill this in, or add an image.")
        elif folded and folded in seen:
            checks.reject(f"options/{place}", "Two options have the same text.")
        seen.add(folded)
    ids = [option.id for option in question.options]
    if len(set(ids)) < count:
        checks.reject("options", "Two options have the same id.")
    if question.type is QuestionType.TRIVIA:
        if not question.correct:
            checks.reject("correct", "Mark at least one option as correct.")
    elif question.correct:
        checks.reject("correct", "Only trivia questions have correct answers.")
    if not set(question.correct) <= set(ids):
        checks.reject("correct", "A correct answer is not among the options.")


def _check_numbers(checks: InputChecks, question: Question) -> None:
    seconds, points = question.seconds, question.points
    if seconds and not MIN_SECONDS <= seconds <= MAX_SECONDS:
        checks.reject("seconds", f"Use {MIN_SECONDS} to {MAX_SECONDS} seconds, or 0 for no limit.")
    if points is not None and not 0 <= points <= MAX_POINTS:
        checks.reject("points", f"Use 0 to {MAX_POINTS:,} points.")
    most = max(1, len(question.options))
    if not 1 <= question.selections <= most:
        checks.reject("selections", f"Use a number from 1 to {most}.")
    if not 20 <= question.longest <= 2_000:
        checks.reject("longest", "Use 20 to 2,000 characters.")


def check_set(draft: SetDraft) -> SetDraft:
    """Return the set with its texts normalized and all categories, or raise InvalidInput.

    The errors of a question have names like `questions/3/title`.
    """
    checks = InputChecks()
    name = checks.line("name", draft.name, longest=100, required=True)
    if len(draft.questions) > MAX_QUESTIONS:
        checks.reject("questions", f"A set has at most {MAX_QUESTIONS} questions.")
    questions: list[Question] = []
    for number, question in enumerate(draft.questions[:MAX_QUESTIONS]):
        normalized, errors = check_question(question)
        questions.append(normalized)
        for field, text in errors.items():
            checks.reject(f"questions/{number}/{field}", text)
        if question.type not in ALLOWED[draft.type]:
            checks.reject(
                f"questions/{number}/type",
                f"A set of type {draft.type} cannot contain {question.type} questions.",
            )
    questions = [replace(each, category=each.category or "General") for each in questions]
    known: dict[str, str] = {}
    for each in draft.categories:
        category = checks.line("categories", each.name, longest=MAX_CATEGORY)
        known[category] = checks.text("categories", each.description, longest=MAX_DETAIL)
    for question in questions:
        known.setdefault(question.category, "")
    known.pop("", None)
    if len(known) > MAX_CATEGORIES:
        checks.reject("categories", f"Use at most {MAX_CATEGORIES} categories.")
    checked = replace(
        draft,
        name=name,
        description=checks.text("description", draft.description, longest=MAX_DETAIL),
        instruction=checks.text("instruction", draft.instruction, longest=MAX_TITLE),
        ai_instruction=checks.text("ai_instruction", draft.ai_instruction, longest=MAX_DETAIL),
        questions=tuple(questions),
        categories=tuple(Category(*each) for each in known.items()),
    )
    checks.raise_errors()
    return checked

"""Kinds of questions, each one class: what a question has, and how answers are judged and drawn.

To add a kind, add a member to `QuestionType`, a class here, and an input and a drawing in `static`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from statistics import median
from typing import Any, ClassVar

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.questions import (
    MAX_CATEGORIES,
    MAX_CATEGORY,
    MAX_DETAIL,
    MAX_OPTION,
    MAX_QUESTIONS,
    MAX_SECONDS,
    MAX_TITLE,
    MIN_SECONDS,
    OPTION_IDS,
    Category,
    EngagementType,
    Question,
    QuestionType,
    Scale,
    SetDraft,
)
from singletable_apps.games.results import (
    Reply,
    Summary,
    count_options,
    count_words,
    mean,
    percent,
    rank_options,
)
from singletable_apps.games.scoring import (
    Judgment,
    Partial,
    fold_answer,
    fold_typed,
    judge_choices,
    merge_answers,
    round_points,
)
from singletable_apps.shared.text import InputChecks

MAX_POINTS, MAX_TAGS, MAX_NUMBER = 2_000, 10, 1_000_000_000
# Numbers are drawn in this many bars, and texts in as many rows.
MAX_BARS = 21
_SCORED = frozenset({"points", "explanation"})
_ALL = Partial.ALL_OR_NOTHING


class Kind:
    """What differs between kinds. The defaults are those of a choice from options."""

    name: ClassVar[str]
    # The least and the most options, and the fields that not all kinds have.
    options: ClassVar[tuple[int, int]] = (0, 0)
    fields: ClassVar[frozenset[str]] = frozenset()
    # People answer with a text; an answer is right or wrong, and the first one counts; or players
    # rank the answers of the others, for points.
    is_written = is_quiz = is_ranked = False
    # What stands between the options of an answer.
    joint = ", "

    def check(self, checks: InputChecks, question: Question) -> Question:
        """Reject fields that this kind does not have; return the question as it is stored."""
        if question.correct:
            checks.reject("correct", "Only trivia questions have correct answers.")
        return question

    def show(self, question: Question) -> dict[str, Any]:
        """Return the fields that a phone shows, without the solution."""
        return {}

    def solve(self, question: Question) -> dict[str, Any]:
        """Return the solution."""
        return {"correct": list(question.correct)}

    def read(self, question: Question, sent: Reply) -> Reply:
        """Return an answer as it is stored, or raise InvalidInput."""
        ids, most = [option.id for option in question.choices], self.most(question)
        chosen = tuple(each for each in ids if each in sent.choices)
        if not chosen or not set(sent.choices) <= set(ids) or len(chosen) > most:
            text = "Choose one option." if most == 1 else f"Choose 1 to {most} options."
            raise InvalidInput({"choices": text})
        return Reply(chosen)

    def most(self, question: Question) -> int:
        """Return how many options one may choose."""
        return max(question.selections, 1)

    def fit(self, question: Question, reply: Reply) -> Reply | None:
        """Return what of a stored reply fits the question, or None."""
        known = {option.id for option in question.choices}
        choices = tuple(each for each in dict.fromkeys(reply.choices) if each in known)
        return replace(reply, choices=choices) if choices else None

    def judge(self, question: Question, reply: Reply, partial: Partial = _ALL) -> Judgment:
        """Return what an answer is worth."""
        return judge_choices(partial, question.correct, reply.choices)

    def labels(self, question: Question) -> dict[str, str]:
        """Return the texts of the counted options, by id."""
        listed = question.listed if self.is_quiz else question.choices
        return {option.id: option.text for option in listed}

    def tally(self, question: Question, reply: Reply) -> Sequence[str]:
        """Return the ids for which a reply counts."""
        return reply.choices

    def summarize(self, question: Question, base: Summary, replies: Sequence[Reply]) -> Summary:
        """Return the summary of valid replies."""
        counted = [each for reply in replies for each in self.tally(question, reply)]
        correct = self.solve(question)["correct"] if self.is_quiz else None
        options = count_options(base, self.labels(question), counted, correct)
        return replace(base, options=options)

    def describe(self, question: Question, reply: Reply) -> str:
        """Return an answer in words."""
        if reply.number is not None:
            return str(reply.number)
        labels = {option.id: option.text or option.id.upper() for option in question.choices}
        return reply.text or self.joint.join(labels.get(each, each) for each in reply.choices)


class _Choice(Kind):
    name = "Choice"
    options = (2, 8)
    fields = frozenset({"selections"})

    def show(self, question: Question) -> dict[str, Any]:
        return {"selections": self.most(question)}


class _YesNo(Kind):
    name = "Yes or no"


class _Trivia(_Choice):
    name = "Trivia"
    options = (1, 8)
    fields = _SCORED
    is_quiz = True

    def check(self, checks: InputChecks, question: Question) -> Question:
        if not question.correct:
            checks.reject("correct", "Mark at least one option as correct.")
        return question

    def most(self, question: Question) -> int:
        return len(question.options) if len(question.correct) > 1 else 1


class _Rank(Kind):
    """Options that everyone orders by liking."""

    name = "Ranking"
    options = (3, 7)
    joint = " > "

    def read(self, question: Question, sent: Reply) -> Reply:
        if sorted(sent.choices) != sorted(option.id for option in question.choices):
            raise InvalidInput({"choices": "Put all options into an order."})
        return Reply(sent.choices)

    def tally(self, question: Question, reply: Reply) -> Sequence[str]:
        return [">".join(reply.choices)] if reply.choices else []

    def summarize(self, question: Question, base: Summary, replies: Sequence[Reply]) -> Summary:
        return replace(base, ranking=rank_options(self.labels(question), replies))


class _Order(_Rank):
    """Options that have a right order. They are stored in another one, which is what people see."""

    name = "Ordering"
    fields = _SCORED
    is_quiz = True

    def check(self, checks: InputChecks, question: Question) -> Question:
        ids = [option.id for option in question.options]
        if question.correct and sorted(question.correct) != sorted(ids):
            checks.reject("correct", "List the options in the right order, and no correct ones.")
        if checks.errors or list(question.correct or ids) != ids:
            return question
        mixed = Random(repr(question.options)).sample(question.options, len(ids))
        mixed = mixed if mixed != [*question.options] else mixed[1:] + mixed[:1]
        options = tuple(replace(each, id=own) for own, each in zip(ids, mixed, strict=True))
        correct = tuple(ids[mixed.index(each)] for each in question.options)
        return replace(question, options=options, correct=correct)

    def judge(self, question: Question, reply: Reply, partial: Partial = _ALL) -> Judgment:
        hits = len(self.tally(question, reply))
        return Judgment(Fraction(hits, len(question.correct)), hits == len(question.correct))

    def tally(self, question: Question, reply: Reply) -> Sequence[str]:
        pairs = zip(question.correct, reply.choices, strict=False)
        return [one for one, other in pairs if one == other]

    summarize = Kind.summarize  # not a common ranking


class _Rating(Kind):
    name = "Rating"
    fields = frozenset({"scale", "low_label", "high_label"})

    def steps(self, question: Question) -> range:
        return question.scale.steps

    def bars(self, question: Question) -> list[range]:
        steps = self.steps(question)
        size = -(-len(steps) // MAX_BARS)
        return [steps[at : at + size] for at in range(0, len(steps), size)]

    def labels(self, question: Question) -> dict[str, str]:
        return {
            str(bar[0]): " to ".join(map(str, dict.fromkeys((bar[0], bar[-1]))))
            for bar in self.bars(question)
        }

    def show(self, question: Question) -> dict[str, Any]:
        steps = list(self.steps(question))
        return {"scale": question.scale, "steps": steps, **self.show_ends(question)}

    def show_ends(self, question: Question) -> dict[str, Any]:
        bars = [{"id": each, "text": text} for each, text in self.labels(question).items()]
        return {"lowLabel": question.low_label, "highLabel": question.high_label, "bars": bars}

    def read(self, question: Question, sent: Reply) -> Reply:
        steps = self.steps(question)
        if sent.number is None or sent.number not in steps:
            by = f" in steps of {steps.step}" if steps.step > 1 else ""
            text = f"Choose a number from {steps[0]} to {steps[-1]}{by}."
            raise InvalidInput({"number": text})
        return Reply(number=sent.number)

    def fit(self, question: Question, reply: Reply) -> Reply | None:
        return reply if reply.number in self.steps(question) else None

    def tally(self, question: Question, reply: Reply) -> Sequence[str]:
        return [str(bar[0]) for bar in self.bars(question) if reply.number in bar]

    def summarize(self, question: Question, base: Summary, replies: Sequence[Reply]) -> Summary:
        summary = super().summarize(question, base, replies)
        numbers = [each.number for each in replies if each.number is not None]
        nps = None
        if numbers and question.type is QuestionType.RATING and question.scale is Scale.ELEVEN:
            lead = sum(number >= 9 for number in numbers) - sum(number <= 6 for number in numbers)
            nps = round_points(Fraction(100 * lead, len(numbers)))
        middle = float(median(numbers)) if numbers else None
        return replace(summary, mean=mean(numbers), median=middle, nps=nps)


class _Slider(_Rating):
    """A number between two ends; the closer to the target, the more points."""

    name = "Slider"
    fields = _SCORED | {"low", "high", "step", "target", "tolerance", "low_label", "high_label"}
    is_quiz = True

    def check(self, checks: InputChecks, question: Question) -> Question:
        low, high, step, target = question.low, question.high, question.step, question.target
        if not -MAX_NUMBER <= low < high <= MAX_NUMBER:
            checks.reject("high", f"Use a number above the lowest one, up to {MAX_NUMBER:,}.")
        elif not 1 <= step <= high - low:
            checks.reject("step", f"Use a number from 1 to {high - low}.")
        elif target is None or not low <= target <= high:
            checks.reject("target", f"Enter the true value, a number from {low} to {high}.")
        elif not (target - low) % step <= question.tolerance <= high - low:
            text = f"Use a number up to {high - low} with which an answer can be right."
            checks.reject("tolerance", text)
        return super().check(checks, question)

    def steps(self, question: Question) -> range:
        return range(question.low, question.high + 1, question.step)

    def show(self, question: Question) -> dict[str, Any]:
        steps = self.steps(question)
        ends = {"low": steps[0], "high": steps[-1], "step": steps.step}
        return {**ends, **self.show_ends(question)}

    def solve(self, question: Question) -> dict[str, Any]:
        target = question.target or 0
        start = max((bar[0] for bar in self.bars(question) if bar[0] <= target), default=target)
        return {"target": target, "tolerance": question.tolerance, "correct": [str(start)]}

    def judge(self, question: Question, reply: Reply, partial: Partial = _ALL) -> Judgment:
        # All for the target, falling to a half at the tolerance, and nothing beyond it.
        distance, tolerance = abs((reply.number or 0) - (question.target or 0)), question.tolerance
        share = 1 - Fraction(distance, 2 * max(tolerance, 1))
        return Judgment(share * (distance <= tolerance), distance <= tolerance)


class _Text(Kind):
    name = "Free text"
    fields = frozenset({"longest"})
    is_written = True

    def show(self, question: Question) -> dict[str, Any]:
        return {"longest": question.longest}

    def read(self, question: Question, sent: Reply) -> Reply:
        checks = InputChecks()
        text = checks.text("text", sent.text, longest=question.longest, required=True)
        checks.raise_errors()
        return Reply(text=text)

    def fit(self, question: Question, reply: Reply) -> Reply | None:
        return replace(reply, text=text) if (text := reply.text.strip()) else None

    def summarize(self, question: Question, base: Summary, replies: Sequence[Reply]) -> Summary:
        texts = [reply.text for reply in replies]
        ordered = sorted(texts, key=lambda text: (fold_answer(text), text))
        return replace(base, texts=tuple(ordered), words=count_words(texts))


class _CallAndAnswer(_Text):
    name = "Call and answer"
    fields = frozenset({"points", "longest"})
    is_ranked = True


class _Typed(_Text):
    """A short text that is right if it is one of the options, which nobody sees before."""

    name = "Typed answer"
    options = (1, 8)
    fields = _SCORED
    is_quiz = True

    def check(self, checks: InputChecks, question: Question) -> Question:
        for place, option in enumerate(question.options):
            if option.image:
                checks.reject(f"options/{place}", "Enter a text: nobody can type an image.")
        return replace(question, correct=tuple(option.id for option in question.options))

    def solve(self, question: Question) -> dict[str, Any]:
        return {"correct": [], "accepted": [option.text for option in question.options]}

    def judge(self, question: Question, reply: Reply, partial: Partial = _ALL) -> Judgment:
        is_correct = fold_typed(reply.text) in {fold_typed(each.text) for each in question.options}
        return Judgment(Fraction(is_correct), is_correct)

    def summarize(self, question: Question, base: Summary, replies: Sequence[Reply]) -> Summary:
        texts = enumerate(sorted(reply.text for reply in replies))
        groups = merge_answers({str(at): text for at, text in texts}, fold_typed)
        groups.sort(key=lambda group: -len(group.players))
        counted = [group.text for group in groups for _ in group.players]
        right = [each for each in counted if self.judge(question, Reply(text=each)).is_correct]
        labels = {group.text: group.text for group in groups[:MAX_BARS]}
        return replace(base, options=count_options(base, labels, counted, right))


# In the order in which they are offered.
KINDS: dict[QuestionType, Kind] = {
    QuestionType.TRIVIA: _Trivia(),
    QuestionType.TYPED: _Typed(),
    QuestionType.SLIDER: _Slider(),
    QuestionType.ORDER: _Order(),
    QuestionType.CALL_AND_ANSWER: _CallAndAnswer(),
    QuestionType.CHOICE: _Choice(),
    QuestionType.RATING: _Rating(),
    QuestionType.YES_NO: _YesNo(),
    QuestionType.RANK: _Rank(),
    QuestionType.TEXT: _Text(),
}
QUESTION_NAMES = {each: kind.name for each, kind in KINDS.items()}
QUIZ = frozenset(each for each, kind in KINDS.items() if kind.is_quiz)
# Nobody gets points.
OPINIONS = frozenset(KINDS) - QUIZ - {QuestionType.CALL_AND_ANSWER}
ALLOWED: dict[EngagementType, frozenset[QuestionType]] = {
    EngagementType.CALL_AND_ANSWER: frozenset({QuestionType.CALL_AND_ANSWER}),
    EngagementType.TRIVIA: QUIZ,
    EngagementType.POLL: OPINIONS,
    EngagementType.SURVEY: OPINIONS,
    EngagementType.MIXED: frozenset(QuestionType),
}


def kind_of(question: Question) -> Kind:
    """Return the kind of a question."""
    return KINDS[question.type]


def as_written(question: Question) -> Question:
    """Return a question as its author writes it: an order in its right order."""
    if question.type is not QuestionType.ORDER:
        return question
    listed = zip(OPTION_IDS, question.listed, strict=False)
    options = tuple(replace(each, id=letter) for letter, each in listed)
    return replace(question, options=options, correct=())


def summarize(
    question: Question, replies: Iterable[Reply], *, players: int = 0, min_cell: int = 0
) -> Summary:
    """Return the summary of the replies. Replies that do not fit the question are left out.

    `players` is how many could answer. The distribution is hidden if fewer than `min_cell` did.
    """
    kind = kind_of(question)
    valid = [reply for each in replies if (reply := kind.fit(question, each))]
    base = Summary(question.type, len(valid), max(players, len(valid)))
    if len(valid) < min_cell:
        return replace(base, hidden=f"Results hidden: fewer than {min_cell} answers.")
    summary = kind.summarize(question, base, valid)
    if not kind.is_quiz:
        return summary
    correct = sum(kind.judge(question, each).is_correct for each in valid)
    return replace(
        summary,
        correct=correct,
        correct_percent=percent(correct, base.answered),
        mean_seconds=mean([each.seconds for each in valid]),
    )


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
    normalized = kind_of(normalized).check(checks, normalized)
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
    least, most = kind_of(question).options
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
            text = f"A set of type {draft.type} cannot contain {question.type} questions."
            checks.reject(f"questions/{number}/type", text)
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

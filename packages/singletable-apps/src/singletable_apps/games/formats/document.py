"""Question sets in JSON: the schema of files, of the API and of the samples.

{"format": "question-set", "version": 1, "name": "Capitals", "questions": [
    {"type": "trivia", "title": "Capital of Peru?", "options": ["Quito", "Lima"], "correct": "b"}
]}
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Field, StrictStr, ValidationError

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import parsed_questions
from singletable_apps.games.kinds import as_written
from singletable_apps.games.questions import (
    OPTION_IDS,
    Category,
    EngagementType,
    Option,
    Question,
    QuestionType,
    Scale,
    SetDraft,
)
from singletable_apps.shared.web import Model

SCHEMA_VERSION = 1
# Fields whose documents have another type; all others are copied.
_NESTED = {"options", "correct", "tags", "categories", "questions"}
_QUESTION_FIELDS = Question.__dataclass_fields__.keys() - _NESTED
_SET_FIELDS = SetDraft.__dataclass_fields__.keys() - _NESTED


class OptionDocument(Model):
    """An option with an image."""

    text: str = ""
    image: str = ""


class QuestionDocument(Model):
    """A question of a set."""

    type: QuestionType
    title: str = Field(description="The question itself, in one line.")
    detail: str = ""
    category: str = ""
    school: str = ""
    instruction: str = Field("", description="Shown instead of the instruction of the set.")
    options: list[StrictStr | OptionDocument] = Field(
        [], description="Up to 8: an order in its right order, or the answers that are accepted."
    )
    correct: list[str] | str = Field(
        [], description="The correct options of a trivia question: letters (a to h) or their texts."
    )
    seconds: int | None = Field(None, description="The time limit; 0 for no limit.")
    points: int | None = Field(None, description="The most points; those of the game if null.")
    explanation: str = Field("", description="Shown with the correct answer.")
    image: str = ""
    selections: int = Field(1, description="How many options one may choose.")
    scale: Scale = Scale.FIVE
    low_label: str = Field("", description="What the lowest step of a rating or slider means.")
    high_label: str = Field("", description="What the highest step of a rating or slider means.")
    longest: int = Field(280, description="The most characters of a text.")
    tags: list[str] = Field([])
    low: int = Field(0, description="The lowest number of a slider.")
    high: int = Field(100, description="The highest number of a slider.")
    step: int = Field(1, description="The distance between the numbers of a slider.")
    target: int | None = Field(None, description="The true value of a slider.")
    tolerance: int = Field(0, description="How far from the true value an answer may be.")

    @classmethod
    def of(cls, question: Question) -> QuestionDocument:
        """Return the document of a question."""
        question = as_written(question)
        letters = parsed_questions.correct_letters(question)
        return cls.from_object(
            question,
            options=[
                OptionDocument(text=each.text, image=each.image) if each.image else each.text
                for each in question.options
            ],
            correct=letters.split(",") if letters else [],
            tags=list(question.tags),
        )

    def to_question(self) -> Question:
        """Return the question, or raise InvalidInput if it has too many options or a wrong one."""
        if len(self.options) > len(OPTION_IDS):
            raise InvalidInput({"options": f"Use at most {len(OPTION_IDS)} options."})
        options = tuple(
            Option(letter, each) if isinstance(each, str) else Option(letter, each.text, each.image)
            for letter, each in zip(OPTION_IDS, self.options, strict=False)
        )
        correct: set[str] = set()
        for name in [self.correct] if isinstance(self.correct, str) else self.correct:
            ids, unknown = parsed_questions.resolve_correct(name, options, "letter")
            if unknown:
                text = f"“{unknown[:60]}” is not an option. Use its letter or its text."
                raise InvalidInput({"correct": text})
            correct.update(ids)
        return Question(
            **self.model_dump(include={*_QUESTION_FIELDS}),
            options=options,
            correct=tuple(each.id for each in options if each.id in correct),
            tags=tuple(self.tags),
        )


class SetDocument(Model):
    """A question set as a file."""

    format: Literal["question-set"] = "question-set"
    version: Annotated[int, Field(ge=1, le=SCHEMA_VERSION)] = SCHEMA_VERSION
    name: str
    description: str = ""
    type: EngagementType = EngagementType.MIXED
    instruction: str = Field("", description="Shown to players with each question.")
    ai_instruction: str = Field("", description="What a summary of the answers should look at.")
    categories: list[Category] = Field([])
    questions: list[QuestionDocument] = Field([])

    @classmethod
    def of(cls, draft: SetDraft, **others: Any) -> Self:
        """Return the document of a set; `others` are the fields of a subclass."""
        return cls(
            **{name: getattr(draft, name) for name in cls.model_fields.keys() & _SET_FIELDS},
            categories=list(draft.categories),
            questions=[QuestionDocument.of(each) for each in draft.questions],
            **others,
        )

    def to_draft(self) -> SetDraft:
        """Return the set, or raise InvalidInput with errors like `questions/3/correct`."""
        questions: list[Question] = []
        errors: dict[str, str] = {}
        for number, each in enumerate(self.questions):
            try:
                questions.append(each.to_question())
            except InvalidInput as error:
                errors |= {f"questions/{number}/{key}": text for key, text in error.errors.items()}
        if errors:
            raise InvalidInput(errors)
        return SetDraft(
            **self.model_dump(include={*_SET_FIELDS}),
            categories=tuple(self.categories),
            questions=tuple(questions),
        )


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file format."""
    schema = SetDocument.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def write_json(draft: SetDraft) -> bytes:
    """Return the set as JSON, without the fields that have their default."""
    document = SetDocument.of(draft)
    values = document.model_dump(mode="json", exclude_defaults=True)
    head = {"format": document.format, "version": document.version}
    return f"{json.dumps({**head, **values}, indent=2, ensure_ascii=False)}\n".encode()


def read_json(text: str, name: str) -> parsed_questions.ReadSet:
    """Read a JSON file: a set, or a list of questions. Raise InvalidInput if it is neither."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInput({"file": f"This is not valid JSON{line}."}) from error
    values = cast(dict[str, object], raw if isinstance(raw, dict) else {"questions": raw})
    listed = values.pop("questions", None)
    if not isinstance(listed, list):
        raise InvalidInput({"file": "The file has no list “questions”."})
    found = parsed_questions.QuestionList()
    for number, each in enumerate(cast(list[object], listed), 1):
        if found.is_full:
            break
        try:
            found.add(number, QuestionDocument.model_validate(each).to_question())
        except ValidationError as error:
            for place, sentence in _explain(error):
                found.reject(number, place, sentence)
        except InvalidInput as error:
            for field, sentence in error.errors.items():
                found.reject(number, field, sentence)
    values.setdefault("name", name)
    values.setdefault("type", parsed_questions.guess_type(found.questions.values()))
    try:
        fields = SetDocument.model_validate(values)
    except ValidationError as error:
        place, sentence = _explain(error)[0]
        raise InvalidInput({"file": f"“{place}” at the top of the file: {sentence}"}) from error
    return found.finish(parsed_questions.SetFormat.JSON, name, fields.to_draft())


def _explain(error: ValidationError) -> list[tuple[str, str]]:
    """Return the field and a sentence for each error."""
    return [
        (str(each["loc"][0]) if each["loc"] else "", f"{each['msg']}.")
        for each in error.errors(include_url=False, include_input=False)[:5]
    ]

"""The editor of a set: add, edit, move and delete questions, with images.

Each form works without scripts and saves one question. Since a question is addressed by its place,
every form has the revision of the set: if someone else has moved the questions meanwhile, nothing
is saved.
"""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.pages.dependencies import AnyPage, PageContext, Segment
from singletable_apps.games.pages.sets import CONFLICT, actor_of
from singletable_apps.games.questions import (
    ALLOWED,
    OPTION_COUNTS,
    OPTION_IDS,
    QUESTION_NAMES,
    Option,
    Question,
    QuestionType,
    Scale,
    SetDraft,
    check_question,
)
from singletable_apps.games.service.sets import LoadedSet
from singletable_apps.shared.pages import (
    FORM_METHODS,
    Confirmation,
    Form,
    PostedForm,
    PostedUpload,
    RevisionConflict,
    Upload,
)

router = APIRouter()
SCALES = (
    (Scale.FIVE, "1 to 5"),
    (Scale.TEN, "1 to 10"),
    (Scale.ELEVEN, "0 to 10"),
    (Scale.STARS, "Five stars"),
)


class QuestionForm(BaseModel):
    """The fields of a question that are not lists. `place` counts from 1."""

    title: str
    detail: str = ""
    category: str = ""
    school: str = ""
    instruction: str = ""
    explanation: str = ""
    seconds: int | None = None
    points: int | None = None
    selections: int = 1
    scale: Scale = Scale.FIVE
    low_label: str = ""
    high_label: str = ""
    longest: int = 280
    tags: str = ""
    place: int | None = None


def _load_own(page: PageContext, set_id: str) -> LoadedSet:
    page.service.sets.get_own(set_id, actor_of(page))
    return page.service.sets.load(set_id, actor_of(page))


def _find(draft: SetDraft, number: int) -> Question:
    if not 1 <= number <= len(draft.questions):
        raise NotFound("There is no such question. Someone may have deleted it.")
    return draft.questions[number - 1]


# ------------------------------------------------------------------------------ show


@router.get("/sets/{set_id}/questions/new")
def new_question(
    page: AnyPage,
    set_id: Segment,
    type: QuestionType | None = None,  # noqa: A002
) -> Response:
    """Show the form for a new question at the end of the set."""
    loaded = _load_own(page, set_id)
    last = loaded.draft.questions[-1] if loaded.draft.questions else None
    allowed = ALLOWED[loaded.draft.type]
    kind = type if type in allowed else (last.type if last and last.type in allowed else None)
    kind = kind or next(each for each in QUESTION_NAMES if each in allowed)
    # The next question of a quiz is usually like the one before.
    blank = Question(kind, "", category=last.category if last else "")
    if last and last.type is kind:
        blank = replace(blank, seconds=last.seconds, points=last.points, scale=last.scale)
    return _show(page, loaded, blank, 0, _fill(blank, len(loaded.draft.questions) + 1, loaded))


@router.get("/sets/{set_id}/questions/{number}")
def show_question(
    page: AnyPage,
    set_id: Segment,
    number: int,
    type: QuestionType | None = None,  # noqa: A002
) -> Response:
    """Show the form of a question; with `type`, as a question of another type."""
    loaded = _load_own(page, set_id)
    question = _find(loaded.draft, number)
    if type in ALLOWED[loaded.draft.type]:
        question = replace(question, type=type)
    return _show(page, loaded, question, number, _fill(question, number, loaded))


def _fill(question: Question, place: int, loaded: LoadedSet) -> Form:
    plain = QuestionForm.model_fields.keys() - {"tags", "place"}
    values: dict[str, str | int | bool | None] = {
        **{name: getattr(question, name) for name in plain},
        "tags": ", ".join(question.tags),
        "place": place,
        "image": question.image,
        "revision": loaded.item.revision,
    }
    for slot, option in enumerate(question.options):
        values[f"option-{slot}"] = option.text
        values[f"option_image-{slot}"] = option.image
        values[f"correct-{slot}"] = option.id in question.correct
    return Form(values)


def _show(
    page: PageContext,
    loaded: LoadedSet,
    question: Question,
    number: int,
    form: Form,
    status: int = 200,
) -> Response:
    least, most = OPTION_COUNTS.get(question.type, (0, 0))
    filled = [slot for slot in range(most) if form.value(f"option-{slot}")]
    url = page.urls.question_set(loaded.item.set_id, "questions", str(number) if number else "new")
    return page.render(
        "set_question",
        status,
        item=loaded.item,
        draft=loaded.draft,
        number=number,
        kind=question.type,
        form=form,
        url=url,
        types=[
            (each, QUESTION_NAMES[each])
            for each in QUESTION_NAMES
            if each in ALLOWED[loaded.draft.type]
        ],
        scales=SCALES,
        letters=OPTION_IDS[:most].upper(),
        shown_options=max(4 if most > 4 else most, least, *(slot + 1 for slot in filled), 0),
    )


# ------------------------------------------------------------------------------ save


@router.post("/sets/{set_id}/questions/{number}")
def save_question(page: AnyPage, set_id: Segment, number: str, upload: PostedUpload) -> Response:
    """Save a question, or add one if the number is `new`."""
    loaded = _load_own(page, set_id)
    count = len(loaded.draft.questions)
    at = int(number) if number.isascii() and number.isdigit() and len(number) < 5 else 0
    if not at and number != "new":
        raise NotFound("There is no such question.")
    # If someone has deleted the question meanwhile, what was typed can be added as a new one.
    at = at if at <= count else 0
    form = upload.form
    kind = form.value("type")
    old = Question(QuestionType(kind) if kind in [*QuestionType] else QuestionType.TRIVIA, "")
    form = _store_images(page, upload)
    values = form.validate(QuestionForm)
    if isinstance(values, Form) or form.errors:
        errors = {**(values.errors if isinstance(values, Form) else {}), **form.errors}
        return _show(page, loaded, old, at, replace(form, errors=errors), 422)
    question, slots = _read_question(old.type, form, values)
    question, errors = check_question(question)
    if errors:
        named = {_field_of(name, slots): text for name, text in errors.items()}
        return _show(page, loaded, old, at, replace(form, errors=named), 422)
    place = min(max(values.place or at or count + 1, 1), count + (0 if at else 1))

    def edit(draft: SetDraft) -> SetDraft:
        questions = list(draft.questions)
        if at:
            del questions[at - 1]
        questions.insert(place - 1, question)
        return replace(draft, questions=tuple(questions))

    try:
        page.service.sets.change(actor_of(page), set_id, edit, form.revision_check())
    except RevisionConflict as conflict:
        loaded = _load_own(page, set_id)
        return _show(page, loaded, old, at, form.rebased(conflict.revision), 412)
    except InvalidInput as error:
        named = {name.rpartition("/")[2]: text for name, text in error.errors.items()}
        return _show(page, loaded, old, at, replace(form, errors=named), 422)
    if form.value("then") == "another":
        url = page.urls.question_set(set_id, "questions", "new", type=question.type)
        return page.redirect(url, f"Saved question {place}.")
    return page.redirect(f"{page.urls.question_set(set_id)}#q-{place}", "Saved.")


def _store_images(page: PageContext, upload: Upload) -> Form:
    """Store the uploaded images, and return the form with their URLs, or with errors.

    So an image need not be chosen again if another field is not valid.
    """
    values, errors = dict(upload.form.values), dict[str, str]()
    targets = [("image", "image_file", "image_drop")] + [
        (f"option_image-{slot}", f"option_file-{slot}", f"option_drop-{slot}")
        for slot in range(len(OPTION_IDS))
    ]
    for target, source, drop in targets:
        if upload.form.value(drop):
            values[target] = ""
        for file in upload.named(source)[:1]:
            try:
                values[target] = page.service.images.upload(file.data)
            except InvalidInput as error:
                errors[source] = str(error)
    return replace(upload.form, values=values, errors=errors)


def _read_question(
    kind: QuestionType, form: Form, values: QuestionForm
) -> tuple[Question, list[int]]:
    """Return the question of a form, and in which field each of its options is."""
    _, most = OPTION_COUNTS.get(kind, (0, 0))
    slots = [
        slot
        for slot in range(most)
        if form.value(f"option-{slot}").strip() or form.value(f"option_image-{slot}")
    ]
    options = tuple(
        Option(letter, form.value(f"option-{slot}"), form.value(f"option_image-{slot}"))
        for letter, slot in zip(OPTION_IDS, slots, strict=False)
    )
    is_trivia = kind is QuestionType.TRIVIA
    marked = [slot for slot in slots if is_trivia and form.value(f"correct-{slot}")]
    fields = values.model_dump(exclude={"tags", "place"})
    if kind is not QuestionType.CHOICE:
        fields["selections"] = 1
    return Question(
        kind,
        **fields,
        image=form.value("image"),
        options=options,
        correct=tuple(OPTION_IDS[slots.index(slot)] for slot in marked),
        tags=tuple(each.strip() for each in values.tags.split(",") if each.strip()),
    ), slots


def _field_of(name: str, slots: list[int]) -> str:
    head, _, place = name.partition("/")
    return f"option-{slots[int(place)]}" if place else head


# ------------------------------------------------------------------------------ move, delete


@router.post("/sets/{set_id}/questions/{number}/move")
def move_question(page: AnyPage, set_id: Segment, number: int, form: PostedForm) -> Response:
    """Move a question up or down."""
    step = -1 if form.value("to") == "up" else 1
    url = page.urls.question_set(set_id)
    target = number

    def edit(draft: SetDraft) -> SetDraft:
        nonlocal target
        question = _find(draft, number)
        target = min(max(number + step, 1), len(draft.questions))
        others = [*draft.questions[: number - 1], *draft.questions[number:]]
        others.insert(target - 1, question)
        return replace(draft, questions=tuple(others))

    try:
        page.service.sets.change(actor_of(page), set_id, edit, form.revision_check())
    except RevisionConflict:
        return page.redirect(url, CONFLICT)
    return page.redirect(f"{url}#q-{target}")


@router.api_route("/sets/{set_id}/questions/{number}/delete", methods=FORM_METHODS)
def delete_question(page: AnyPage, set_id: Segment, number: int, form: PostedForm) -> Response:
    """Ask before a question is deleted, and delete it."""
    loaded = _load_own(page, set_id)
    question = _find(loaded.draft, number)
    url = page.urls.question_set(set_id)
    ask = Confirmation(
        title="Delete this question?",
        text=f"“{question.title}”",
        consequences=("You can restore it from an older version of the set.",),
        button="Delete the question",
        url=f"{url}/questions/{number}/delete",
        back=url,
    )

    def delete() -> Response:
        def edit(draft: SetDraft) -> SetDraft:
            kept = [*draft.questions[: number - 1], *draft.questions[number:]]
            return replace(draft, questions=tuple(kept))

        page.service.sets.change(actor_of(page), set_id, edit, form.revision_check())
        return page.redirect(f"{url}#q-{max(1, number - 1)}", "Deleted the question.")

    return page.ask(ask, form, delete, loaded.item.revision)

"""The editor of a set: its questions, the form of one of them, and a preview by a script.

The form works without scripts and saves one question. It has the fields of all types, hidden where
a type does not use them, so nothing is lost when the type is changed. Since a question is addressed
by its place, every form has the revision of the set: if someone else has moved the questions
meanwhile, nothing is saved.
"""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Response

from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.formats.document import QuestionDocument
from singletable_apps.games.kinds import ALLOWED, KINDS, QUESTION_NAMES, as_written, check_question
from singletable_apps.games.pages.create import list_playable, load_draft
from singletable_apps.games.pages.dependencies import AnyPage, PageContext, Segment
from singletable_apps.games.pages.sets import CONFLICT, actor_of
from singletable_apps.games.questions import (
    MAX_QUESTIONS,
    OPTION_IDS,
    Option,
    Question,
    QuestionType,
    SetDraft,
)
from singletable_apps.games.service.sets import LoadedSet
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    PostedForm,
    PostedUpload,
    RevisionConflict,
    Upload,
    confirm,
)

router = APIRouter()
# Sets whose questions are searched.
MAX_BANK_SETS = 60


class QuestionForm(QuestionDocument):
    """A question, and its place in the set from 1. Options have fields of their own.

    `then` is what to do after it is saved: `another`, `duplicate`, `move` another question from a
    place to a place, or the number of the question to open.
    """

    place: int | None = None
    then: str = ""
    source: int = 0
    to: int = 0


def _load_own(page: PageContext, set_id: str) -> LoadedSet:
    return page.service.sets.load_own(set_id, actor_of(page))


def _find(draft: SetDraft, number: int) -> Question:
    if not 1 <= number <= len(draft.questions):
        raise NotFound("There is no such question. Someone may have deleted it.")
    return draft.questions[number - 1]


def _arrange(
    draft: SetDraft, number: int, question: Question | None = None, place: int = 1
) -> SetDraft:
    """Return the set without the question of this number, and with another one at a place."""
    questions = [each for n, each in enumerate(draft.questions, 1) if n != number]
    if question:
        questions.insert(place - 1, question)
    return replace(draft, questions=tuple(questions))


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
    return _show(page, loaded, kind, 0, _fill(blank, len(loaded.draft.questions) + 1, loaded))


@router.api_route("/sets/{set_id}/questions/bank", methods=FORM_METHODS)
def search_bank(page: AnyPage, set_id: Segment, form: PostedForm, q: str = "") -> Response:
    """Search the questions of all sets that one can play, and add one of them."""
    loaded = _load_own(page, set_id)
    allowed, words = ALLOWED[loaded.draft.type], q.casefold().split()
    found = {
        f"{each.set_id} {number}": (each.name, question)
        for each in list_playable(page)[:MAX_BANK_SETS]
        if each.set_id != set_id
        for number, question in enumerate(load_draft(page, each.set_id).questions)
        if question.type in allowed
        and all(word in _searched(each.name, question) for word in words)
    }
    if page.request.method == "POST" and form.value("add") in found:
        _, chosen = found[form.value("add")]
        page.service.sets.change(
            actor_of(page), set_id, lambda draft: _arrange(draft, 0, chosen, MAX_QUESTIONS)
        )
        url = page.urls.question_set(set_id, "questions", "bank", q=q)
        return page.redirect(url, f"Added “{chosen.title}” at the end.")
    return page.render("set_bank", item=loaded.item, q=q, found=found, shown=50)


def _searched(name: str, question: Question) -> str:
    texts = (name, question.title, question.detail, question.category, *question.tags)
    return " ".join((*texts, *(each.text for each in question.options))).casefold()


@router.get("/sets/{set_id}/questions/{number}")
def show_question(
    page: AnyPage,
    set_id: Segment,
    number: int,
    type: QuestionType | None = None,  # noqa: A002
) -> Response:
    """Show the form of a question; with `type`, as a question of another type."""
    loaded = _load_own(page, set_id)
    question = as_written(_find(loaded.draft, number))
    if type in ALLOWED[loaded.draft.type]:
        question = replace(question, type=type)
    return _show(page, loaded, question.type, number, _fill(question, number, loaded))


def _fill(question: Question, place: int, loaded: LoadedSet) -> Form:
    question = as_written(question)
    values: dict[str, str | int | bool | None] = {
        **QuestionDocument.of(question).model_dump(exclude={"options", "correct", "tags"}),
        "tags": ", ".join(question.tags),
        "place": place,
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
    kind: QuestionType,
    number: int,
    form: Form,
    status: int = 200,
) -> Response:
    least, most = KINDS[kind].options
    filled = [slot for slot in range(most) if form.value(f"option-{slot}")]
    url = page.urls.question_set(loaded.item.set_id, "questions", str(number) if number else "new")
    return page.render(
        "set_question",
        status,
        item=loaded.item,
        draft=loaded.draft,
        number=number,
        kind=kind,
        form=form,
        url=url,
        types=[each for each in QUESTION_NAMES.items() if each[0] in ALLOWED[loaded.draft.type]],
        letters=OPTION_IDS[:most].upper(),
        own=KINDS[kind].fields,
        kept=_kept(form, kind, most),
        shown_options=max(4 if most > 4 else most, least, *(slot + 1 for slot in filled), 0),
    )


def _kept(form: Form, kind: QuestionType, most: int) -> list[tuple[str, str]]:
    """Return the names and values of the fields that this type does not show."""
    names = sorted({name for each in KINDS.values() for name in each.fields} - KINDS[kind].fields)
    for slot in range(len(OPTION_IDS)):
        names += [f"option-{slot}", f"option_image-{slot}"] if slot >= most else []
        names += [f"correct-{slot}"] if kind is not QuestionType.TRIVIA else []
    return [(name, form.value(name)) for name in names if form.value(name)]


# ------------------------------------------------------------------------------ save


@router.post("/sets/{set_id}/questions/new")
def add_question(page: AnyPage, set_id: Segment, upload: PostedUpload) -> Response:
    """Add a question to a set."""
    return save_question(page, set_id, 0, upload)


@router.post("/sets/{set_id}/questions/{number}")
def save_question(page: AnyPage, set_id: Segment, number: int, upload: PostedUpload) -> Response:
    """Save a question, or show it as one of another type.

    If someone has deleted it meanwhile, it is added again.
    """
    count = len(_load_own(page, set_id).draft.questions)
    number = number if 0 < number <= count else 0
    form = _store_images(page, upload)
    kind = form.value("retype") or form.value("type")

    def save(values: QuestionForm) -> Response:
        question = _read_question(form, values)
        place = min(max(values.place or number or count + 1, 1), count + (0 if number else 1))

        def edit(draft: SetDraft) -> SetDraft:
            draft = _arrange(draft, number, question, place)
            if values.then == "duplicate":
                return _arrange(draft, 0, question, place + 1)
            if values.then == "move":
                moved = _find(draft, values.source)
                return _arrange(draft, values.source, moved, values.to)
            return draft

        page.service.sets.change(actor_of(page), set_id, edit, form.revision_check())
        if values.then == "another":
            url = page.urls.question_set(set_id, "questions", "new", type=question.type)
            return page.redirect(url, f"Saved question {place}.")
        opened = place + (values.then == "duplicate")
        if values.then == "move":
            order = [n for n in range(1, count + 1) if n != values.source]
            order.insert(values.to - 1, values.source)
            opened = order.index(place) + 1
        elif values.then.isdecimal():
            opened = min(int(values.then[:4]), count)
        return page.redirect(page.urls.question_set(set_id, "questions", str(opened)), "Saved.")

    def show(shown: Form, status: int) -> Response:
        known = QuestionType(kind) if kind in [*QuestionType] else QuestionType.TRIVIA
        return _show(page, _load_own(page, set_id), known, number, shown, status)

    if form.value("retype"):
        return show(form, 200)
    return page.submit(form, QuestionForm, save, show)


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


def _read_question(form: Form, values: QuestionForm) -> Question:
    """Return the question of a form, or raise InvalidInput with the names of its fields."""
    kind = values.type
    _, most = KINDS[kind].options
    slots = [
        slot
        for slot in range(most)
        if form.value(f"option-{slot}").strip() or form.value(f"option_image-{slot}")
    ]
    options = tuple(
        Option(letter, form.value(f"option-{slot}"), form.value(f"option_image-{slot}"))
        for letter, slot in zip(OPTION_IDS, slots, strict=False)
    )
    marked = [slot for slot in slots if kind == "trivia" and form.value(f"correct-{slot}")]
    question, errors = check_question(
        replace(
            values.to_question(),
            options=options,
            correct=tuple(OPTION_IDS[slots.index(slot)] for slot in marked),
            selections=values.selections if kind is QuestionType.CHOICE else 1,
            tags=tuple(tag for tags in values.tags for tag in tags.split(",") if tag.strip()),
        )
    )
    # The second option is in the third field if the second one is blank.
    fields = {f"options/{place}": f"option-{slot}" for place, slot in enumerate(slots)}
    errors = {**{fields.get(name, name): text for name, text in errors.items()}, **form.errors}
    if errors:
        raise InvalidInput(errors)
    return question


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
        return _arrange(draft, number, question, target)

    try:
        page.service.sets.change(actor_of(page), set_id, edit, form.revision_check())
    except RevisionConflict:
        return page.redirect(url, CONFLICT)
    return page.redirect(f"{url}#q-{target}")


@confirm(router, "/sets/{set_id}/questions/{number}/delete")
def delete_question(page: AnyPage, set_id: Segment, number: int) -> ConfirmedAction:
    """Delete a question."""
    loaded = _load_own(page, set_id)
    url = page.urls.question_set(set_id)
    return ConfirmedAction(
        page,
        title="Delete this question?",
        text=f"“{_find(loaded.draft, number).title}”",
        consequences=("You can restore it from an older version of the set.",),
        button="Delete the question",
        back=url,
        revision=loaded.item.revision,
        do=lambda form: page.service.sets.change(
            actor_of(page), set_id, lambda draft: _arrange(draft, number), form.revision_check()
        ),
        to=f"{url}#q-{max(1, number - 1)}",
        done="Deleted the question.",
    )

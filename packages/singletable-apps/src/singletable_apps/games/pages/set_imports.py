"""The import wizard: upload a file, see what is in it, choose what to keep, and save it.

The preview carries the questions in a hidden field, so nothing is stored until they are saved.
"""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.games import formats
from singletable_apps.games.entities import QuestionSet
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats.parsed_questions import guess_type
from singletable_apps.games.kinds import ALLOWED
from singletable_apps.games.pages.dependencies import AnyPage, PageContext
from singletable_apps.games.pages.sets import TYPES, actor_of
from singletable_apps.games.questions import EngagementType, QuestionType, SetDraft
from singletable_apps.games.set_library import download_set, load_templates
from singletable_apps.shared.frame import limited
from singletable_apps.shared.pages import Form, PostedForm, PostedUpload
from singletable_apps.shared.pages.templating import plural

router = APIRouter()


@router.get("/sets/import")
def show_import(page: AnyPage, into: str = "") -> Response:
    """Show where to choose a file; `into` is the set to which its questions are added."""
    return _show_upload(page, Form({"into": into}), 200)


def _show_upload(page: PageContext, form: Form, status: int) -> Response:
    return page.render(
        "set_import", status, form=form, target=_find_target(page, form), formats=formats.FORMATS
    )


def _find_target(page: PageContext, form: Form) -> QuestionSet | None:
    """Return the set to which the questions are added, or None for a new one."""
    into = form.value("into")
    return page.service.sets.get_own(into, actor_of(page)) if into else None


@router.get("/sets/import/example.{kind}")
def download_example(page: AnyPage, kind: formats.SetFormat) -> Response:
    """Download a file to begin with."""
    return download_set(replace(load_templates()["trivia-night"], name="Example"), kind)


@router.post("/sets/import", dependencies=limited("upload"))
def preview_import(page: AnyPage, upload: PostedUpload) -> Response:
    """Read the file, and show its questions and problems."""
    files, pasted = upload.named("file"), upload.form.value("text")
    name = files[0].filename if files else "Pasted questions"
    target = _find_target(page, upload.form)
    is_opinion = target is not None and QuestionType.TEXT in ALLOWED[target.type]
    written = QuestionType.TEXT if is_opinion else QuestionType.CALL_AND_ANSWER
    try:
        if files:
            read = formats.read_set(files[0].data, name)
        elif pasted.strip():
            read = formats.read_set(pasted.encode(errors="replace"), name, written)
        else:
            raise InvalidInput({"file": "Choose a file, or paste a list."})
    except InvalidInput as error:
        return _show_upload(page, replace(upload.form, errors=error.errors), 422)
    form = Form(
        {
            "into": upload.form.value("into"),
            "name": read.draft.name,
            "type": read.draft.type,
            "document": formats.write_set(read.draft, formats.SetFormat.JSON).decode(),
            "filename": name if files else "",
            "keep": [str(number) for number in range(len(read.draft.questions))],
        }
    )
    return _show_preview(page, read, form, 200)


def _show_preview(page: PageContext, read: formats.ReadSet, form: Form, status: int) -> Response:
    target, types = _find_target(page, form), [each.type for each in read.draft.questions]
    is_quiz = QuestionType.TRIVIA in types
    if target:
        is_quiz = target.type is EngagementType.TRIVIA
    return page.render(
        "set_preview",
        status,
        form=form,
        read=read,
        target=target,
        unsolved=types.count(QuestionType.CHOICE) if is_quiz else 0,
        types=TYPES,
        format_title=formats.FORMATS[read.format].title if form.value("filename") else "Pasted",
    )


class ImportForm(BaseModel):
    """What to do with the questions of the preview."""

    name: str = ""
    type: EngagementType = EngagementType.MIXED
    document: str
    filename: str = ""
    into: str = ""
    keep: list[str]


@router.post("/sets/import/save")
def save_import(page: AnyPage, form: PostedForm) -> Response:
    """Create a set with the chosen questions, or add them to one."""
    document = form.value("document").encode(errors="replace")
    try:
        read = formats.read_set(document[: formats.MAX_FILE_BYTES * 4], "import.json")
    except InvalidInput as error:
        return _show_upload(page, Form({"into": form.value("into")}, error.errors), 422)

    def save(values: ImportForm) -> Response:
        chosen = [each for n, each in enumerate(read.draft.questions) if str(n) in set(values.keep)]
        if not chosen:
            raise InvalidInput({"keep": "Choose at least one question."})
        sets, count = page.service.sets, plural(len(chosen), "question")
        if values.into:

            def add(old: SetDraft) -> SetDraft:
                fits = all(each.type in ALLOWED[old.type] for each in chosen)
                kind = old.type if fits else guess_type([*old.questions, *chosen])
                return replace(old, type=kind, questions=(*old.questions, *chosen))

            item = sets.change(actor_of(page), values.into, add)
            text = f"Added {count} to “{item.name}”."
        else:
            draft = replace(read.draft, name=values.name, type=values.type, questions=tuple(chosen))
            item = sets.create(page.become_host(), draft, values.filename)
            text = f"Imported {count}."
        return page.redirect(page.urls.question_set(item.set_id), text)

    return page.submit(
        form, ImportForm, save, lambda shown, status: _show_preview(page, read, shown, status)
    )

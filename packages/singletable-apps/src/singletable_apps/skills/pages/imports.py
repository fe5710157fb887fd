"""The import wizard: upload, check, import, and undo; and the history of imports."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial
from itertools import groupby
from operator import attrgetter

from fastapi import APIRouter, Response

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import (
    ConfirmedAction,
    ConfirmForm,
    Form,
    ListQueryParameters,
    PostedForm,
    PostedUpload,
    confirm,
)
from singletable_apps.skills.entities import Duplicates, ImportStatus
from singletable_apps.skills.import_rules import CREATE, SKIP, USE, ImportField, Outcome
from singletable_apps.skills.pages.dependencies import AdminPage, Segment, UserPageContext
from singletable_apps.skills.rules import normalize_alias
from singletable_apps.skills.search_rules import suggest_names

router = APIRouter()
PER_PAGE = 50
# How many unknown skills the form shows, those with most rows first.
MAX_UNKNOWN = 40
_AS_ABOVE = "as-above"


@router.get("/admin/import")
def show_imports(page: AdminPage, query: ListQueryParameters) -> Response:
    """Show the form to upload a spreadsheet, and the history."""
    return _show_imports(page, query, Form(), 200)


def _show_imports(
    page: UserPageContext, query: ListQueryParameters, form: Form, status: int
) -> Response:
    found = page.service.imports.history(PER_PAGE, query.cursor)
    history = query.page(found.items, found.cursor)
    people = page.service.context.get_users(each.created_by for each in found.items)
    return page.render("imports", status, form=form, history=history, people=people)


@router.post("/admin/import")
def upload_import(page: AdminPage, query: ListQueryParameters, upload: PostedUpload) -> Response:
    """Store the uploaded file, and show what it would change."""
    files = upload.named("file")
    try:
        if not files:
            raise InvalidInput({"file": "Choose a CSV or XLSX file."})
        item = page.service.imports.upload(page.user, files[0].filename, files[0].data)
    except InvalidInput as error:
        return _show_imports(page, query, Form(errors=error.errors), 422)
    return page.redirect(page.urls.page("admin", "import", item.import_id))


@router.get("/admin/import/{import_id}")
def show_import(page: AdminPage, import_id: Segment, query: ListQueryParameters) -> Response:
    """Show what an import would do, or has done."""
    return _show_import(page, import_id, query, Form(), 200)


def _show_import(
    page: UserPageContext, import_id: str, query: ListQueryParameters, form: Form, status: int
) -> Response:
    imports, context = page.service.imports, page.service.context
    item, preview = imports.get(import_id), imports.preview(import_id)
    unknown = sorted(preview.unknown.items(), key=lambda each: -each[1])[:MAX_UNKNOWN]
    values: dict[str, str] = {"duplicates": item.duplicates, "others": item.skills.get("", SKIP)}
    for place, heading in enumerate(preview.headings):
        values[f"column-{place}"] = item.columns.get(heading, "")
    for place, (spelling, _) in enumerate(unknown):
        action = item.skills.get(normalize_alias(spelling), "")
        is_use = action.startswith(USE)
        values[f"action-{place}"] = _AS_ABOVE if is_use else action or _AS_ABOVE
        values[f"target-{place}"] = action.removeprefix(USE) if is_use else ""
    is_done = item.status in (ImportStatus.APPLIED, ImportStatus.UNDONE)
    results = [
        each
        for each in preview.results
        if not is_done or each.outcome in (Outcome.ERROR, Outcome.SKIPPED)
    ]
    by_row = groupby(results, key=attrgetter("outcome", "number", "skill"))
    names = [each.name for each in page.service.catalog.list_names()] if unknown else []
    rows = query.apply(
        [[*group] for _, group in by_row],
        text=lambda row: " ".join(str(value) for each in row for value in astuple(each)),
        columns={"row": lambda row: row[0].number},
        limit=PER_PAGE,
    )
    return page.render(
        "import",
        status,
        item=item,
        preview=preview,
        rows=rows,
        people=context.get_users(row[0].username for row in rows.items),
        counts={outcome: preview.count(outcome) for outcome in Outcome},
        unknown=unknown,
        kept=imports.kept(item),
        fields_of_columns=[
            ("", "Ignore"),
            *((each, each.replace("_", " ").capitalize()) for each in ImportField),
        ],
        actions=[
            (SKIP, "Skip"),
            *((f"{CREATE}{each}", f"Create in {each}") for each in context.words().categories),
        ],
        skills=names,
        similar={spelling: suggest_names(spelling, names)[:2] for spelling, _ in unknown},
        form=Form({**values, **form.values}, form.errors, form.summary, conflict=form.conflict),
    )


@router.post("/admin/import/{import_id}")
def choose(
    page: AdminPage, import_id: Segment, query: ListQueryParameters, form: PostedForm
) -> Response:
    """Save what the columns contain and what to do with unknown skills; preview again."""
    imports = page.service.imports
    item = imports.get(import_id)

    def save(_: ConfirmForm) -> Response:
        columns = {
            form.value(f"heading-{place}"): form.value(f"column-{place}")
            for place in range(sum(name.startswith("heading-") for name in form.values))
        }
        skills = {**item.skills, "": form.value("others")}
        for place in range(MAX_UNKNOWN):
            spelling, target = (
                form.value(f"spelling-{place}"),
                form.value(f"target-{place}").strip(),
            )
            if spelling:
                action = f"{USE}{target}" if target else form.value(f"action-{place}")
                skills[normalize_alias(spelling)] = "" if action == _AS_ABOVE else action
        duplicates = form.value("duplicates")
        if duplicates not in [*Duplicates]:
            raise InvalidInput({"duplicates": "Choose one of the options."})
        imports.choose(
            page.user,
            import_id,
            columns=columns,
            skills=skills,
            duplicates=Duplicates(duplicates),
            check=form.revision_check(),
        )
        return page.redirect(
            page.urls.page("admin", "import", import_id), "The preview was updated."
        )

    return page.submit(form, ConfirmForm, save, partial(_show_import, page, import_id, query))


@router.post("/admin/import/{import_id}/apply")
def apply_import(
    page: AdminPage, import_id: Segment, query: ListQueryParameters, form: PostedForm
) -> Response:
    """Import the rows, or go on with that."""

    def apply(_: ConfirmForm) -> Response:
        item = page.service.imports.apply(page.user, import_id, form.revision_check())
        added = item.totals["added"] + item.totals["changed"]
        text = f"Imported {added:,} {'skill' if added == 1 else 'skills'}."
        return page.redirect(page.urls.page("admin", "import", import_id), text)

    return page.submit(form, ConfirmForm, apply, partial(_show_import, page, import_id, query))


@confirm(router, "/admin/import/{import_id}/undo")
def undo_import(page: AdminPage, import_id: Segment) -> ConfirmedAction:
    """Undo an import, or go on with that."""
    item = page.service.imports.get(import_id)
    return ConfirmedAction(
        page,
        title="Undo this import?",
        text=f"Everything that “{item.file_name}” has changed will be as it was before.",
        consequences=(
            "People whom the import has created are removed, unless someone has edited them since.",
            "Skills that someone has changed or endorsed since are kept, and listed.",
        ),
        button="Undo the import",
        back=page.urls.page("admin", "import", import_id),
        revision=item.revision,
        do=lambda form: page.service.imports.undo(page.user, import_id, form.revision_check()),
        done="The import was undone.",
    )

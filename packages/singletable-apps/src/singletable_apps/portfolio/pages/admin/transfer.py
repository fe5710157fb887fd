"""Download the whole site as a zip file, and import such a file or posts in Markdown.

An import has two steps: the upload shows what would change, by kind, and the owner chooses the
kinds. The upload waits in the bucket, and replaces the one that waited before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from io import BytesIO
from tempfile import SpooledTemporaryFile

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.portfolio import transfer
from singletable_apps.portfolio.pages.admin.views import site_time
from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.shared import pages
from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.archives import ArchiveError, Files, read_zip, write_zip
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.objects import ObjectNotFound
from singletable_apps.shared.web.downloads import stream

router = APIRouter()
# The largest body of the import form, for the settings of the app.
IMPORT_LIMIT = 64 << 20
# Images are most of a site and hardly compress.
_UNPACKED_LIMIT = 2 * IMPORT_LIMIT
_IN_MEMORY, _CHUNK = 8 << 20, 1 << 16
_WAITING = "imports/waiting.zip"
_KINDS = {
    transfer.Kind.POSTS: "Posts and pages",
    transfer.Kind.IMAGES: "Images",
    transfer.Kind.PROFILE: "Profile, projects and about page",
    transfer.Kind.SETTINGS: "Settings",
    transfer.Kind.SUBSCRIBERS: "Subscribers",
}
_OUTCOMES = {
    Outcome.CREATED: "%(count)s new",
    Outcome.UPDATED: "%(count)s replaced",
    Outcome.SKIPPED: "%(count)s unchanged",
    Outcome.FAILED: "%(count)s not readable",
    Outcome.LEFT_OUT: "%(count)s left out (unsubscribed or removed)",
}
# The others are only counted.
_LISTED = (Outcome.SKIPPED, Outcome.FAILED)


@router.get("/admin/transfer")
def show_transfer(page: OwnerPage) -> Response:
    """Show the export and the import."""
    return _show(page, pages.Form(), 200)


@router.get("/admin/export")
def export_everything(page: OwnerPage) -> Response:
    """Download every post, image and setting as a zip file."""
    if page.needs_password:
        return page.sign_in_again(SensitiveAction.EXPORT)
    day = page.service.context.clock().date()
    return stream(_zip_chunks(page.service), f"site-{day}.zip", "application/zip")


def _zip_chunks(service: PortfolioService) -> Iterator[bytes]:
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        write_zip(transfer.export_site(service), file)
        file.seek(0)
        yield from iter(partial(file.read, _CHUNK), b"")


@router.post("/admin/import")
def upload_file(page: OwnerPage, upload: pages.PostedUpload) -> Response:
    """Show what a file would change, and let the owner choose the kinds. Change nothing."""
    form, chosen = upload.form, upload.named("file")
    if not chosen:
        return _show(page, form.with_errors(file="Choose a file."), 422)
    try:
        files = _read(chosen)
    except ArchiveError as error:
        return _show(page, form.with_errors(file=str(error)), 422)
    plan = transfer.import_site(page.service, page.user, files, dry_run=True)
    archive = BytesIO()
    write_zip(files.items(), archive)
    page.service.context.bucket.put_object(_WAITING, archive.getvalue(), "application/zip")
    values = {"kinds": _proposed_kinds(page), "digest": _digest(archive.getvalue())}
    return _show(page, pages.Form(values), 200, plan, is_plan=True)


def _read(chosen: list[pages.UploadedFile]) -> Files:
    """Return the files of a zip file, or the chosen files themselves."""
    if len(chosen) == 1 and chosen[0].data.startswith(b"PK"):
        return read_zip(chosen[0].data, _UNPACKED_LIMIT)
    return {file.filename: file.data for file in chosen}


def _digest(archive: bytes) -> str:
    return sha256(archive).hexdigest()


def _proposed_kinds(page: UserPageContext) -> list[str]:
    """Return all kinds for a new site, and else not those that are the owner's own already."""
    is_new = page.settings.revision <= 1 and not page.service.posts.list_all()
    return list(transfer.Kind) if is_new else [transfer.Kind.POSTS, transfer.Kind.IMAGES]


class ImportForm(BaseModel):
    """The file that was shown, and the kinds that the owner has chosen."""

    digest: str
    kinds: list[transfer.Kind]


@router.post("/admin/import/run")
def run_import(page: OwnerPage, form: pages.PostedForm) -> Response:
    """Import the chosen kinds of the file that was uploaded last."""
    bucket, archive = page.service.context.bucket, b""
    with suppress(ObjectNotFound):
        archive = bucket.get_object(_WAITING)

    def act(values: ImportForm) -> Response:
        if _digest(archive) != values.digest:
            raise InvalidInput({"file": "This file is not here any more. Choose it again."})
        if not values.kinds:
            raise InvalidInput({"kinds": "Nothing was chosen, so nothing was imported."})
        report = transfer.import_with_undo(page.service, page.user, read_zip(archive), values.kinds)
        bucket.delete_object(_WAITING)
        return _show(page, pages.Form(), 200, report)

    def show(form: pages.Form, status: int) -> Response:
        if _digest(archive) != form.value("digest"):
            return _show(page, form, status)
        plan = transfer.import_site(page.service, page.user, read_zip(archive), dry_run=True)
        return _show(page, form, status, plan, is_plan=True)

    return page.submit(form, ImportForm, act, show)


@pages.confirm(router, "/admin/import/undo")
def undo_last_import(page: OwnerPage) -> pages.ConfirmedAction | Response:
    """Undo the last import."""
    found = transfer.find_undo(page.service)
    if found is None:
        return page.redirect(page.urls.admin("transfer"), "There is no import to undo.")
    record, _ = found
    restored = [
        Phrase("Posts it replaced: %(count)s", count=len(record.replaced)),
        *(_KINDS[kind] for kind in record.kinds),
    ]
    created = Phrase("Posts it created: %(count)s", count=len(record.created))
    return pages.ConfirmedAction(
        page,
        title=Phrase("Undo the import of %(time)s?", time=site_time(page, record.at).long),
        text="The posts, the profile and the settings become what they were before it. Texts that "
        "you edited since stay in the history. Images stay in the library, and subscribers on the "
        "list.",
        facts=[
            ("Deleted with their comments", created),
            ("Restored", ", ".join(map(page.language.gettext, restored))),
        ],
        button="Undo this import",
        back=page.urls.admin("transfer"),
        do=lambda _: transfer.undo_import(page.service, page.user),
        done="The import was undone.",
    )


def _show(
    page: UserPageContext,
    form: pages.Form,
    status: int,
    report: list[transfer.ImportEntry] | None = None,
    *,
    is_plan: bool = False,
) -> Response:
    found, entries = transfer.find_undo(page.service), report or []
    return page.render(
        "admin/transfer",
        status,
        form=form,
        is_plan=is_plan,
        has_report=report is not None,
        kinds=[
            (
                kind,
                _KINDS[kind],
                _summary(page, [each for each in entries if each.kind is kind], is_plan),
            )
            for kind in transfer.Kind
            if any(each.kind is kind and each.outcome is not Outcome.SKIPPED for each in entries)
        ],
        problems=[each for each in entries if each.reason and each.outcome in _LISTED],
        undo=found and site_time(page, found[0].at).long,
    )


def _summary(page: UserPageContext, entries: list[transfer.ImportEntry], is_plan: bool) -> str:
    """Return what an import does to a kind: how many files, or which fields of yours."""
    translate = page.language.gettext
    changed = [each.reason for each in entries if each.reason and each.outcome is Outcome.UPDATED]
    if changed:
        names = (translate(name) for name in ", ".join(changed).split(", "))
        text = "Replaces yours: %(fields)s" if is_plan else "Replaced: %(fields)s"
        return translate(text, fields=", ".join(names))
    counts = Counter(each.outcome for each in entries)
    shown = ((text, counts[each]) for each, text in _OUTCOMES.items() if counts[each])
    return ", ".join(translate(text, count=count) for text, count in shown)

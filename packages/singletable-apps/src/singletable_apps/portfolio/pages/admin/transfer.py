"""Download the whole site as a zip file, and import such a file or posts in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from fastapi import APIRouter, Response

from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.portfolio.transfer import ImportEntry, export_site, import_site
from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.archives import ArchiveError, Files, read_zip, write_zip
from singletable_apps.shared.pages import Form, PostedUpload, UploadedFile
from singletable_apps.shared.web.downloads import stream

router = APIRouter()
# The largest body of the import form, for the settings of the app.
IMPORT_LIMIT = 64 << 20
# Images are most of a site and hardly compress.
_UNPACKED_LIMIT = 2 * IMPORT_LIMIT
_IN_MEMORY, _CHUNK = 8 << 20, 1 << 16


@router.get("/admin/transfer")
def show_transfer(page: OwnerPage) -> Response:
    """Show the export and the import."""
    return _show(page, Form({"dry_run": True}), 200)


@router.get("/admin/export")
def export_everything(page: OwnerPage) -> Response:
    """Download every post, image and setting as a zip file."""
    if page.needs_password:
        return page.sign_in_again(SensitiveAction.EXPORT)
    day = page.service.context.clock().date()
    return stream(_zip_chunks(page.service), f"site-{day}.zip", "application/zip")


def _zip_chunks(service: PortfolioService) -> Iterator[bytes]:
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        write_zip(export_site(service), cast(BinaryIO, file))
        file.seek(0)
        yield from iter(partial(file.read, _CHUNK), b"")


@router.post("/admin/import")
def import_file(page: OwnerPage, upload: PostedUpload) -> Response:
    """Import a file, or say what would be imported, and show what happened to each file."""
    form, chosen = upload.form, upload.named("file")
    if not chosen:
        return _show(page, form.with_errors(file="Choose a file."), 422)
    try:
        files = _read(chosen)
    except ArchiveError as error:
        return _show(page, form.with_errors(file=str(error)), 422)
    report = import_site(page.service, page.user, files, dry_run=bool(form.value("dry_run")))
    return _show(page, form, 200, report)


def _read(chosen: list[UploadedFile]) -> Files:
    """Return the files of a zip file, or the chosen files themselves."""
    if len(chosen) == 1 and chosen[0].data.startswith(b"PK"):
        return read_zip(chosen[0].data, _UNPACKED_LIMIT)
    return {file.filename: file.data for file in chosen}


def _show(
    page: UserPageContext, form: Form, status: int, report: list[ImportEntry] | None = None
) -> Response:
    counts = Counter(entry.outcome for entry in report or ())
    return page.render(
        "admin/transfer",
        status,
        heading="Your data",
        form=form,
        is_dry_run=bool(form.value("dry_run")),
        has_report=report is not None,
        counts=[(each.value.capitalize(), f"{counts[each]:,}") for each in Outcome],
        problems=[entry for entry in report or () if entry.reason],
    )

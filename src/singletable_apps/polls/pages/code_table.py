"""All codes of a poll as a table, for letters and lists that are made elsewhere."""

from __future__ import annotations

import csv
import io

from fastapi import Response

from singletable_apps.polls.links import code_link
from singletable_apps.polls.pages.managed import ThisOwn
from singletable_apps.polls.pages.site import ThisSite
from singletable_apps.polls.pages.visiting import page_router
from singletable_apps.shared.web import file_to_save

router = page_router()


@router.get("/p/{poll_id}/manage/codes.csv")
def table(site: ThisSite, own: ThisOwn) -> Response:
    """A line for every code: the code, its link, and whether it was voted with."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(["code", "link", "used"])
    for code in site.polls.making.codes(own.poll.id, own.admin_key):
        link = code_link(site.settings.public, own.poll.id, code.code)
        lines.writerow([code.code, link, "yes" if code.is_used else "no"])
    return file_to_save(written.getvalue().encode(), f"{own.poll.title} codes.csv", "text/csv")

"""The ballots themselves, page by page, as far as the election publishes them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from singletable_apps.elections.api.files import export_file
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.rules import Shown
from singletable_apps.shared.web import file_to_save

router = page_router()

SIZE = 50
Begin = Annotated[int, Query(ge=0, le=10**9, alias="from")]


@router.get("/e/{name}/tally/rankings")
def list_rankings(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, begin: Begin = 0
) -> Response:
    """Every ranking that was cast, and how often."""
    alike = site.elections.results.rankings(user, name)
    tally = site.elections.results.tally(user, name)
    return site.pages.page(
        request,
        "elections/tally/rankings.html",
        **framed(site, tally.election, user, "tally"),
        **_part(election_address(tally.election, "tally", "rankings"), begin, len(alike)),
        alike=alike[begin : begin + SIZE],
        tally=tally,
        back=election_address(tally.election, "tally"),
    )


@router.get("/e/{name}/tally/ballots")
def list_ballots(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, begin: Begin = 0
) -> Response:
    """Every ballot: by voter where ballots are open, by confirmation where they are secret."""
    tally = site.elections.results.tally(user, name)
    if Shown.CONFIRMATIONS not in tally.shown:
        return site.pages.redirect(election_address(tally.election, "tally", "rankings"))
    ballots = site.elections.results.ballots(user, name)
    return site.pages.page(
        request,
        "elections/tally/ballots.html",
        **framed(site, tally.election, user, "tally"),
        **_part(election_address(tally.election, "tally", "ballots"), begin, len(ballots)),
        ballots=ballots[begin : begin + SIZE],
        named=Shown.NAMES in tally.shown,
        back=election_address(tally.election, "tally"),
    )


@router.get("/e/{name}/tally/ballots/{form}")
def download_ballots(site: ThisSite, user: Viewer, name: NameInPath, form: str) -> Response:
    """The ballots as a file for other programs."""
    return export_file(site.elections, user, name, form)


@router.get("/e/{name}/tally/result.json")
def download_result(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The count as a file."""
    tally = site.elections.results.tally(user, name)
    content = tally.result.to_json().encode()
    return file_to_save(content, f"{tally.election.name}, result.json", "application/json")


def _part(to: str, begin: int, total: int) -> dict[str, object]:
    """What the pager of a list says, and where it leads."""
    end = min(begin + SIZE, total)
    return {
        "begin": begin,
        "total": total,
        "first": to if begin else "",
        "next": f"{to}?from={end}" if end < total else "",
        "shown": f"{begin + 1:,} to {end:,} of {total:,}" if begin < total else "",
    }

"""The receipt: what a voter takes home, on screen, on paper, and as a file for the checker."""

from __future__ import annotations

import json
from functools import partial

from fastapi import Request, Response

from singletable_apps.elections.api import PREFIX as API
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.pages.addresses import address, election_address
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.polling import OPEN, polling, seen_by
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.proofs import fingerprint, readable
from singletable_apps.shared.ballot import said
from singletable_apps.shared.web import file_to_save

router = page_router()
CHECKER = f"{API}/checker.py"


@router.get("/e/{name}/receipt")
def show_receipt(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """What was cast, its confirmation, and what can be done with it."""
    found = polling(site, user, name)
    if found.ballot is None:
        to = election_address(found.election, "ballot")
        return site.pages.redirect(to, "There is no receipt: you have not voted here.")
    cast = site.elections.voting.ballot(user, found.election.name, user.name)
    ranking, asked = cast.receipt["ranking"], cast.receipt["definition"]
    ranked = {each for level in ranking for each in level}
    return site.pages.page(
        request,
        "elections/receipt.html",
        **framed(site, found.election, user, "ballot"),
        found=found,
        at=partial(election_address, found.election),
        cast=cast,
        groups=readable(cast.receipt["confirmation"]).split("-"),
        said=said(ranking, [each for each in asked["candidates"] if each not in ranked]),
        may_change=found.way in OPEN,
        seen_by=seen_by(found.election),
        closing=cast.receipt["closing"],
        key=readable(fingerprint(site.elections.office.keys.signer.public_key)),
        check=address("check"),
        checker=CHECKER,
    )


@router.get("/e/{name}/receipt.json")
def download_receipt(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The receipt as a file, as the checker reads it."""
    election = site.elections.results.settled(name)
    receipt = site.elections.voting.ballot(user, election.name, user.name).receipt
    content = json.dumps(receipt, ensure_ascii=False, indent=1).encode()
    response = file_to_save(content, f"receipt of {receipt['name']}.json", "application/json")
    response.headers["Cache-Control"] = "private, no-store"
    return response

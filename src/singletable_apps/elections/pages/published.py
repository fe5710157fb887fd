"""What is published of an election: what was signed, line by line, and how to check it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Query, Request, Response

from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.pages.addresses import address, election_address
from singletable_apps.elections.pages.counted.statement import lines_of
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.proofs import fingerprint, readable
from singletable_apps.shared.web import file_to_save

router = page_router()

SIZE = 200
Begin = Annotated[int, Query(ge=0, le=10**9, alias="from")]


@router.get("/e/{name}/published")
def show_published(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, begin: Begin = 0
) -> Response:
    """The signed statement explained, the key, and all confirmations."""
    election = site.elections.results.settled(name)
    frame = framed(site, election, user, "tally")
    key = readable(fingerprint(site.elections.office.keys.signer.public_key))
    if election.statement is None:
        return site.pages.page(
            request,
            "elections/published_later.html",
            **frame,
            key=key,
            tally=election_address(election, "tally"),
        )
    published = site.elections.results.published(user, name)
    closing, codes = published["closing"], published["confirmations"]
    to, end = election_address(election, "published"), begin + SIZE
    return site.pages.page(
        request,
        "elections/published.html",
        **frame,
        statement=closing["statement"],
        lines=lines_of(closing["statement"]),
        signature=closing["signature"],
        public_key=closing["public_key"],
        key=key,
        codes=[readable(code) for code in codes[begin:end]],
        total=len(codes),
        begin=begin,
        next=f"{to}?from={end}#confirmations" if end < len(codes) else "",
        first=f"{to}#confirmations" if begin else "",
        file=election_address(election, "published", "publication.json"),
        check=address("check"),
        tally=election_address(election, "tally"),
    )


@router.get("/e/{name}/published/publication.json")
def download_publication(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The signed file that everybody may check."""
    published = site.elections.results.published(user, name)
    content = json.dumps(published, ensure_ascii=False, indent=1).encode()
    title = site.elections.office.view.election(name).name
    return file_to_save(content, f"{title}, published.json", "application/json")

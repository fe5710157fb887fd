"""What somebody sees who comes to vote: the paper, the question whether it is so, and thanks."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Request, Response

from singletable_apps.polls.entities import Vote
from singletable_apps.polls.errors import Hidden
from singletable_apps.polls.links import share_link
from singletable_apps.polls.pages.booth import WORDS, Booth, fields_of, meaning, paper_of
from singletable_apps.polls.pages.carrying import admin_key_of
from singletable_apps.polls.pages.site import Site
from singletable_apps.polls.pages.visiting import keep_private
from singletable_apps.polls.service import Viewer
from singletable_apps.polls.words import PROTECTION_WORDS, RESULTS_WORDS
from singletable_apps.shared.ballot import RANK, Choice, drawn, said
from singletable_apps.shared.pages import Form


def paper(
    request: Request,
    site: Site,
    booth: Booth,
    choices: Sequence[Choice],
    wrong: str = "",
    status: int = 422,
    *,
    code_fault: str = "",
) -> Response:
    """The paper to fill in, with what is wrong beside its boxes, and above."""
    faulty = any(choice.fault for choice in choices)
    form = Form({"code": booth.code}, {"code": code_fault} if code_fault else {})
    return site.pages.page(
        request,
        "polls/vote.html",
        status if wrong or code_fault or faulty else 200,
        **_around(request, site, booth),
        paper=drawn(paper_of(booth, choices)),
        wrong=wrong,
        faulty=faulty,
        form=form,
    )


def review(request: Request, site: Site, booth: Booth, ranked: Sequence[str]) -> Response:
    """The vote in words, with a button that casts it: where no script asks."""
    keep_private(request)
    fields = {
        **fields_of(booth),
        "code": booth.code,
        **{f"{RANK}{name}": "" for name in booth.poll.candidates},
        **{f"{RANK}{name}": str(place) for place, name in enumerate(ranked, 1)},
    }
    return site.pages.page(
        request,
        "polls/vote_review.html",
        **_around(request, site, booth),
        said=_said(booth, ranked),
        fields=fields,
        words=WORDS,
        means=meaning(booth.poll),
    )


def thanks(
    request: Request,
    site: Site,
    booth: Booth,
    vote: Vote,
    *,
    fresh: bool = False,
    again: bool = False,
) -> Response:
    """What was voted; right after it, or when somebody comes back, or would vote again in vain."""
    return site.pages.page(
        request,
        "polls/voted.html",
        409 if again else 200,
        **_around(request, site, booth, vote),
        vote=vote,
        said=_said(booth, vote.rankings),
        fresh=fresh,
        again=again,
        link=share_link(site.settings.public, booth.poll.id),
    )


def shut(request: Request, site: Site, booth: Booth, *, late: bool = False) -> Response:
    """That the poll takes no votes any more; also a vote that came too late."""
    vote = booth.vote
    return site.pages.page(
        request,
        "polls/shut.html",
        409 if late else 200,
        **_around(request, site, booth, vote),
        vote=vote,
        said="" if vote is None else _said(booth, vote.rankings),
        late=late,
    )


def _around(
    request: Request, site: Site, booth: Booth, vote: Vote | None = None
) -> dict[str, object]:
    poll = booth.poll
    if booth.code or booth.vote or vote:
        keep_private(request)
    admin_key = admin_key_of(request, site, booth.voter.browser, poll)
    return {
        "booth": booth,
        "poll": poll,
        "protection": PROTECTION_WORDS[poll.protection],
        "results": RESULTS_WORDS[poll.results],
        "sees_results": _sees(site, booth, vote, admin_key),
        "is_admin": admin_key is not None,
    }


def _sees(site: Site, booth: Booth, vote: Vote | None, admin_key: str | None) -> bool:
    viewer = Viewer(booth.voter, None if vote is None else vote.id, admin_key)
    try:
        site.polls.standing.check(booth.poll, viewer)
    except Hidden:
        return False
    return True


def _said(booth: Booth, ranked: Sequence[str]) -> str:
    rest = [name for name in booth.poll.candidates if name not in ranked]
    return said([[name] for name in ranked], rest, WORDS)

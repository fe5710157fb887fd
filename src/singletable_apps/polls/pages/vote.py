"""The page of a poll: rank the options, look at it once more, and vote."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.polls.entities import Poll, Protection, Vote
from singletable_apps.polls.errors import AlreadyVoted, Busy, Closed, Hidden, Invalid, NoCode
from singletable_apps.polls.pages.cookies import (
    CODE,
    VOTE,
    admin_key_of,
    delete_cookie,
    read_code,
    read_cookie,
    set_code,
    set_cookie,
)
from singletable_apps.polls.pages.dependencies import (
    Browser,
    CurrentPoll,
    check_guess,
    count,
    keep_private,
    known,
)
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.rules import checked_ranking, is_changeable, is_open
from singletable_apps.polls.service import Viewer, Voter
from singletable_apps.polls.text import PROTECTION_WORDS, RESULTS_WORDS
from singletable_apps.polls.urls import poll_url, share_link
from singletable_apps.shared.ballot import (
    RANK_PREFIX,
    BallotForm,
    BallotLabels,
    Choice,
    parse_ranks,
    render_ballot_form,
    render_ranking,
)
from singletable_apps.shared.ballot import SubmittedRanks as TypedRanks
from singletable_apps.shared.pages import Form, PostedForm

WORDS = BallotLabels(
    empty_hint="Tap an option to rank it first, or drag it here.",
    review_button="Review and vote",
    submit_button="Vote",
    confirm_title="Vote like this?",
    confirm_blank_title="Nothing is ranked yet",
    blank_hint="Rank at least one option; leave out those you do not care for.",
)
LONGEST_KEY = 100


@dataclass(frozen=True, slots=True)
class Booth:
    """A poll as somebody meets it: their vote so far, and whether another is taken."""

    poll: Poll
    voter: Voter
    vote: Vote | None
    is_open: bool

    @property
    def code(self) -> str:
        """The code that somebody votes with; nothing if there is none yet."""
        return self.voter.code or ""

    @property
    def draft(self) -> str:
        """What a draft is kept under in the browser."""
        return f"polls {self.poll.id}"

    @property
    def basis(self) -> str:
        """What a draft is based on: what is asked, and the vote that it would replace."""
        asked = repr((self.poll.title, self.poll.candidates)).encode()
        cast = "" if self.vote is None else f"{self.vote.id} {self.vote.revision}"
        return f"{hashlib.sha256(asked).hexdigest()[:16]} {cast}"


def enter(
    request: Request, site: Site, poll: Poll, browser: str | None, code: str = "", key: str = ""
) -> Booth:
    """How somebody meets the poll. A code that is given comes before one that is carried."""
    if poll.protection is Protection.CODES:
        check_guess(request, site, poll, code)
        code = code or read_code(request, site, poll) or ""
    voter = Voter(browser, code or None, key[:LONGEST_KEY] or None)
    vote = site.polls.voting.vote_of(poll, voter)
    return Booth(poll, voter, vote, is_open(poll, site.polls.context.clock()))


def cast_vote(request: Request, site: Site, booth: Booth) -> Vote | None:
    """The vote that the browser has cast, in an open poll too, where each is a new one."""
    last = read_cookie(request, VOTE)
    if booth.vote is None and booth.poll.protection is Protection.OPEN and last is not None:
        return site.polls.voting.vote(booth.poll.id, last)
    return booth.vote


def paper_of(booth: Booth, choices: Sequence[Choice]) -> BallotForm:
    """The paper to fill in. The key lets it count once, however often it is sent."""
    return BallotForm(
        action=poll_url(booth.poll.id),
        choices=tuple(choices),
        notice=meaning(booth.poll),
        hidden_fields=fields_of(booth),
        draft_key=booth.draft,
        draft_version=booth.basis,
        labels=WORDS,
        allow_ties=False,
        allow_blank=False,
    )


def fields_of(booth: Booth) -> dict[str, str]:
    """What is sent along with the ranks: what was asked, and a key."""
    return {"key": booth.voter.request or secrets.token_hex(16), "title": booth.poll.title}


def meaning(poll: Poll) -> str:
    """What becomes of a vote, and whether it can be changed."""
    return (
        "Votes carry no name. Whoever may see the results sees how often each ranking was voted "
        f"for. {_lasts(poll)}"
    )


def _lasts(poll: Poll) -> str:
    if poll.protection is Protection.OPEN:
        return "Once cast, a vote stays as it is."
    if poll.changeable:
        return "You can change your vote until the poll closes."
    return "Your vote is final: once cast, it cannot be changed."


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
    faulty = any(choice.error for choice in choices)
    form = Form({"code": booth.code}, {"code": code_fault} if code_fault else {})
    return site.pages.render(
        request,
        "polls/vote.html",
        status if wrong or code_fault or faulty else 200,
        **_around(request, site, booth),
        paper=render_ballot_form(paper_of(booth, choices)),
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
        **{f"{RANK_PREFIX}{name}": "" for name in booth.poll.candidates},
        **{f"{RANK_PREFIX}{name}": str(place) for place, name in enumerate(ranked, 1)},
    }
    return site.pages.render(
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
    return site.pages.render(
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
    return site.pages.render(
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
    return render_ranking([[name] for name in ranked], rest, WORDS)


SHARED = (
    "Place {rank} is there {times}. Give each option a place of its own, or leave its box empty."
)
ANOTHER_TITLE = (
    "The question has been changed since you opened this page: it was “{before}”. Look at it "
    "again; what you ranked is still there."
)
OTHER_OPTIONS = (
    "The options have been changed since you opened this page: {changes}. Look at them again; "
    "what you ranked is still there."
)


def choices_of(poll: Poll, typed: TypedRanks) -> list[Choice]:
    """The options with what was typed for them; a place that is there twice is a fault at both."""
    times = Counter(rank for rank in typed.ranks.values() if rank is not None)
    return [
        Choice(one.name, one.rank, one.error or _shared(times, typed.ranks.get(one.name)))
        for one in typed.choices(poll.candidates)
    ]


def _shared(times: Counter[int], rank: int | None) -> str:
    if rank is None or times[rank] < 2:
        return ""
    often = "twice" if times[rank] == 2 else f"{times[rank]} times"
    return SHARED.format(rank=rank, times=often)


def ranking_in(poll: Poll, typed: TypedRanks) -> list[str]:
    """The options from the first place on; Invalid if there are none."""
    ranked = [(rank, name) for name, rank in typed.ranks.items() if rank is not None]
    return checked_ranking(poll, [name for _, name in sorted(ranked)])


def what_changed(poll: Poll, form: Form, typed: TypedRanks) -> str:
    """What is asked differently by now than on the paper that was sent; nothing if nothing is."""
    before = form.value("title")
    if before != poll.title:
        return ANOTHER_TITLE.format(before=before[:200])
    new = [name for name in poll.candidates if name not in typed.texts]
    gone = [name for name in typed.texts if name not in poll.candidates]
    if not new and not gone:
        return ""
    return OTHER_OPTIONS.format(
        changes="; ".join(_said_ranks("new", new) + _said_ranks("gone", gone))
    )


def _said_ranks(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what}: {', '.join(name[:100] for name in names[:10])}"] if names else []


router = APIRouter()

NO_COOKIE = (
    "Your browser has kept no cookie, and this poll knows by it who has voted. Allow cookies for "
    "this site, and vote again: what you ranked is still there."
)


@router.get("/p/{poll_id}")
def show_poll(
    request: Request,
    site: ThisSite,
    poll: CurrentPoll,
    browser: Browser,
    code: Annotated[str, Query(max_length=100)] = "",
    change: bool = False,
) -> Response:
    """The paper to fill in; what was voted, if that is so; or that it is closed."""
    booth = enter(request, site, poll, _voter(request, poll, browser), code)
    if not booth.is_open:
        return shut(request, site, booth)
    if booth.vote is not None and not (change and is_changeable(poll)):
        response = thanks(request, site, booth, booth.vote)
        return _keep_code(request, site, booth, response)
    ranked = booth.vote.rankings if booth.vote is not None else []
    places = {name: str(place) for place, name in enumerate(ranked, 1)}
    choices = [Choice(one, places.get(one, "")) for one in poll.candidates]
    return paper(request, site, booth, choices)


@router.post("/p/{poll_id}")
def vote(
    request: Request, site: ThisSite, poll: CurrentPoll, browser: Browser, form: PostedForm
) -> Response:
    """Vote, if all is well and it is meant so; else say what is wrong, or ask once more."""
    count(request, site.settings.limits.vote)
    code = form.value("code").strip()
    booth = enter(request, site, poll, _voter(request, poll, browser), code, form.value("key"))
    if not booth.is_open:
        return shut(request, site, booth, late=True)
    if booth.vote is not None and not is_changeable(poll) and not form.value("sure"):
        return thanks(request, site, booth, booth.vote, again=True)
    typed = parse_ranks(form.values)
    choices = choices_of(poll, typed)
    wrong = what_changed(poll, form, typed)
    if not wrong and poll.protection is Protection.BROWSER and browser is None:
        wrong = NO_COOKIE
    if wrong or form.value("change") or any(choice.error for choice in choices):
        return paper(request, site, booth, choices, wrong)
    try:
        site.polls.voting.vote_id(poll, booth.voter)
        ranked = ranking_in(poll, typed)
        if form.value("sure"):
            return _cast(request, site, booth, ranked)
        return review(request, site, booth, ranked)
    except NoCode as refusal:
        return paper(request, site, booth, choices, code_fault=str(refusal))
    except Invalid as refusal:
        return paper(request, site, booth, choices, str(refusal))
    except Busy as refusal:
        return paper(request, site, booth, choices, str(refusal), 503)


def _voter(request: Request, poll: Poll, browser: str | None) -> str | None:
    """Polls that count one vote a browser let it be known; others have no use for it."""
    return known(request, browser) if poll.protection is Protection.BROWSER else browser


def _cast(request: Request, site: Site, booth: Booth, ranked: Sequence[str]) -> Response:
    poll = booth.poll
    try:
        cast = site.polls.voting.cast(poll.id, ranked, booth.voter)
    except Closed:
        return shut(request, site, booth, late=True)
    except AlreadyVoted:
        before = site.polls.voting.vote_of(poll, booth.voter)
        if before is None:
            raise
        return thanks(request, site, booth, before, again=True)
    if not request.cookies:
        # A browser that keeps none would not be known again on the next page.
        return thanks(request, site, booth, cast.vote, fresh=True)
    response = site.pages.redirect(request, poll_url(poll.id, "voted"))
    if poll.protection is Protection.OPEN:
        set_cookie(request, poll, VOTE, cast.vote.id)
    return _keep_code(request, site, booth, response)


def _keep_code(request: Request, site: Site, booth: Booth, response: Response) -> Response:
    """Let the browser carry the code that was voted with."""
    if booth.poll.protection is Protection.CODES:
        set_code(request, site, booth.poll, booth.code)
    return response


@router.get("/p/{poll_id}/voted")
def show_thanks(request: Request, site: ThisSite, poll: CurrentPoll, browser: Browser) -> Response:
    """Thanks, and what was voted."""
    booth = enter(request, site, poll, browser)
    cast = cast_vote(request, site, booth)
    if cast is None:
        return site.pages.redirect(request, poll_url(poll.id))
    return thanks(request, site, booth, cast, fresh=True)


@router.post("/p/{poll_id}/next")
def next_voter(request: Request, site: ThisSite, poll: CurrentPoll) -> Response:
    """Let somebody else vote in the same browser, who is not to see what was voted before."""
    for cookie in (CODE, VOTE):
        delete_cookie(request, poll, cookie)
    return site.pages.redirect(request, poll_url(poll.id))

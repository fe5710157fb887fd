"""Vote on a poll: the ballot, its review without scripts, and the page after voting."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from singletable_apps.polls.entities import Poll, PollKind, Protection, Vote
from singletable_apps.polls.errors import (
    AlreadyVoted,
    Busy,
    CodeUsed,
    InvalidCode,
    InvalidInput,
    PollClosed,
)
from singletable_apps.polls.pages.dependencies import (
    CODE,
    VOTE,
    PollPage,
    PollPageContext,
    set_no_store,
)
from singletable_apps.polls.rules import Ballot, check_ballot, is_changeable
from singletable_apps.polls.service import Identity, Viewer, Voter
from singletable_apps.shared.ballot import (
    RANK_PREFIX,
    BallotForm,
    BallotLabels,
    Choice,
    SubmittedRanks,
    parse_ranks,
    render_ballot_form,
    render_ranking,
)
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import Form, PostedForm
from singletable_apps.shared.web import FOREVER, public_response

router = APIRouter()

LABELS = BallotLabels(
    unranked_hint="Counted below every option you rank.",
    empty_hint="Tap an option to rank it first, or drag it here.",
    review_button="Review and vote",
    submit_button="Vote",
    confirm_title="Submit this vote?",
    confirm_blank_title="Rank at least one option",
    blank_hint="You can leave out the options you don’t care about.",
)
NO_COOKIE = (
    "Your browser did not keep our cookie, which we need to count one vote per browser. Allow "
    "cookies for this site and vote again. Your ranking is still here."
)
TITLE_CHANGED = (
    "The question was changed after you opened this page. It was “{before}”. Please check your "
    "ranking; it is still here."
)
OPTIONS_CHANGED = (
    "The options were changed after you opened this page ({changes}). Please check your ranking; "
    "it is still here."
)
RECEIPT_OPENED = (
    "This is the vote of your private link. If you didn’t cast it, someone else has used your "
    "code: don’t change it here, but ask the organizer for another code."
)
# The fields of dates in the form.
ANSWER_PREFIX = "answer."
_REQUEST_KEY = re.compile(r"[0-9A-Za-z_-]{16,64}")


@dataclass(frozen=True, slots=True)
class EnteredBallot:
    """What was entered: the rank of each option, or `yes` or `maybe`, and a name."""

    choices: tuple[Choice, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str = ""

    @property
    def ballot(self) -> Ballot:
        """Return the ballot, to be checked."""
        ranked = sorted((int(one.rank), one.name) for one in self.choices if one.rank)
        picked = [name for name, answer in self.answers.items() if answer == "yes"]
        maybe = [name for name, answer in self.answers.items() if answer == "maybe"]
        return Ballot([name for _, name in ranked] or picked, maybe, self.name)

    @classmethod
    def from_vote(cls, poll: Poll, vote: Vote | None) -> EnteredBallot:
        """Return the vote that was cast, or an empty ballot."""
        yes = [] if vote is None else vote.rankings
        name = "" if vote is None else vote.name
        if poll.settings.kind is PollKind.RANK:
            ranks = {option: str(rank) for rank, option in enumerate(yes, 1)}
            options = tuple(Choice(option, ranks.get(option, "")) for option in poll.candidates)
            return cls(options, name=name)
        maybe = [] if vote is None else vote.maybe
        return cls(answers=dict.fromkeys(yes, "yes") | dict.fromkeys(maybe, "maybe"), name=name)

    @classmethod
    def from_form(cls, poll: Poll, form: Form) -> EnteredBallot:
        """Return what was entered; errors are in the choices."""
        name = form.value("name")
        if poll.settings.kind is PollKind.RANK:
            return cls(_check_choices(poll, parse_ranks(form.values)), name=name)
        if poll.settings.kind is PollKind.DATES:
            given = {option: form.value(f"{ANSWER_PREFIX}{option}") for option in poll.candidates}
            return cls(answers={option: text for option, text in given.items() if text}, name=name)
        return cls(answers=dict.fromkeys(form.selected("pick"), "yes"), name=name)


def _identify(
    page: PollPageContext, browser: str | None, code: str = "", request_key: str = ""
) -> Identity:
    """Identify the voter. A code in the URL or form takes precedence over a saved one."""
    key = request_key if _REQUEST_KEY.fullmatch(request_key) else None
    saved = None
    if page.poll.settings.protection is Protection.CODES:
        page.check_code_limit(code)
        if found := page.saved_code():
            page.check_code_limit(found[0])
            saved = Voter(browser, found[0], key, found[1])
    typed = Voter(browser, code or None, key, proof=key)
    return page.service.voting.identify(page.poll, typed, saved)


@router.get("/p/{poll_id}")
def show_ballot(
    page: PollPage, code: Annotated[str, Query(max_length=100)] = "", change: bool = False
) -> Response:
    """Show the ballot, or the vote that was cast, or that the poll is closed."""
    who = _identify(page, _voter_token(page), code)
    if not page.is_open:
        return _show_closed(page, who)
    if who.is_code_used:
        return _show_voter(page, who, "code_used")
    if who.vote is not None and not (change and is_changeable(page.poll)):
        return _show_vote(page, who, who.vote)
    return _show_ballot(page, who, EnteredBallot.from_vote(page.poll, who.vote))


@router.post("/p/{poll_id}")
def submit_vote(page: PollPage, form: PostedForm) -> Response:
    """Cast the vote once it is confirmed, or show the ballot again with its errors."""
    count_request(page.request, "vote")
    poll = page.poll
    who = _identify(page, _voter_token(page), form.value("code").strip(), form.value("key"))
    if not page.is_open:
        return _show_closed(page, who, late=True)
    if who.is_code_used:
        return _show_voter(page, who, "code_used", 409)
    if who.vote is not None and not is_changeable(poll) and not form.value("sure"):
        return _show_vote(page, who, who.vote, again=True)
    entered = EnteredBallot.from_form(poll, form)
    error = _describe_changes(poll, form)
    if not error and poll.settings.protection is Protection.BROWSER and page.browser is None:
        error = NO_COOKIE
    if error or form.value("change") or any(choice.error for choice in entered.choices):
        return _show_ballot(page, who, entered, error)
    try:
        page.service.voting.vote_id(poll, who.voter)
        ballot = check_ballot(poll, entered.ballot)
        # Without scripts, a ranking is hard to see in its numbers; picks are not.
        if form.value("sure") or poll.settings.kind is not PollKind.RANK:
            return _cast(page, who, ballot)
        return _show_review(page, who, ballot)
    except InvalidCode as refused:
        return _show_ballot(page, who, entered, errors={"code": str(refused)})
    except InvalidInput as refused:
        others = [text for name, text in refused.errors.items() if name != "name"]
        return _show_ballot(page, who, entered, " ".join(others), errors=refused.errors)
    except Busy as refused:
        return _show_ballot(page, who, entered, str(refused), 503)


@router.post("/p/{poll_id}/options")
def add_option(page: PollPage, form: PostedForm) -> Response:
    """Add an option for everyone, and show the ballot with it."""
    count_request(page.request, "vote")
    who = _identify(page, _voter_token(page), form.value("code").strip())
    try:
        page.service.options.add(page.poll.id, form.value("option"), who.voter)
    except PollClosed:
        return _show_closed(page, who, late=True)
    except (InvalidInput, InvalidCode) as refused:
        entered = EnteredBallot.from_vote(page.poll, who.vote)
        errors = {"option": str(refused), "typed": form.value("option")}
        return _show_ballot(page, who, entered, errors=errors)
    query = {"code": who.voter.code} if who.voter.code else {}
    if who.vote is not None:
        query = {"change": "yes"}
    return page.redirect(page.urls.poll(page.poll.id, **query), "The option was added.")


@router.get("/p/{poll_id}/pictures/{name}")
def read_picture(page: PollPage, name: Annotated[str, Path(max_length=100)]) -> Response:
    """Return the picture of an option."""
    content = page.service.pictures.find(page.poll.id, name.removesuffix(".webp"))
    return public_response(page.request, content, "image/webp", caching=FOREVER)


@router.get("/p/{poll_id}/voted")
def show_thanks(page: PollPage) -> Response:
    """Thank the voter and show the vote that was just cast."""
    who = _identify(page, page.browser)
    vote, last = who.vote, page.read_cookie(VOTE)
    if page.poll.settings.protection is Protection.OPEN and last is not None:
        vote = page.service.voting.get_vote(page.poll.id, last)
    if vote is None:
        return page.redirect(page.url())
    return _show_vote(page, who, vote, fresh=True)


@router.get("/p/{poll_id}/receipt")
def open_receipt(
    page: PollPage,
    code: Annotated[str, Query(max_length=100)] = "",
    proof: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """Show the vote of a voter's private link on another device, and remember it there."""
    set_no_store(page.request)
    if page.poll.settings.protection is Protection.CODES:
        page.check_code_limit(code)
        who = page.service.voting.identify(page.poll, Voter(code=code, proof=proof))
        if who.is_code_used:
            return _show_voter(page, who, "code_used", 403)
        if who.vote is not None:
            page.save_code(who.voter)
            return page.redirect(page.url(), RECEIPT_OPENED)
    return page.redirect(page.url())


@router.post("/p/{poll_id}/next")
def start_next_voter(page: PollPage) -> Response:
    """Forget the vote that was cast in this browser, so that someone else can vote here."""
    for cookie in (CODE, VOTE):
        cookie.delete(page.request, path=page.url())
    return page.redirect(page.url())


def _voter_token(page: PollPageContext) -> str | None:
    """Set the browser cookie only in polls that count one vote per browser."""
    is_needed = page.poll.settings.protection is Protection.BROWSER
    return page.get_browser_token() if is_needed else page.browser


def _cast(page: PollPageContext, who: Identity, ballot: Ballot) -> Response:
    poll, voting = page.poll, page.service.voting
    try:
        cast = voting.cast(poll.id, ballot, who.voter)
    except PollClosed:
        return _show_closed(page, who, late=True)
    except CodeUsed:
        return _show_voter(page, who, "code_used", 409)
    except AlreadyVoted:
        before = voting.find_vote(poll, who.voter)
        if before is None:
            raise
        return _show_vote(page, who, before, again=True)
    if poll.settings.protection is Protection.CODES:
        page.save_code(who.voter)
    if not page.request.cookies:
        # A browser without cookies would not be recognized on the next page.
        return _show_vote(page, who, cast.vote, fresh=True)
    if poll.settings.protection is Protection.OPEN:
        page.set_cookie(VOTE, cast.vote.id)
    return page.redirect(page.url("voted"))


def _check_choices(poll: Poll, submitted: SubmittedRanks) -> tuple[Choice, ...]:
    """Return the options with what was entered, and an error where two share a rank."""
    uses = Counter(rank for rank in submitted.ranks.values() if rank is not None)

    def error(choice: Choice) -> str:
        rank = submitted.ranks.get(choice.name)
        if choice.error or rank is None or uses[rank] < 2:
            return choice.error
        times = "twice" if uses[rank] == 2 else f"{uses[rank]} times"
        return f"Rank {rank} is used {times}. Give each option its own rank, or leave it empty."

    choices = submitted.choices(poll.candidates)
    return tuple(Choice(choice.name, choice.rank, error(choice)) for choice in choices)


def _describe_changes(poll: Poll, form: Form) -> str:
    """Return how the question has changed since the ballot was shown, or an empty string."""
    before = form.value("title")
    if before != poll.title:
        return TITLE_CHANGED.format(before=before[:200])
    is_ranking = poll.settings.kind is PollKind.RANK
    shown = list(parse_ranks(form.values).texts) if is_ranking else form.selected("shown")
    # Options that voters add while someone votes do not matter for that vote.
    added = (
        [] if poll.settings.write_ins else [name for name in poll.candidates if name not in shown]
    )
    removed = [name for name in shown if name not in poll.candidates]
    changes = [
        f"{verb}: {', '.join(name[:100] for name in names[:10])}"
        for verb, names in (("added", added), ("removed", removed))
        if names
    ]
    return OPTIONS_CHANGED.format(changes="; ".join(changes)) if changes else ""


def _hidden_fields(poll: Poll, voter: Voter) -> dict[str, str]:
    """Return the question as shown, and a key so that a vote sent twice counts once."""
    key = voter.proof or voter.request_key or secrets.token_hex(16)
    return {"key": key, "title": poll.title}


def _notice(poll: Poll) -> str:
    can = "You can change your vote until the poll closes."
    cannot = "You can’t change your vote afterwards."
    if poll.settings.protection is Protection.CODES:
        can += " The code alone isn’t enough, so others who know it can’t see your vote."
        cannot += " Others who know your code can’t see it."
    what = "ranking was cast" if poll.settings.kind is PollKind.RANK else "option was picked"
    who = f"Your vote is anonymous: the results show only how often each {what}."
    if poll.settings.names:
        who = "Your name and your vote are shown with the results."
    return f"{who} {can if is_changeable(poll) else cannot}"


def _show_ballot(
    page: PollPageContext,
    who: Identity,
    entered: EnteredBallot,
    error: str = "",
    status: int = 422,
    *,
    errors: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    poll = page.poll
    has_rank_errors = any(choice.error for choice in entered.choices)
    hidden = _hidden_fields(poll, who.voter)
    ranks = BallotForm(
        action=page.url(),
        choices=entered.choices,
        notice=_notice(poll),
        hidden_fields=hidden,
        draft_key=_draft_key(poll),
        draft_version=_draft_version(poll, who.vote),
        labels=LABELS,
        allow_ties=False,
        allow_blank=False,
        pictures=page.urls.pictures(poll),
    )
    typed = {"code": who.voter.code or "", "name": entered.name, "option": errors.get("typed", "")}
    return _show_voter(
        page,
        who,
        "vote",
        status if error or errors or has_rank_errors else 200,
        ballot=render_ballot_form(ranks) if poll.settings.kind is PollKind.RANK else "",
        entered=entered,
        hidden=hidden,
        notice=ranks.notice,
        error=error,
        has_rank_errors=has_rank_errors,
        form=Form(typed, errors),
    )


def _draft_key(poll: Poll) -> str:
    """Return the key under which the browser stores a draft of the ranking."""
    return f"polls {poll.id}"


def _draft_version(poll: Poll, vote: Vote | None) -> str:
    """Return what a draft depends on: the question, and the vote that it would replace."""
    options = () if poll.settings.write_ins else poll.candidates
    question = repr((poll.title, options)).encode()
    cast = "" if vote is None else f"{vote.id} {vote.revision}"
    return f"{hashlib.sha256(question).hexdigest()[:16]} {cast}"


def _show_review(page: PollPageContext, who: Identity, ballot: Ballot) -> Response:
    """Show the ranking with a button that casts it, for browsers without scripts."""
    set_no_store(page.request)
    hidden = {
        **_hidden_fields(page.poll, who.voter),
        "code": who.voter.code or "",
        "name": ballot.name,
        **{f"{RANK_PREFIX}{name}": "" for name in page.poll.candidates},
        **{f"{RANK_PREFIX}{name}": str(rank) for rank, name in enumerate(ballot.rankings, 1)},
    }
    return _show_voter(
        page,
        who,
        "vote_review",
        ranking=_render_ranking(page.poll, ballot),
        hidden=hidden,
        labels=LABELS,
        notice=_notice(page.poll),
    )


def _show_vote(
    page: PollPageContext, who: Identity, vote: Vote, *, fresh: bool = False, again: bool = False
) -> Response:
    """Show a vote: just cast (`fresh`), on a later visit, or instead of a second vote (`again`)."""
    poll, voter, receipt = page.poll, who.voter, ""
    if poll.settings.protection is Protection.CODES and voter.code and voter.proof:
        receipt = page.urls.receipt_link(poll.id, voter.code, voter.proof)
    return _show_voter(
        page,
        who,
        "voted",
        409 if again else 200,
        vote=vote,
        ranking=_render_ranking(poll, vote),
        draft_key=_draft_key(poll),
        draft_version=_draft_version(poll, who.vote),
        fresh=fresh,
        again=again,
        receipt=receipt,
    )


def _show_closed(page: PollPageContext, who: Identity, *, late: bool = False) -> Response:
    """Show that the poll is closed; `late` if a vote came after that."""
    ranking = "" if who.vote is None else _render_ranking(page.poll, who.vote)
    status = 409 if late else 200
    return _show_voter(page, who, "closed", status, vote=who.vote, ranking=ranking, late=late)


def _show_voter(
    page: PollPageContext,
    who: Identity,
    template: str,
    status: int = 200,
    *,
    vote: Vote | None = None,
    **context: object,
) -> Response:
    """Render a page for a voter; `vote` is the one that it shows."""
    # In a poll with codes, the key in the form becomes the proof of the vote.
    if page.poll.settings.protection is Protection.CODES or who.vote or vote:
        set_no_store(page.request)
    admin_key = page.find_admin_key()
    viewer = Viewer(who.voter, None if vote is None else vote.id, admin_key)
    return page.render(
        template,
        status,
        who=who,
        vote=vote,
        can_see_results=page.can_see_results(viewer),
        is_admin=admin_key is not None,
        **context,
    )


def _render_ranking(poll: Poll, vote: Vote | Ballot) -> str:
    """Return a ranking as HTML; picks are drawn by the template."""
    if poll.settings.kind is not PollKind.RANK:
        return ""
    unranked = [name for name in poll.candidates if name not in vote.rankings]
    return render_ranking([[name] for name in vote.rankings], unranked, LABELS)

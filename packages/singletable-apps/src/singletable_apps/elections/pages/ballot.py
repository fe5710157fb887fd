"""The ballot: fill it in, review it, cast it, and withdraw it while changes are allowed."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from fastapi import APIRouter, Response
from markupsafe import Markup

from ranked_ballots import join_names
from singletable_apps.elections import entities
from singletable_apps.elections.entities import (
    Election,
    Publication,
    State,
    User,
    VoterId,
)
from singletable_apps.elections.errors import IdempotencyKeyReused
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.pages.dependencies import (
    SetupStep,
    VoterPage,
    list_questions,
    local_time,
    render_texts,
)
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.proofs.documents import Receipt, checker_command, receipt_filename
from singletable_apps.elections.proofs.encoding import format_code, shorten_code
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import (
    RARE_WEIGHT,
    has_begun,
    has_ended,
    state_of,
)
from singletable_apps.elections.rules.methods import (
    METHOD,
    NONE_OF_THESE,
    Marks,
    choice_apart,
    list_choices,
    method_of,
)
from singletable_apps.elections.rules.voting import is_eligible
from singletable_apps.elections.service.voting import CastBallot
from singletable_apps.shared import ballot as shared
from singletable_apps.shared.ballot import RANK_PREFIX, BallotLabels, Choice, SubmittedRanks
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import FORM_METHODS, Confirmation, Form, PostedForm

router = APIRouter()

MIN_KEY_LENGTH, MAX_KEY_LENGTH = 16, 100

CANDIDATES_CHANGED = (
    "The candidates have changed since you opened this ballot ({changes}). Your ranking is still "
    "here: please check it and cast it again."
)
ALREADY_CAST = "You already cast a different ballot from this page. Cast this one to replace it."
# The name of the radio buttons on a ballot with one choice.
ONE_CHOICE = "choice"
MARK_LABELS = BallotLabels(ranked_title="Your choice", unranked_title="Not marked")
MISSING_KEY = "Something went wrong with this form. Your ranking is still here: please try again."
INVALID_RANKS = "Please fix the marked places."
BELOW_NONE = f"Candidates below “{NONE_OF_THESE}” don’t count."

_PUBLICATION_NOTICES = {
    Publication.TOTALS: "Only totals are published.",
    Publication.ANONYMOUS: "After the close, all rankings are published without names.",
    Publication.CONFIRMATIONS: (
        "After the close, all rankings are published with their tracking codes, without names."
    ),
}


class VoterStatus(StrEnum):
    """Whether someone can vote in an election now, and if not, why."""

    CLOSED = "closed"
    ENDED = "ended"
    NOT_A_VOTER = "not a voter"
    NOT_LISTED = "not listed"
    NOT_LAUNCHED = "not launched"
    NOT_OPEN_YET = "not open yet"
    FINAL = "final"
    CAN_CHANGE = "can change"
    CAN_VOTE = "can vote"


@dataclass(frozen=True, slots=True)
class VoterContext:
    """An election as one voter sees it: their status, their ballot, and the choices in order.

    `cast` is the event that cast their ballot; `can_show` if that may be shown again.
    """

    election: Election
    name: str
    voter_id: VoterId
    status: VoterStatus
    cast: int | None
    candidates: tuple[str, ...]
    can_show: bool

    @property
    def can_cast(self) -> bool:
        """Return whether the voter can cast a ballot now."""
        return self.status in (VoterStatus.CAN_CHANGE, VoterStatus.CAN_VOTE)

    @property
    def draft_key(self) -> str:
        """Return the key of the draft in the browser, which reveals nothing about its content."""
        return f"elections {self.election.election_id} {self.voter_id.number}"

    @property
    def draft_version(self) -> str:
        """Return what a draft depends on: the candidates, and the ballot it would replace."""
        return f"{self.election.definition or ''} {self.cast or ''}"


def load_voter_context(page: VoterPage) -> VoterContext:
    """Read the voter's part in the election."""
    context, election, voter = page.service.context, page.election, page.voter
    book, now = context.read, context.clock()
    owner = book.owner_of_ballot(election, voter)
    user, name = (None, voter.entry.name) if isinstance(voter, LinkVoter) else (voter, voter.name)
    cast = book.ballot_event(election, owner.voter_id)
    listed, names = book.is_listed(election, owner.voter_id), book.candidates(election)
    status = voter_status(user, election, listed=listed, has_voted=cast is not None, now=now)
    if election.order is not entities.CandidateOrder.ENTERED:
        names = shuffle_candidates(names, election, owner.voter_id, context.keys)
    choices = tuple(list_choices(election, names))
    can_show = book.can_show_ballot(election, voter)
    return VoterContext(election, name, owner.voter_id, status, cast, choices, can_show)


def voter_status(
    user: User | None, election: Election, *, listed: bool, has_voted: bool, now: datetime
) -> VoterStatus:
    """Return whether the user can vote, or the most lasting reason why not."""
    state = state_of(election)
    if state is State.CLOSED:
        return VoterStatus.CLOSED
    if state is not State.SETUP and has_ended(election, now):
        return VoterStatus.ENDED
    if user is not None and not has_permission(user.role, Permission.VOTE):
        return VoterStatus.NOT_A_VOTER
    if not is_eligible(user, election, listed):
        return VoterStatus.NOT_LISTED
    if state is State.SETUP:
        return VoterStatus.NOT_LAUNCHED
    if not has_begun(election, now):
        return VoterStatus.NOT_OPEN_YET
    if not has_voted:
        return VoterStatus.CAN_VOTE
    return VoterStatus.CAN_CHANGE if election.allow_edit else VoterStatus.FINAL


def shuffle_candidates(
    names: Sequence[str], election: Election, voter_id: VoterId, keys: Keys
) -> list[str]:
    """Return the names in this voter's own order: the first name on a ballot gets more votes."""
    salt = (str(election.election_id), str(voter_id.number))
    return sorted(names, key=lambda name: keys.ballot_key.hmac("order", *salt, name))


def visibility_notice(election: Election) -> str:
    """Return a sentence about the visibility of a ballot."""
    if election.secret_ballot:
        published = _PUBLICATION_NOTICES[election.publication]
        rare = f" {RARE_WEIGHT}" if election.is_weighted else ""
        return f"Your ballot is secret: others see that you voted, but not how. {published}{rare}"
    if election.publication is Publication.CONFIRMATIONS:
        return "This is an open ballot: everyone here can see your name next to your ranking."
    published = _PUBLICATION_NOTICES[election.publication]
    return f"This is an open ballot: the people who run this site can read it. {published}"


def describe_changes(page: VoterPage) -> str:
    """Return until when a ballot can be changed."""
    election = page.election
    if not election.allow_edit:
        return "Once cast, it is final."
    owner, ends = election.owner_name, election.no_voting_after
    until = f"{owner} closes the election"
    if ends is not None:
        until = local_time(page, ends)
    return f"You can change it until {until}, unless {owner} locks the election before."


def casting_notice(page: VoterPage) -> str:
    """Return the visibility of a ballot, until when it can be changed, and what does not count."""
    election = page.election
    has_line = election.none_of_these and method_of(election).marks in (Marks.RANKS, Marks.ORDER)
    parts = [visibility_notice(election), describe_changes(page), BELOW_NONE if has_line else ""]
    return " ".join(filter(None, parts))


@router.get("/e/{name}/ballot")
def show_ballot(page: VoterPage) -> Response:
    """Show the ballot to fill in, or why it is unavailable."""
    voter = load_voter_context(page)
    if not voter.can_cast:
        return _render_unavailable(page, voter)
    ranks = dict(page.service.queries.rankings(page.voter, page.election.name))
    choices = [Choice(name, str(ranks.get(name) or "")) for name in voter.candidates]
    return _render_ballot(page, voter, choices)


@router.post("/e/{name}/ballot")
def submit_ballot(page: VoterPage, form: PostedForm) -> Response:
    """Cast the ballot if it is confirmed; otherwise show it for review."""
    voter, submitted = load_voter_context(page), read_marks(form)
    error = _find_error(voter, submitted, form)
    if form.value("sure") and not error:
        return _cast(page, voter, submitted, form.value("key"))
    if not voter.can_cast:
        return _render_unavailable(page, voter, 409)
    if error or form.value("change"):
        return _render_ballot(page, voter, submitted.choices(voter.candidates), error)
    return _render_review(page, voter, submitted, key=form.value("key"))


@router.api_route("/e/{name}/ballot/withdraw", methods=FORM_METHODS)
def withdraw_ballot(page: VoterPage) -> Response:
    """Withdraw the ballot. Ask first."""
    if page.request.method == "POST":
        page.service.voting.withdraw(page.voter, page.election.name)
        return page.redirect(page.url("ballot"), "Your ballot was withdrawn.")
    voter = load_voter_context(page)
    if voter.cast is None or not voter.can_cast:
        return page.redirect(page.url("ballot"))
    confirmation = Confirmation(
        title="Withdraw your ballot?",
        text=f"Your ballot in “{page.election.name}” won’t be counted, and your receipt becomes "
        "invalid. You can vote again while voting is open.",
        button="Withdraw ballot",
        url=page.url("ballot", "withdraw"),
        back=page.url("ballot"),
    )
    return page.pages.render(page.request, "confirm.html", confirmation=confirmation)


def _cast(page: VoterPage, voter: VoterContext, submitted: SubmittedRanks, key: str) -> Response:
    """Cast the ballot and show the receipt. The key makes submitting it twice harmless."""
    try:
        # Boxes that are not ticked are not submitted.
        ranks = list({**dict.fromkeys(voter.candidates), **submitted.ranks}.items())
        cast = page.service.voting.cast(page.voter, page.election.name, ranks, key)
    except IdempotencyKeyReused:
        if not voter.can_cast:
            return _render_unavailable(page, voter, 409)
        return _render_review(page, voter, submitted, ALREADY_CAST)
    except InvalidInput as error:
        choices = submitted.choices(voter.candidates)
        return _render_ballot(page, voter, choices, str(error))
    voter = load_voter_context(page)
    if not voter.can_show:
        return render_receipt(page, voter, cast)
    if left := _questions_left(page, voter):
        text = f"Your ballot in “{page.election.name}” is in. Next question: “{left[0].title}”."
        return page.redirect(left[0].url, text)
    return page.redirect(page.url("receipt"))


def _find_error(voter: VoterContext, submitted: SubmittedRanks, form: Form) -> str:
    """Return what is wrong with a submitted ballot, or nothing."""
    if not MIN_KEY_LENGTH <= len(form.value("key")) <= MAX_KEY_LENGTH:
        return MISSING_KEY
    if form.value("definition") != (voter.election.definition or ""):
        return CANDIDATES_CHANGED.format(changes=_describe_changes(submitted, voter))
    return INVALID_RANKS if submitted.errors else ""


def _describe_changes(submitted: SubmittedRanks, voter: VoterContext) -> str:
    added = [name for name in voter.candidates if name not in submitted.texts]
    removed = [name for name in submitted.texts if name not in voter.candidates]
    changes = [
        f"{change}: {', '.join(names)}"
        for change, names in (("added", added), ("removed", removed))
        if names
    ]
    return "; ".join(changes) or "one was removed and added again"


def _render_ballot(
    page: VoterPage, voter: VoterContext, choices: Sequence[Choice], error: str = ""
) -> Response:
    texts = render_texts(page)
    form = shared.BallotForm(
        action=page.url("ballot"),
        choices=tuple(choices),
        pictures=texts.pictures,
        notice=casting_notice(page),
        hidden_fields=_hidden_fields(page),
        draft_key=voter.draft_key,
        draft_version=voter.draft_version,
    )
    return _render_voter_page(
        page,
        voter,
        "ballot",
        422 if error else 200,
        ballot_form=_render_form(form, page.election),
        texts=texts,
        error=error,
    )


def make_ballot(
    election: Election, names: Sequence[str], texts: Mapping[str, str], action: str, notice: str
) -> str:
    """Render a ballot to try: as voters see it, without drafts and hidden fields."""
    choices = tuple(Choice(name, texts.get(name, "")) for name in names)
    return _render_form(shared.BallotForm(action, choices, notice), election)


def read_marks(form: Form) -> SubmittedRanks:
    """Return the submitted ranks. The one choice of a plurality ballot has rank 1."""
    if ONE_CHOICE not in form.values:
        return shared.parse_ranks(form.values)
    return shared.parse_ranks({f"{RANK_PREFIX}{form.value(ONE_CHOICE)}": "1"})


def _render_form(form: shared.BallotForm, election: Election) -> str:
    """Render a ballot for ranks, or for marks beside names."""
    marks = method_of(election).marks
    form = replace(form, labels=ballot_labels(election))
    if marks in (Marks.APPROVE, Marks.ONE):
        return shared.render_mark_form(form, one_choice=ONE_CHOICE if marks is Marks.ONE else "")
    return shared.render_ballot_form(replace(form, allow_ties=marks is Marks.RANKS))


def ballot_labels(election: Election) -> BallotLabels:
    """Return the words for a ballot with ranks or with marks."""
    if method_of(election).marks in (Marks.APPROVE, Marks.ONE):
        return MARK_LABELS
    hint = "Your vote never counts for them."
    return BallotLabels() if election.method == METHOD.key else BallotLabels(unranked_hint=hint)


def _render_review(
    page: VoterPage,
    voter: VoterContext,
    submitted: SubmittedRanks,
    warning: str = "",
    key: str = "",
) -> Response:
    """Show the ballot as text, with a button that casts it; without a key it gets a new one."""
    ranks = {name: submitted.ranks.get(name) for name in voter.candidates}
    levels, unranked = shared.group_by_rank(ranks)
    hidden_fields = {
        **_hidden_fields(page, key),
        **{f"{RANK_PREFIX}{name}": str(rank or "") for name, rank in ranks.items()},
    }
    return _render_voter_page(
        page,
        voter,
        "ballot_review",
        409 if warning else 200,
        ranking=render_own_ranking(
            levels, unranked, ballot_labels(page.election), choice_apart(page.election)
        ),
        is_blank=not levels,
        hidden_fields=hidden_fields,
        notice=casting_notice(page),
        warning=warning,
    )


def _render_unavailable(page: VoterPage, voter: VoterContext, status: int = 200) -> Response:
    cast = _own_ballot(page, voter, voter.cast) if voter.cast is not None else None
    return _render_voter_page(page, voter, "ballot_unavailable", status, cast=cast)


def _render_voter_page(
    page: VoterPage, voter: VoterContext, template: str, status: int, /, **context: object
) -> Response:
    book = page.service.context.book
    return page.render_tab(
        template,
        "ballot",
        status,
        voter=voter,
        left=_questions_left(page, voter),
        is_hidden=voter.cast is not None and not voter.can_show,
        cast_at=None if voter.cast is None else book.event(voter.cast).when_occurred,
        **context,
    )


def _questions_left(page: VoterPage, voter: VoterContext) -> list[SetupStep]:
    """Return what is left to answer after this question; nothing before it is answered."""
    if voter.cast is None or not (voter.can_cast or voter.status is VoterStatus.FINAL):
        return []
    return [each for each in list_questions(page, "ballot") if not each.is_done]


def render_receipt(page: VoterPage, voter: VoterContext, cast: CastBallot) -> Response:
    """Show a receipt. If it can’t be shown again, it is in the page."""
    receipt, filename = cast.receipt, receipt_filename(cast.receipt["name"])
    return _render_voter_page(
        page,
        voter,
        "receipt",
        200,
        cast=cast,
        download=page.url("receipt.json") if voter.can_show else receipt_in_page(receipt),
        filename=filename,
        code_groups=format_code(receipt["confirmation"]).split("-"),
        short_code=shorten_code(receipt["confirmation"]),
        ranking=render_receipt_ranking(receipt, page.election),
        ranked_title=ballot_labels(page.election).ranked_title,
        can_change=voter.can_cast,
        visibility=visibility_notice(page.election),
        closing=receipt["closing"],
        command=checker_command(filename, key="FINGERPRINT" if receipt["closing"] else ""),
    )


def receipt_in_page(receipt: Receipt) -> str:
    """Return the address of a download that is in the page itself."""
    return f"data:application/json;base64,{b64encode(write_receipt(receipt)).decode()}"


def write_receipt(receipt: Receipt) -> bytes:
    """Return a receipt as a file for the checker."""
    return json.dumps(receipt, ensure_ascii=False, indent=1).encode()


def _own_ballot(page: VoterPage, voter: VoterContext, cast: int) -> Mapping[str, object]:
    if not voter.can_show:
        return {"when": page.service.context.book.event(cast).when_occurred}
    own = page.service.voting.own_ballot(page.voter, page.election.name)
    return {"when": own.when_cast, "ranking": render_receipt_ranking(own.receipt, page.election)}


def render_receipt_ranking(receipt: Receipt, election: Election) -> str:
    """Render the ranking of a receipt."""
    levels = receipt["ranking"]
    ranked = {name for level in levels for name in level}
    candidates = receipt["definition"]["candidates"]
    unranked = [name for name in candidates if name not in ranked]
    none = receipt["definition"].get("rules", {}).get("set apart", "")
    return render_own_ranking(levels, unranked, ballot_labels(election), none)


def render_own_ranking(
    levels: Sequence[Sequence[str]],
    unranked: Sequence[str],
    labels: BallotLabels | None = None,
    none: str = "",
) -> str:
    """Render a ranking, and say which candidates don’t count: those not above the choice `none`."""
    ends = [at for at, level in enumerate(levels) if none and none in level]
    below = [name for level in levels[ends[0] :] for name in level] if ends else []
    below = [name for name in below if name != none]
    text = f"Not counted, because not above “{none}”: {join_names(below)}."
    note = Markup('<p class="ballot-ranking-rest"><strong>{}</strong></p>').format(text)
    return shared.render_ranking(levels, unranked, labels) + (note if below else "")


def _hidden_fields(page: VoterPage, key: str = "") -> dict[str, str]:
    """Return the fields that make a ballot count once, for these candidates."""
    key = key or page.service.context.random(16).hex()
    return {"key": key, "definition": page.election.definition or ""}

"""The electorate: everyone, a list of people, or a roll, with its invitations and cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, cast

from fastapi import APIRouter, Response
from markupsafe import Markup
from pydantic import BaseModel

from ranked_ballots import pluralize
from singletable_apps.elections.entities import Electorate, User, is_account
from singletable_apps.elections.pages.candidates import split_lines
from singletable_apps.elections.pages.dependencies import (
    ElectionPage,
    ElectionPageContext,
    local_time,
)
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules import emails, roll
from singletable_apps.elections.rules.emails import EmailPurpose
from singletable_apps.elections.rules.names import fold_name, quote, quote_names, sort_key
from singletable_apps.elections.service.rolls import RollEdit, RollRow
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    Link,
    ListQuery,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.pages.uploads import PostedUpload
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.spreadsheets import (
    SpreadsheetError,
    decode_text,
    read_sheets,
    read_table,
)

router = APIRouter()
# With more people than this, voters are typed instead of ticked.
MOST_OFFERED = 200
WHO_CAN_VOTE = (
    ("everybody", "All registered voters", "Includes everyone who registers while voting is open."),
    ("listed", "Only people on a list", "Registered people, by name. No one else can vote."),
    (
        "roll",
        "People on a roll, without accounts",
        "Members by name and e-mail address. Each gets a personal link or a printed card.",
    ),
)


@router.get("/e/{name}/voters")
def show_voters(page: ElectionPage, query: ListQueryParameters) -> Response:
    """Show the voter list or the roll, or that all registered voters can vote."""
    if page.election.joint_with is not None:
        return page.redirect(page.question_url(page.first_question, "voters"))
    if page.election.electorate is Electorate.ROLL:
        return render_roll(page, query)
    [participation] = page.service.queries.participation(page.user, [page.election])
    return page.render_tab(
        "voters",
        "voters",
        voters=query.apply(_listed(page), text=str, columns={}, limit=ROWS_PER_PAGE),
        can_vote=participation.may_vote,
        can_edit=page.is_manager and page.election.allow_edit,
    )


class VoterListForm(BaseModel):
    """Everyone, or people ticked or named, one per line."""

    who: Literal["everybody", "listed", "roll"]
    chosen: list[str] = []
    voters: str = ""


@router.api_route("/e/{name}/voters/list", methods=FORM_METHODS)
def edit_voter_list(page: ElectionPage, form: PostedForm) -> Response:
    """Edit the voter list: tick people, or type names if there are many."""
    rules.check_set_voters(page.user, page.election)
    names, more = page.service.queries.user_names(
        page.user, MOST_OFFERED, permission=Permission.VOTE
    )
    offered, listed = [] if more else names, _listed(page)

    def act(values: VoterListForm) -> Response:
        if values.who == "roll":
            return use_roll(page, form)
        by_name = {fold_name(each): each for each in (*values.chosen, *split_lines(values.voters))}
        if values.who == "listed" and not by_name:
            message = "Add at least one voter, or choose “All registered voters”."
            raise InvalidInput({"voters": message})
        names = [*by_name.values()] if values.who == "listed" else []
        return page.redirect(page.url("voters"), _save_voters(page, names, form))

    def initial() -> Form:
        who = "listed" if page.election.voter_count else "everybody"
        who = "roll" if page.election.electorate is Electorate.ROLL else who
        ticked = [each for each in listed if each in offered]
        voters = "\n".join(each for each in listed if each not in offered)
        revision = page.election.revision
        return Form({"who": who, "chosen": ticked, "voters": voters, "revision": revision})

    def show(form: Form, status: int) -> Response:
        return page.render_tab(
            "voters_list",
            "voters",
            status,
            form=form,
            who_can_vote=WHO_CAN_VOTE,
            offered=[(each, each) for each in offered],
            listed_now=listed if form.conflict else [],
        )

    return page.fill(form, initial, VoterListForm, act, show, field="voters")


def _listed(page: ElectionPage) -> list[str]:
    voters = page.service.context.read.voters(page.election)
    return [voter for voter in voters if is_account(voter)]


def _save_voters(page: ElectionPage, names: list[str], form: Form) -> str:
    """Save the voter list, and return a message about it."""
    edited = page.service.lifecycle.set_voters(
        page.user, page.election.name, names, form.revision_check()
    )
    if not edited.voter_count:
        return "Saved. All registered voters can vote."
    return f"Saved. {count_people(edited.voter_count)} can vote."


ROWS_PER_PAGE = 100
MODES = (
    ("add", "Add to the roll", "People who are on it already are updated."),
    ("replace", "Replace the roll", "People who are not on the list are removed."),
)
PURPOSES = {
    EmailPurpose.INVITATION: "Invitation",
    EmailPurpose.REMINDER: "Reminder",
    EmailPurpose.OPENING: "Opening",
    EmailPurpose.CLOSING: "Close",
    EmailPurpose.RECEIPT: "Receipt",
    EmailPurpose.WITHDRAWAL: "Withdrawal",
}


def render_roll(page: ElectionPageContext, query: ListQuery) -> Response:
    """Show the roll to the owner, and to others only how many people are on it."""
    if not page.is_manager:
        return page.render_tab("roll_summary", "voters")
    rows = page.service.rolls.rows(page.user, page.election.name)
    shown = query.apply(
        rows,
        text=lambda row: f"{row.voter.name} {row.voter.email} {row.voter.group}",
        columns={
            "name": lambda row: sort_key(row.voter.name),
            "group": lambda row: sort_key(row.voter.group),
            "weight": lambda row: row.voter.votes,
            "voted": lambda row: row.has_voted,
        },
        limit=ROWS_PER_PAGE,
    )
    return page.render_tab(
        "roll",
        "voters",
        rows=shown,
        total=len(rows),
        with_groups=any(row.voter.group for row in rows),
        with_weights=any(row.voter.votes > 1 for row in rows),
        to_invite=len(people_to_invite(rows)),
        to_remind=len(_to_remind(rows)),
        reminded=_describe_reminded(page, rows),
        without_email=sum(not row.voter.email and not row.has_voted for row in rows),
        bounced=sum(row.bounced is not None for row in rows),
        voted=sum(row.has_voted for row in rows),
        partly=sum(row.is_partial for row in rows),
        can_edit=page.election.allow_edit,
    )


def people_to_invite(rows: list[RollRow]) -> list[RollRow]:
    """Return the people with an address but no sent or queued invitation."""
    return [row for row in rows if row.voter.email and not row.is_invited]


def _to_remind(rows: list[RollRow]) -> list[RollRow]:
    return [
        row
        for row in rows
        if row.is_invited and not row.is_done and not row.voter.is_unsubscribed
        if not row.is_reminded
    ]


def _describe_reminded(page: ElectionPageContext, rows: list[RollRow]) -> str:
    """Return how many people were reminded today and when, or nothing."""
    times = [
        row.reminder.at for row in rows if row.reminder and row.is_reminded and not row.is_done
    ]
    if not times:
        return ""
    when = local_time(page, max(times))
    verb = "was" if len(times) == 1 else "were"
    return f"{count_people(len(times))} {verb} reminded on {when}, and can be again tomorrow."


# Import a list: a form, then a preview, then it is saved.


class RollForm(BaseModel):
    """People as text, and whether they replace the roll."""

    people: str = ""
    mode: Literal["add", "replace"] = "add"


@router.get("/e/{name}/roll")
def edit_roll(page: ElectionPage) -> Response:
    """Show the form to paste or upload a list."""
    _check_can_edit(page)
    return _render_form(page, Form({"mode": "add"}), 200)


@router.post("/e/{name}/roll")
def preview_roll(page: ElectionPage, upload: PostedUpload) -> Response:
    """Show all problems of a list, and what it would change."""
    _check_can_edit(page)
    form = upload.form

    def act(values: RollForm) -> Response:
        files = upload.named("file")
        rows: roll.Rows = roll.split_text(values.people)
        source, sheets = "", list[str]()
        if files:
            rows, source, sheets = _read_file(files[0].data, files[0].filename)
        parsed = roll.parse_roll(rows)
        if not parsed.lines and not parsed.problems:
            raise InvalidInput({"people": "Paste a list, or choose a file."})
        return _render_form(page, form, 422 if parsed.problems else 200, parsed, source, sheets)

    return page.submit(form, RollForm, act, partial(_render_form, page), field="people")


@router.post("/e/{name}/roll/save")
def save_roll(page: ElectionPage, form: PostedForm) -> Response:
    """Save the list that was previewed."""
    _check_can_edit(page)

    def act(values: RollForm) -> Response:
        parsed = roll.parse_roll(roll.split_text(values.people))
        page.service.rolls.save(
            page.user,
            page.election.name,
            parsed.lines,
            replaces=values.mode == "replace",
            adds_to_addresses=True,  # the preview has shown them
            check_revision=form.revision_check(),
        )
        return page.redirect(page.url("voters"), "The roll is saved.")

    return page.submit(form, RollForm, act, partial(_render_form, page), field="people")


def _check_can_edit(page: ElectionPageContext) -> None:
    rules.check_roll(page.user, page.election)
    rules.check_set_voters(page.user, page.election)


def _read_file(data: bytes, filename: str) -> tuple[roll.Rows, str, list[str]]:
    """Return the rows of a CSV or XLSX file, where they are from, and the sheets not read."""
    try:
        if not data.startswith((b"PK", b"%PDF", b"\xd0\xcf")):
            return roll.split_text(decode_text(data)), filename, []
        if not data.startswith(b"PK\x03\x04"):
            read_table(data)  # raises, and says what this is
        sheets = read_sheets(data)
    except SpreadsheetError as error:
        raise InvalidInput({"file": str(error)}) from error
    if not sheets:
        return [], filename, []
    at = roll.pick_sheet([sheet.rows for sheet in sheets])
    others = [sheet.name for sheet in sheets if sheet is not sheets[at] and sheet.rows]
    source = f"{filename}, sheet {quote(sheets[at].name)}" if others else filename
    return sheets[at].rows, source, others


def _render_form(
    page: ElectionPageContext,
    form: Form,
    status: int,
    parsed: roll.ParsedRoll | None = None,
    source: str = "",
    sheets: Sequence[str] = (),
) -> Response:
    preview = None
    if parsed is not None:
        election, replaces = page.election, form.value("mode") == "replace"
        change = page.service.rolls.compare(
            page.user, election.name, parsed.lines, replaces=replaces
        )
        preview = {
            "change": change,
            "problems": sorted(
                [*parsed.problems, *change.problems], key=lambda problem: problem.line
            ),
            "can_save": bool(change.added or change.changed or change.removed)
            and not change.problems,
            "left_out": len(parsed.problems),
            "merged": parsed.merged,
            "shared": parsed.shared,
            "unused": quote_names(parsed.unused),
            "above": parsed.above,
            "sheets": quote_names(sheets),
            "is_unclear": not parsed.has_headings and len(parsed.problems) > len(parsed.lines),
            "without_name": sum(not line.name for line in parsed.lines),
            "text": roll.format_text(parsed.lines),
            "source": source,
            "without_email": sum(not line.email for line in parsed.lines),
        }
    return page.render_tab(
        "roll_edit",
        "voters",
        status,
        form=form,
        modes=MODES,
        preview=preview,
        most_shown=ROWS_PER_PAGE,
    )


# E-mails.


@confirm(router, "/e/{name}/roll/invite")
def invite(page: ElectionPage) -> ConfirmedAction:
    """Invite everyone without an invitation."""
    rows = page.service.rolls.rows(page.user, page.election.name)
    without = sum(not row.voter.email and not row.has_voted for row in rows)
    need = "needs" if without == 1 else "need"
    cards = f" {count_people(without)} without an e-mail address {need} a card." if without else ""
    return _ask_to_send(
        page,
        f"Invite {count_people(len(people_to_invite(rows)))}?",
        f"Each gets an e-mail with a personal link. Nobody is invited twice.{cards}",
        "invitation",
        page.service.rolls.invite,
    )


@confirm(router, "/e/{name}/roll/remind")
def remind(page: ElectionPage) -> ConfirmedAction:
    """Remind invited people yet to vote."""
    rows = page.service.rolls.rows(page.user, page.election.name)
    reminded = _describe_reminded(page, rows)
    questions = page.service.context.book.questions(page.election)
    left = ", or not on every question" if questions[1:] else ""
    return _ask_to_send(
        page,
        f"Remind {count_people(len(_to_remind(rows)))}?",
        f"They were invited and haven’t voted{left}. Nobody is reminded twice "
        f"on a day, nor if they asked not to be. {reminded}",
        "reminder",
        page.service.rolls.remind,
        reminded,
    )


def _ask_to_send(
    page: ElectionPageContext,
    title: str,
    text: str,
    kind: str,
    send: Callable[[User, str], int],
    already: str = "",
) -> ConfirmedAction:
    rules.check_invite(page.user, page.election, page.service.context.clock())

    def do(_: Form) -> Response:
        sent = send(page.user, page.election.name)
        done = f"{pluralize(sent, kind)} on the way."
        nobody = f"There is nobody to write to now. {already}".strip()
        return page.redirect(page.url("voters"), done if sent else nobody)

    return ConfirmedAction(
        page,
        title=title,
        text=text,
        button=f"Send {kind}s",
        kind="primary",
        back=page.url("voters"),
        do=do,
    )


def count_people(count: int) -> str:
    """Return how many people, in words."""
    return "1 person" if count == 1 else f"{count:,} people"


class EmailForm(BaseModel):
    """The subject and the text of an e-mail."""

    subject: str = ""
    text: str = ""
    go: Literal["save", "default"] = "save"


@router.api_route("/e/{name}/roll/emails/{purpose}", methods=FORM_METHODS)
def edit_email(page: ElectionPage, purpose: EmailPurpose, form: PostedForm) -> Response:
    """Change the text of an e-mail to voters."""
    rolls, name = page.service.rolls, page.election.name
    current, here = rolls.email_text(page.user, name, purpose), page.url("roll", "emails", purpose)

    def act(values: EmailForm) -> Response:
        text = emails.EmailText(values.subject.strip(), values.text.replace("\r\n", "\n"))
        text = emails.default_text(purpose) if values.go == "default" else text
        rolls.set_email_text(page.user, name, purpose, text)
        return page.redirect(here, f"Saved: {PURPOSES[purpose].lower()}.")

    def show(form: Form, status: int) -> Response:
        return page.render_tab(
            "roll_email",
            "voters",
            status,
            form=form,
            action=here,
            purposes=[
                Link(text, page.url("roll", "emails", each), each is purpose)
                for each, text in PURPOSES.items()
            ],
            placeholders=emails.placeholders(purpose),
            is_default=current == emails.default_text(purpose),
        )

    initial = Form({"subject": current.subject, "text": current.text})
    return page.fill(form, initial, EmailForm, act, show)


# Links and cards.


class PersonForm(BaseModel):
    """The entry of someone on a roll; fields that can no longer change are not sent."""

    name: str | None = None
    email: str | None = None
    group: str | None = None
    weight: int | None = None


@router.api_route("/e/{name}/roll/{number:int}", methods=FORM_METHODS)
def edit_person(page: ElectionPage, number: int, form: PostedForm) -> Response:
    """Change the name, address, group and weight of someone on the roll."""
    row = page.service.rolls.row(page.user, page.election.name, number)

    def act(values: PersonForm) -> Response:
        edit = cast(RollEdit, values.model_dump(exclude_none=True))
        rolls, name = page.service.rolls, page.election.name
        rolls.edit(page.user, name, number, edit, form.revision_check())
        saved = rolls.row(page.user, name, number).voter
        record = page.service.context.book.record(page.election)
        others = [each.name for each in record.find_by_email(saved.email) if each != saved]
        also = f" Same address: {quote_names(others)}." if others else ""
        return page.redirect(page.url("voters"), f"Saved: {saved.name}.{also}")

    def show(form: Form, status: int) -> Response:
        return page.render_tab("roll_person", "voters", status, form=form, row=row)

    voter, revision = row.voter, page.election.revision
    initial = {"name": voter.name, "email": voter.email, "group": voter.group}
    initial |= {"weight": voter.weight, "revision": str(revision)}
    return page.fill(form, Form(initial), PersonForm, act, show)


@confirm(router, "/e/{name}/roll/{number:int}/link")
def renew_link(page: ElectionPage, number: int) -> ConfirmedAction:
    """Replace the personal link of a voter."""
    row = page.service.rolls.row(page.user, page.election.name, number)
    to = f"The new one is sent to {row.voter.email}." if row.voter.email else "Print a new card."
    to = to if page.election.allow_vote else "Nothing is sent now."
    return ConfirmedAction(
        page,
        title=f"New link for {row.voter.name}?",
        text=f"The old link and the old card stop working. {to}",
        consequences=("The ballot, if there is one, stays as it is.",) if row.has_voted else (),
        button="New link",
        kind="primary",
        back=page.url("voters"),
        do=lambda _: page.service.rolls.renew_link(page.user, page.election.name, number),
        done=f"{row.voter.name} has a new link.",
    )


@confirm(router, "/e/{name}/roll/{number:int}/remove")
def remove_voter(page: ElectionPage, number: int) -> ConfirmedAction:
    """Remove someone from the roll."""
    row = page.service.rolls.row(page.user, page.election.name, number)
    return ConfirmedAction(
        page,
        title=f"Remove {row.voter.name}?",
        text="Their link and card stop working, and they can’t vote.",
        button="Remove",
        back=page.url("voters"),
        do=lambda _: page.service.rolls.remove(page.user, page.election.name, number),
        done=f"{row.voter.name} is removed.",
    )


@router.get("/e/{name}/roll/cards")
def show_cards(page: ElectionPage, query: ListQueryParameters) -> Response:
    """Show cards of people yet to vote, to print and cut out; `?only=paper`: no e-mail."""
    rolls, election = page.service.rolls, page.election
    needs_card = [
        row.voter
        for row in rolls.rows(page.user, election.name)
        if not row.has_voted and not (row.voter.email and "only" in query.filters)
    ]
    shown = query.apply(needs_card, text=lambda one: one.name, columns={}, limit=ROWS_PER_PAGE)
    cards = [
        {
            "title": rules.title_of(election),
            "name": voter.name,
            "code": rolls.code(election, voter),
            "qr": Markup(qr_svg(rolls.link(election, voter))),
        }
        for voter in shown.items
    ]
    # People type it, and need no scheme for that.
    address = page.urls.absolute(page.urls.page("v")).partition("://")[2]
    return page.render_tab("roll_cards", "voters", cards=cards, address=address, pager=shown)


def use_roll(page: ElectionPageContext, form: Form) -> Response:
    """Let people on a roll vote, and go on to the list."""
    page.service.rolls.save(
        page.user, page.election.name, [], replaces=False, check_revision=form.revision_check()
    )
    return page.redirect(page.url("roll"), "Only people on the roll can vote. Now add them.")

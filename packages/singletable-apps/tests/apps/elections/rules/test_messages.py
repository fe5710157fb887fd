"""Every message of the rules. They are pinned here and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from traceback import extract_tb

import pytest

from ranked_ballots import Ranking
from singletable_apps.elections import rules
from singletable_apps.elections.entities import Election, Electorate, Publication, State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import Permission, Role
from singletable_apps.elections.rules import elections, emails, methods, names, roll, users, voting
from singletable_apps.shared import permissions
from singletable_apps.shared.errors import InvalidInput, NotFound, RequestRejected
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.elections.rules.factories import HOUR, NOON, election, user


@dataclass(frozen=True)
class Case:
    """A call that is rejected, and the error."""

    call: Callable[[], object]
    error: type[RequestRejected]
    message: str
    field: str | None = None


ADA = user(Role.USER)
BEN = user(Role.VOTER, "ben")
EAST = timezone(timedelta(hours=9))


def _refused(call: Callable[[], object], message: str) -> Case:
    return Case(call, NotPermitted, message)


def _state(call: Callable[[], object], message: str, field: str | None = None) -> Case:
    return Case(call, WrongState, message, field)


def _invalid(field: str, call: Callable[[], object], message: str) -> Case:
    return Case(call, InvalidInput, message, field)


def _name(text: str, message: str) -> Case:
    return _invalid("name", lambda: names.clean_election_name(text), message)


def _invisible(text: str, problem: str) -> Case:
    return _name(
        text, f"This election name contains {problem}. Remove it, or type the election name again."
    )


def _email(text: str, message: str) -> Case:
    return _invalid("email", lambda: names.clean_email(text), message)


def _not_email(text: str, quoted: str) -> Case:
    return _email(text, f"“{quoted}” is not an e-mail address. Enter one like ada@example.org.")


NAMES = [
    _name("", "Enter an election name."),
    _name(" \t", "Enter an election name."),
    _name("x" * 201, "This election name is too long: 201 characters. Use at most 200."),
    _name("x" * 5_000, "This election name is too long: 5,000 characters. Use at most 200."),
    _name("ΐ" * 150, "This election name is too long: 900 bytes in UTF-8. Use at most 800."),
    _name(".", "“.” can’t be used as a name. Choose another."),
    _name(" .. ", "“..” can’t be used as a name. Choose another."),
    _name("\u0301", "This election name has no visible characters."),
    _invisible("a\x00b", "a control character (U+0000)"),
    _invisible("a\u202eb", "an invisible character (U+202E)"),
    _invisible("a\u00adb", "an invisible character (U+00AD)"),
    _invisible("a\ud800b", "half of a surrogate pair (U+D800)"),
    _invisible("a\ue000b", "a private-use character (U+E000)"),
    _invisible("a\U0010fffeb", "an unassigned character (U+10FFFE)"),
    _invisible("Ad\u200da", "a joiner that joins nothing (U+200D)"),
    _invisible("\u200cAda", "a joiner that joins nothing (U+200C)"),
    _invisible("👩\u200d\u200d💻", "a joiner that joins nothing (U+200D)"),
    _invalid(
        "name",
        lambda: names.clean_user_name("ada@home"),
        "User names can’t contain @. Choose another name.",
    ),
    _invalid("name", lambda: names.clean_user_name(""), "Enter a user name."),
    _invalid(
        "candidate",
        lambda: names.clean_candidate_name("", field="candidate"),
        "Enter a candidate name.",
    ),
    _invalid(
        "candidates",
        lambda: names.clean_candidate_names(["Ada", "Ben", "ADA", "ben "]),
        "Some candidates are listed more than once: “Ada”, “ADA”, “Ben” and “ben”. Names that "
        "differ only in upper and lower case are the same.",
    ),
    _invalid(
        "voters",
        lambda: names.clean_voter_names(["ada"] * 1_005),
        "Some voters are listed more than once: “ada”. "
        "Names that differ only in upper and lower case are the same.",
    ),
    _invalid(
        "candidates", lambda: names.clean_candidate_names(["Ada", ""]), "Enter a candidate name."
    ),
    _invalid(
        "candidates",
        lambda: names.clean_candidate_names([""] * 101),
        "That’s 101 candidates. An election can have at most 100.",
    ),
    _invalid(
        "voters",
        lambda: names.clean_voter_names([""] * 10_001),
        "That’s 10,001 voters. An election can have at most 10,000.",
    ),
    _email("", "Enter an e-mail address."),
    _email("a@" + "x" * 199, "This e-mail address is too long: 201 characters. Use at most 200."),
    _email("x" * 5_000, "This e-mail address is too long: 5,000 characters. Use at most 200."),
    _email("ada love@lace", "E-mail addresses can’t contain spaces."),
    _email(
        "ada\x07@b",
        "This e-mail address contains a control character (U+0007). Remove it, or type the e-mail "
        "address again.",
    ),
    _not_email("ada", "ada"),
    _not_email("@ada", "@ada"),
    _not_email("ada@", "ada@"),
    _not_email("a@b@c", "a@b@c"),
    _not_email("x" * 100, "x" * 79 + "…"),
]


def _permission(role: Role, permission: Permission, message: str) -> Case:
    return _refused(lambda: users.check_permission(user(role), permission), message)


def _role_change(mine: Role, theirs: Role, role: Role, message: str, *, to: str = "ben") -> Case:
    call = lambda: users.check_role_change(user(mine), user(theirs, to), role)  # noqa: E731
    return Case(call, NotPermitted, message)


USERS = [
    _permission(
        Role.NO_ACCESS,
        Permission.VIEW_APPLICATION,
        "Your account has no access yet. Ask an administrator.",
    ),
    _permission(Role.OBSERVER, Permission.VOTE, "Your account can’t vote. Ask an administrator."),
    _permission(
        Role.VOTER,
        Permission.USE_APPLICATION,
        "Your account can’t manage elections. Ask an administrator.",
    ),
    _permission(Role.USER, Permission.MANAGE_USERS, "Only administrators can do this."),
    _permission(
        Role.ADMIN, Permission.VIEW_SECRETS, "Only auditors can see this. Ask an administrator."
    ),
    _permission(
        Role.AUDITOR, Permission.TRANSFER_OWNER, "Only the owner of this site can do this."
    ),
    _role_change(Role.USER, Role.VOTER, Role.OBSERVER, "Only administrators can change roles."),
    _role_change(
        Role.ADMIN,
        Role.ADMIN,
        Role.USER,
        "You can’t change your own role. Ask someone with a higher role.",
        to="ada",
    ),
    _role_change(
        Role.OWNER,
        Role.OWNER,
        Role.OWNER,
        "You can’t change your own role. Make someone else the owner instead.",
        to="ada",
    ),
    _role_change(Role.ADMIN, Role.VOTER, Role.ADMIN, "You can only give roles below your own."),
    _role_change(
        Role.ADMIN,
        Role.AUDITOR,
        Role.USER,
        "You can’t change the role of “ben”, whose role isn’t below yours. Ask the owner of this "
        "site.",
    ),
    _role_change(
        Role.AUDITOR,
        Role.OWNER,
        Role.USER,
        "You can’t change the role of “ben”, who owns this site.",
    ),
    _refused(
        lambda: users.check_edit_user(user(Role.ADMIN), user(Role.ADMIN, "ben")),
        "You can’t edit “ben”, whose role isn’t below yours. Ask the owner of this site.",
    ),
    _refused(
        lambda: users.check_edit_user(ADA, BEN),
        "Only administrators can edit other people’s accounts.",
    ),
    _refused(
        lambda: users.check_edit_user(BEN, BEN),
        "Your account can’t change its name or e-mail address. Ask an administrator.",
    ),
    _refused(
        lambda: users.check_view_user(ADA, BEN),
        "Only administrators can see other people’s accounts.",
    ),
    _refused(
        lambda: users.check_password_change(user(Role.OWNER), BEN),
        "Only “ben” can change this password. A forgotten password can be reset by e-mail.",
    ),
    _state(
        lambda: users.check_remove_user(
            user(Role.OWNER), user(Role.OWNER), user_count=1_200, election_count=0
        ),
        "You own this site, so you can’t delete your account yet. Make someone else the owner "
        "first, or remove all other people and elections.",
    ),
    _state(
        lambda: users.check_remove_user(
            user(Role.ADMIN), user(Role.USER, "ben", owns=2), user_count=3, election_count=2
        ),
        "“ben” still owns 2 elections. Delete them or hand them over first.",
    ),
    _state(
        lambda: users.check_remove_user(
            user(Role.USER, owns=1), user(Role.USER, owns=1), user_count=3, election_count=2
        ),
        "You still own 1 election. Delete it or hand it over first.",
    ),
]

_NOT_OWNER = "Only the owner of this election can do this. Ask “ada”."
_CLOSED = "This election is closed and can’t be changed anymore."


def _window(before: datetime | None, after: datetime | None, message: str, field: str) -> Case:
    return _invalid(field, lambda: elections.check_window(before, after), message)


ELECTIONS = [
    _window(
        None,
        datetime(2026, 3, 2, 12),
        "Add a time zone, for example 2026-03-02T12:00:00Z for UTC.",
        "no_voting_after",
    ),
    _window(
        datetime(1, 1, 1, tzinfo=EAST), None, "Choose a year from 1970 to 9998.", "no_voting_before"
    ),
    _window(
        datetime(2026, 3, 2, 12, 0, 30, 5, tzinfo=UTC),
        (NOON - HOUR).astimezone(EAST),
        "Choose a time after the opening.",
        "no_voting_after",
    ),
    _invalid(
        "no_voting_after",
        lambda: elections.check_closing_time(NOON, NOON),
        "Choose a time in the future, or none.",
    ),
    _refused(
        lambda: elections.check_owner(user(Role.OWNER, "ben"), election(State.SETUP)), _NOT_OWNER
    ),
    _refused(
        lambda: elections.check_delete(user(Role.USER, "ben"), election(State.SETUP)), _NOT_OWNER
    ),
    _state(
        lambda: elections.check_edit_settings(ADA, election(State.EDITABLE)),
        "Settings can’t be changed after the launch, so that everyone votes under the same rules.",
    ),
    _state(lambda: elections.check_edit_settings(ADA, election(State.CLOSED)), _CLOSED),
    _state(lambda: elections.check_rename_election(ADA, election(State.CLOSED)), _CLOSED),
    _state(lambda: elections.check_launch(ADA, election(State.CLOSED), NOON), _CLOSED),
    _state(lambda: elections.check_lock(ADA, election(State.CLOSED)), _CLOSED),
    _state(
        lambda: elections.check_rename_election(ADA, election(State.FIXED)),
        "This election is locked: its name can’t be changed anymore.",
    ),
    _state(
        lambda: elections.check_set_voters(ADA, election(State.FIXED)),
        "This election is locked: its voter list can’t be changed anymore.",
    ),
    _state(
        lambda: elections.check_set_candidates(ADA, election(State.FIXED), count=1),
        "This election is locked: its candidates can’t be changed anymore.",
    ),
    _state(
        lambda: elections.check_set_candidates(ADA, election(State.EDITABLE, secret=True), count=2),
        "Ballots in this election are secret, so its candidates are final from the launch: "
        "changing them could show who cast which ballot.",
    ),
    _state(
        lambda: elections.check_set_candidates(ADA, election(State.EDITABLE), count=1),
        "An open election needs at least 2 candidates.",
    ),
    _state(
        lambda: elections.check_launch(ADA, election(State.EDITABLE), NOON),
        "This election has already been launched.",
    ),
    _state(
        lambda: elections.check_launch(ADA, election(State.SETUP, candidates=1), NOON),
        "Add at least 2 candidates before you launch.",
    ),
    _state(
        lambda: elections.check_launch(
            ADA, election(State.SETUP), NOON, others=[election(State.SETUP, candidates=1)]
        ),
        "“Lunch”: Add at least 2 candidates before you launch.",
    ),
    _state(
        lambda: elections.check_lock(ADA, election(State.EDITABLE, joint_with=6)),
        "This question is on a ballot with others. They share voters, times, launch and close: go "
        "to the first question for these.",
    ),
    _state(
        lambda: elections.check_launch(ADA, election(State.SETUP, (None, NOON)), NOON),
        "The closing time is in the past. Change or remove it before you launch.",
    ),
    _state(
        lambda: elections.check_launch(
            ADA, election(State.SETUP, electorate=Electorate.ROLL), NOON
        ),
        "No one could vote: the roll is empty. Add voters first, or let people with accounts vote.",
    ),
    _state(
        lambda: elections.check_launch(
            ADA, election(State.SETUP, secret=True), NOON, is_weighted=True
        ),
        "Some voters have a weight of their own, which would show who cast which ballot. Choose to "
        "publish totals only, in the settings.",
    ),
    _state(
        lambda: elections.check_launch(
            ADA, election(State.SETUP, publication=Publication.ANONYMOUS), NOON, is_weighted=True
        ),
        "Voters have weights, so a list of rankings without names could not be recounted. Choose "
        "totals only, or rankings with tracking codes, in the settings.",
    ),
    *(
        _state(
            partial(
                elections.check_electorate, ADA, election(State.EDITABLE, electorate=now), other
            ),
            f"This election was launched for {kind}. That can’t change while people vote.",
        )
        for now, other, kind in (
            (Electorate.ROLL, Electorate.ACCOUNTS, "a roll"),
            (Electorate.ACCOUNTS, Electorate.ROLL, "people with accounts"),
        )
    ),
    _state(
        lambda: elections.check_roll(ADA, election(State.SETUP)),
        "This election has no roll: people with accounts vote in it. Choose a roll on the page of "
        "voters first.",
    ),
    _state(
        lambda: elections.check_invite(
            ADA, election(State.SETUP, electorate=Electorate.ROLL), NOON
        ),
        "Launch the election first. Then voters can be invited.",
    ),
    _state(
        lambda: elections.check_invite(
            ADA, election(State.CLOSED, electorate=Electorate.ROLL), NOON
        ),
        "Voting is over, so no one is invited or reminded anymore.",
    ),
    _state(
        lambda: elections.check_lock(ADA, election(State.SETUP)),
        "This election hasn’t been launched yet. You can launch it locked.",
    ),
    _state(
        lambda: elections.check_lock(ADA, election(State.FIXED)), "This election is already locked."
    ),
    _state(
        lambda: elections.check_close(ADA, election(State.CLOSED), NOON),
        "This election is already closed.",
    ),
    _state(
        lambda: elections.check_close(ADA, election(State.SETUP), NOON),
        "This election hasn’t been launched yet. Launch it, or delete it.",
    ),
    _state(
        lambda: elections.check_close(None, election(State.FIXED), NOON),
        "This election has no closing time. Only its owner can close it.",
    ),
    _state(
        lambda: elections.check_close(ADA, election(State.FIXED, (None, NOON + HOUR)), NOON),
        "This election closes by itself at its closing time, and can’t be closed early.",
    ),
    _state(
        lambda: elections.check_transfer(ADA, election(State.SETUP), BEN),
        "“ben” can’t manage elections. Choose someone else, or ask an administrator to change "
        "their role.",
        "owner",
    ),
]

_SECRET = "Ballots are secret, so results are shown after the election is closed."


def _tally(it: Election, message: str) -> Case:
    return _state(lambda: elections.check_view_tally(BEN, it, NOON), message)


VISIBILITY = [
    _tally(election(State.SETUP), "There are no results yet: this election hasn’t been launched."),
    _tally(
        election(State.FIXED, (NOON + HOUR, None)),
        "There are no results yet: voting hasn’t opened.",
    ),
    _tally(election(State.FIXED, secret=True), f"Voting is still open. {_SECRET}"),
    _tally(
        election(State.FIXED, (NOON, NOON + HOUR), secret=True), f"Voting is still open. {_SECRET}"
    ),
    _tally(
        election(State.FIXED, (None, NOON), secret=True),
        "Voting has ended. Results will be ready in a moment.",
    ),
    _refused(
        lambda: elections.check_view_ballot(
            user(Role.AUDITOR, "ben"), "cy", election(State.CLOSED, secret=True), NOON
        ),
        "Ballots in this election are secret. Only “cy” can see this one.",
    ),
    _refused(
        lambda: elections.check_view_ballot(
            BEN, "cy", election(State.CLOSED, publication=Publication.ANONYMOUS), NOON
        ),
        "This election doesn’t publish who cast which ballot. Only “cy” can see this one.",
    ),
]

_FINAL = "You’ve already voted. In this election, ballots are final."


def _cast(it: Election, message: str) -> Case:
    return _state(
        lambda: voting.check_cast(BEN, it, listed=True, has_voted=False, now=NOON), message
    )


def _rankings(lines: list[tuple[str, int | None]], message: str, *, of: str = "Ada Ben") -> Case:
    return _invalid("rankings", lambda: voting.parse_ranking(lines, of.split()), message)


VOTING = [
    _invalid(
        "voters",
        lambda: voting.check_listed_voters([user(Role.OBSERVER), BEN, user(Role.NO_ACCESS, "cy")]),
        "These people’s accounts can’t vote: “ada” and “cy”. Leave them out, or ask an "
        "administrator to change their roles.",
    ),
    _cast(election(State.SETUP), "Voting hasn’t started: this election hasn’t been launched yet."),
    _cast(election(State.CLOSED), "Voting is over: this election is closed. See the results."),
    _cast(election(State.FIXED, (NOON + HOUR, None)), "Voting hasn’t opened yet."),
    _cast(election(State.EDITABLE, (None, NOON)), "Voting has ended."),
    _refused(
        lambda: voting.check_cast(
            BEN, election(State.FIXED, voters=1_500), listed=False, has_voted=False, now=NOON
        ),
        "You’re not on the voter list of this election. Ask its owner, “ada”, to add you.",
    ),
    _state(
        lambda: voting.check_cast(
            BEN, election(State.FIXED), listed=False, has_voted=True, now=NOON
        ),
        _FINAL,
    ),
    _state(
        lambda: voting.check_withdraw(BEN, election(State.FIXED), has_voted=True, now=NOON),
        _FINAL,
    ),
    Case(
        lambda: voting.check_withdraw(BEN, election(State.FIXED), has_voted=False, now=NOON),
        NotFound,
        "You haven’t voted in this election, so there is nothing to withdraw.",
    ),
    _rankings(
        [],
        "The ballot is empty. Rank at least one candidate; to cast a blank ballot, list candidates "
        "without ranks.",
    ),
    _rankings(
        [("Cy", 1), ("Ada", 2), ("Zed\x1b[2J", None)],
        "Not a candidate: “Cy” and “Zed�[2J”. The candidates are “Ada” and “Ben”.",
    ),
    _rankings([("Cy", 1)], "Not a candidate: “Cy”. The candidates are not set yet.", of=""),
    _rankings([("Ada", 1), ("ADA", 2)], "“Ada” is ranked twice. Rank each candidate once."),
    _rankings([("ada", 0)], "The rank of “Ada” is 0. Use 1, 2, 3 …, or none for not ranked."),
]

_INVITATION = emails.EmailPurpose.INVITATION
ROLLS = [
    _invalid(
        "people",
        lambda: roll.parse_line(1, {"name": 0}, [""]),
        "There is no name and no e-mail address.",
    ),
    _invalid(
        "people",
        lambda: roll.parse_line(1, None, ["a", "b", "c"]),
        "What is “c”? Write name, e-mail address, group and weight, or headings above the list.",
    ),
    _invalid(
        "people",
        lambda: roll.parse_line(1, None, ["Lovelace", "Ada", "a@x.org"]),
        "Is “Ada” a part of the name, or the group? Write headings above the list, such as: Last "
        "name, First name, E-mail.",
    ),
    _invalid(
        "people",
        lambda: roll.parse_line(1, None, ["a@x.org", "b@x.org"]),
        "Which address is it: “a@x.org” and “b@x.org”? Write a line for each person.",
    ),
    _invalid(
        "people",
        lambda: roll.parse_line(1, {"name": 0, "email": 1}, ["Ada", "Ben <a@x.org>"]),
        "Which name is it: “Ada” and “Ben”?",
    ),
    _invalid(
        "people",
        lambda: roll.check_place(1, 0, ["a@x.org"], 1),
        "This line is above the headings.",
    ),
    _invalid(
        "people",
        lambda: roll.check_place(1, 2, ["Ada", "x"], 1),
        "“x” is in a column without a heading.",
    ),
    _invalid(
        "people",
        lambda: roll.parse_line(1, None, ["a", "0"]),
        "The weight is “0”. Use a whole number from 1 to 1,000,000.",
    ),
    _invalid(
        "people",
        lambda: roll.merge_lines(
            roll.RollLine(1, "Ada", weight=2), roll.RollLine(2, "ada", weight=3)
        ),
        "“ada” has the weight 3 here and 2 on line 1.",
    ),
    _invalid(
        "text",
        lambda: emails.check_email_text(_INVITATION, emails.EmailText("Hi", "Hello {nam}")),
        "{nam} is not a placeholder here. Use {name}, {owner}, {election}, {questions}, {link} "
        "and {closes}.",
    ),
]


def _marks(method: str, levels: list[list[str]], message: str) -> Case:
    ranking = Ranking.from_levels(levels)
    call = partial(methods.check_marks, ranking, methods.METHODS[method])
    return _invalid("rankings", call, f"In this election, {message}")


METHODS = [
    _invalid(
        "method",
        lambda: methods.check_method("lottery", 1),
        "There is no counting method 'lottery'. Choose one of: schulze, instant runoff, scottish "
        "stv, meek stv, approval, plurality, proposal.",
    ),
    _invalid("seats", lambda: methods.check_method("meek stv", 0), "Enter a number from 1 to 99."),
    _invalid(
        "seats",
        lambda: methods.check_method("schulze", 2),
        "Only a single transferable vote can fill more than one seat.",
    ),
    _invalid(
        "candidates",
        lambda: methods.check_none_of_these(["NONE of these"], "candidates"),
        "Ballots offer “None of these”, so no candidate can have this name.",
    ),
    _invalid(
        "quorum",
        lambda: methods.clean_quorum("101%"),
        "Enter a number of voters such as 20, or a share such as 50%.",
    ),
    _marks("meek stv", [["A", "B"]], "two candidates can’t share a place. Give each another one."),
    _marks("approval", [["A"], ["B"]], "candidates are not ranked. Give everyone you mark rank 1."),
    _marks("plurality", [["A", "B"]], "you have one vote. Mark one candidate only."),
    _state(
        lambda: elections.check_launch(ADA, election(State.SETUP, seats=3), NOON),
        "There are 3 seats and 3 candidates, so everyone would be elected. Add candidates, or fill "
        "fewer seats.",
    ),
    _state(
        lambda: elections.check_launch(ADA, election(State.SETUP, method="proposal"), NOON),
        "A proposal has two options: the first one accepts it, the second one rejects it. There "
        "are 3. Remove the others, or choose another method.",
    ),
    _state(
        lambda: elections.check_set_candidates(ADA, election(State.EDITABLE, method="proposal")),
        "The two options of a proposal are final from the launch.",
    ),
    _state(
        lambda: elections.check_wording(election(State.EDITABLE)),
        "The question, the description and the names of candidates can’t change after the launch: "
        "people vote on what they read.",
    ),
    _invalid(
        "statement",
        lambda: names.clean_markdown("a\0b", "statement", 9),
        "This text contains characters that can’t be stored.",
    ),
    _invalid(
        "description",
        lambda: names.clean_markdown("x" * 10_001, "description", 10_000),
        "This description has 10,001 characters. Use at most 10,000.",
    ),
]
CASES = [*NAMES, *USERS, *ELECTIONS, *VISIBILITY, *VOTING, *ROLLS, *METHODS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.message[:60])
def test_error_has_type_message_and_field(case: Case) -> None:
    error = _error(case)
    assert (type(error), str(error), error.field) == (case.error, case.message, case.field)


# Screens and API responses show these messages to people who know no internal names.
def test_messages_name_no_role_or_permission() -> None:
    internal = {*Role, *Permission}
    assert [case.message for case in CASES if any(name in case.message for name in internal)] == []


def test_every_raise_statement_has_a_case() -> None:
    # The shared permissions raise the error if a role lacks a permission.
    paths = [*Path(rules.__file__).parent.glob("*.py"), Path(permissions.__file__)]
    statements = {
        (path.name, node.lineno)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise)
    }
    assert {_location(_error(case)) for case in CASES} == statements


def _error(case: Case) -> RequestRejected:
    with pytest.raises(RequestRejected) as caught:
        case.call()
    return caught.value


def _location(error: RequestRejected) -> tuple[str, int]:
    last = extract_tb(error.__traceback__)[-1]
    assert last.lineno is not None
    return Path(last.filename).name, last.lineno

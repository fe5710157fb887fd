"""The ballot: filled in, looked at once more, cast, and taken back while that is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from fastapi import Request, Response

from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.errors import Invalid, KeyReused
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.polling import (
    OPEN,
    Polling,
    meaning,
    paper_of,
    polling,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.shared.ballot import RANK, Choice, drawn, levels_of, read, said
from singletable_apps.shared.ballot import Typed as TypedRanks
from singletable_apps.shared.pages import Form, Typed

router = page_router()

SHORTEST_KEY, LONGEST_KEY = 16, 100
CHANGED = (
    "The candidates have changed since this ballot was opened: {changes}. Look at it again; what "
    "you ranked is still there."
)
CAST_BEFORE = (
    "Another ballot has been cast from this page before. This one takes its place, if you say so."
)
NO_KEY = "The form came without its key, which lets it be cast once. Send this one."
NO_PLACE = "Some boxes hold something other than a place."


@router.get("/e/{name}/ballot")
def show_ballot(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The paper to fill in, or why there is none."""
    found = polling(site, user, name)
    if found.way not in OPEN:
        return _shut(request, site, found)
    ranks = dict(site.elections.queries.rankings(user, found.election.name))
    choices = [Choice(one, str(ranks.get(one) or "")) for one in found.names]
    return _paper(request, site, found, choices)


@router.post("/e/{name}/ballot")
def cast_ballot(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: Typed
) -> Response:
    """Cast what was filled in; without a word that it is meant so, show it once more."""
    found, typed = polling(site, user, name), read(form.values)
    wrong = _wrong(found, typed, form)
    if form.value("sure") and not wrong:
        return _cast(request, site, found, typed, form.value("key"))
    if found.way not in OPEN:
        return _shut(request, site, found, 409)
    if wrong or form.value("change"):
        return _paper(request, site, found, typed.choices(found.names), wrong)
    return _review(request, site, found, typed, key=form.value("key"))


@router.get("/e/{name}/ballot/withdraw")
def ask_to_withdraw(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Whether the ballot shall really be taken back."""
    found = polling(site, user, name)
    if found.ballot is None or found.way not in OPEN:
        return site.pages.redirect(election_address(found.election, "ballot"))
    return site.pages.page(
        request,
        "confirm.html",
        question="Withdraw your ballot?",
        words=(
            f"Your ballot in “{found.election.name}” will not be counted, and its confirmation "
            "will not be among those signed. You can cast another one while voting lasts."
        ),
        to=election_address(found.election, "ballot", "withdraw"),
        button="Withdraw ballot",
        back=election_address(found.election, "ballot"),
    )


@router.post("/e/{name}/ballot/withdraw")
def withdraw_ballot(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Take it back."""
    site.elections.voting.withdraw(user, name)
    return site.pages.redirect(
        election_address(site.elections.office.view.election(name), "ballot"),
        "Your ballot has been withdrawn.",
    )


def _cast(request: Request, site: Site, found: Polling, typed: TypedRanks, key: str) -> Response:
    """Cast, and go to the receipt. What was cast by the same key before is there already."""
    try:
        lines = list(typed.ranks.items())
        site.elections.voting.cast(found.voter, found.election.name, lines, key)
    except KeyReused:
        if found.way not in OPEN:
            return _shut(request, site, found, 409)
        return _review(request, site, found, typed, CAST_BEFORE)
    except Invalid as refusal:
        return _paper(request, site, found, typed.choices(found.names), str(refusal))
    to = election_address(found.election, "receipt")
    return site.pages.redirect(to, "Your ballot has been cast.")


def _wrong(found: Polling, typed: TypedRanks, form: Form) -> str:
    """What is wrong with a form that was sent, if anything is."""
    if not SHORTEST_KEY <= len(form.value("key")) <= LONGEST_KEY:
        return NO_KEY
    if form.value("definition") != (found.election.definition or ""):
        return CHANGED.format(changes=_changes(typed, found))
    return NO_PLACE if typed.faults else ""


def _paper(
    request: Request,
    site: Site,
    found: Polling,
    choices: Sequence[Choice],
    wrong: str = "",
) -> Response:
    paper = paper_of(found, choices, _new_key(site))
    return site.pages.page(
        request,
        "elections/ballot.html",
        422 if wrong else 200,
        **_around(site, found),
        paper=drawn(paper),
        wrong=wrong,
    )


def _review(
    request: Request,
    site: Site,
    found: Polling,
    typed: TypedRanks,
    note: str = "",
    key: str = "",
) -> Response:
    """The ballot in words, with a button that casts it. A paper that was cast has a new key."""
    ranks = {name: typed.ranks.get(name) for name in found.names}
    levels, rest = levels_of(ranks)
    fields = {
        "key": key or _new_key(site),
        "definition": found.election.definition or "",
        **{f"{RANK}{name}": str(rank or "") for name, rank in ranks.items()},
    }
    return site.pages.page(
        request,
        "elections/ballot_review.html",
        409 if note else 200,
        **_around(site, found),
        said=said(levels, rest),
        blank=not levels,
        fields=fields,
        means=meaning(found.election),
        note=note,
    )


def _shut(request: Request, site: Site, found: Polling, status: int = 200) -> Response:
    return site.pages.page(
        request,
        "elections/ballot_shut.html",
        status,
        **_around(site, found),
        cast=_own(site, found),
    )


def _around(site: Site, found: Polling) -> dict[str, object]:
    """What every page about a ballot has: its frame, its voter's way, and addresses beside it."""
    return {
        **framed(site, found.election, found.voter, "ballot"),
        "found": found,
        "at": partial(election_address, found.election),
    }


def _own(site: Site, found: Polling) -> Mapping[str, object] | None:
    """One's own ballot in words, if there is one."""
    if found.ballot is None:
        return None
    name = found.voter.name
    cast = site.elections.voting.ballot(found.voter, found.election.name, name)
    ranking = cast.receipt["ranking"]
    ranked = {each for level in ranking for each in level}
    rest = [each for each in cast.receipt["definition"]["candidates"] if each not in ranked]
    return {"when": cast.when_cast, "said": said(ranking, rest)}


def _changes(typed: TypedRanks, found: Polling) -> str:
    new = [name for name in found.names if name not in typed.texts]
    gone = [name for name in typed.texts if name not in found.names]
    parts = [
        f"{what}: {', '.join(names)}" for what, names in (("new", new), ("gone", gone)) if names
    ]
    return "; ".join(parts) or "one has gone, and come back"


def _new_key(site: Site) -> str:
    return site.elections.office.random(16).hex()

"""The candidates of an election: the list as text, and each with statement and picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.entities import State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.dependencies import AnyPage, ElectionPage, render_texts
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules.names import MAX_STATEMENT, clean_candidate_names
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.pages import FORM_METHODS, Confirmation, Form, PostedForm, submit_form
from singletable_apps.shared.pages.uploads import PastedOrFile
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.web import FOREVER, public_response

router = APIRouter()


class CandidatesForm(BaseModel):
    """Names, one per line. `sure` is "yes" once removals are confirmed."""

    candidates: str
    sure: str = ""
    go: Literal["", "next"] = ""


def split_lines(text: str) -> list[str]:
    """Return the lines that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


@router.get("/e/{name}/candidates")
def show_candidates(page: ElectionPage) -> Response:
    """List the candidates; the owner can edit them until the election is locked."""
    text = "\n".join(_names(page))
    return _show_candidates(page, Form({"candidates": text, "revision": page.election.revision}))


@router.post("/e/{name}/candidates")
def submit_candidates(page: ElectionPage, form: PostedForm) -> Response:
    """Save the candidates. Removing some while voting is open asks for confirmation first."""
    user, election = page.user, page.election
    rules.check_set_candidates(user, election)

    def act(values: CandidatesForm) -> Response:
        old, new = _names(page), clean_candidate_names(split_lines(values.candidates))
        check_revision = form.revision_check()
        check_revision(election.revision)
        if election.allow_vote and set(old) - set(new) and values.sure != "yes":
            rules.check_set_candidates(user, election, count=len(new))
            return _confirm_removal(page, form, old, new)
        page.service.lifecycle.set_candidates(user, election.name, new, check_revision)
        following = "voters" if page.election.joint_with is None else "method"
        next_step = following if values.go else "candidates"
        return page.redirect(page.url(next_step), _describe_change(old, new))

    return submit_form(
        form,
        CandidatesForm,
        act,
        partial(_show_candidates, page),
        rejects=(InvalidInput, WrongState),
        field="candidates",
    )


def _show_candidates(page: ElectionPage, form: Form, status: int = 200) -> Response:
    return page.render_tab(
        "candidates",
        "candidates",
        status,
        names=_names(page),
        texts=render_texts(page),
        form=form,
        can_edit=page.is_manager and not rules.has_final_candidates(page.election),
    )


def _names(page: ElectionPage) -> list[str]:
    return page.service.queries.candidates(page.user, page.election.name)


def _describe_change(old: Sequence[str], new: Sequence[str]) -> str:
    counts = (len(set(new) - set(old)), "added"), (len(set(old) - set(new)), "removed")
    changes = [f"{count} {verb}" for count, verb in counts if count]
    unchanged = "Nothing changed." if list(old) == list(new) else "The new order is saved."
    return f"Saved: {', '.join(changes)}." if changes else unchanged


def _confirm_removal(
    page: ElectionPage, form: Form, old: Sequence[str], new: Sequence[str]
) -> Response:
    removed = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    rankings = _ranking_counts(page)
    what = "1 candidate" if len(removed) == 1 else f"{len(removed)} candidates"
    confirmation = Confirmation(
        title=f"Remove {what} while voting is open?",
        text="Ballots that rank a removed candidate stay, and count as if they didn’t. Voters "
        "aren’t notified. A candidate you add again later starts without rankings.",
        facts=[
            *((f"Remove {name}", _describe_rankings(rankings, name)) for name in removed),
            *((f"Add {name}", "New candidate") for name in added),
        ],
        button="Remove and save",
        url=page.url("candidates"),
        back=page.url("candidates"),
        hidden={"candidates": form.value("candidates"), "sure": "yes"},
    )
    return page.confirm(confirmation, form)


def _ranking_counts(page: ElectionPage) -> Counter[str] | None:
    """Return how many ballots rank each candidate, or None if rankings are not published."""
    try:
        ballots = page.service.results.ballots(page.user, page.election.name)
    except (NotPermitted, WrongState):
        return None
    return Counter(name for ballot in ballots for level in ballot.ranking.levels for name in level)


def _describe_rankings(counts: Counter[str] | None, name: str) -> str:
    if counts is None:
        return "Only totals are published, so we can’t say how many ballots rank this candidate."
    if not counts[name]:
        return "Not ranked on any ballot yet"
    return "Ranked on 1 ballot" if counts[name] == 1 else f"Ranked on {counts[name]:,} ballots"


class CandidateForm(BaseModel):
    """The name and the statement of a candidate, and what the picture shows."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    statement: Annotated[str, Field(max_length=MAX_STATEMENT)] = ""
    alt: Annotated[str, Field(max_length=200)] = ""
    remove_picture: bool = False


CandidateInQuery: TypeAlias = Annotated[str, Query(max_length=200)]


@router.api_route("/e/{name}/candidates/edit", methods=FORM_METHODS)
def edit_candidate(
    page: ElectionPage, upload: PastedOrFile, candidate: CandidateInQuery = ""
) -> Response:
    """Change the name, the statement and the picture of a candidate."""
    rules.check_set_candidates(page.user, page.election)
    texts = page.service.queries.texts(page.user, page.election.name)
    if page.request.method == "GET" and candidate not in texts.candidates:
        return page.redirect(page.url("candidates"), "There is no such candidate anymore.")

    def act(values: CandidateForm) -> Response:
        files = upload.named("picture")
        picture = files[0].data if files else None
        page.service.lifecycle.edit_candidate(
            page.user,
            page.election.name,
            candidate,
            new_name=values.name,
            statement=values.statement,
            picture=b"" if values.remove_picture else picture,
            alt=values.alt,
            check_revision=upload.form.revision_check(),
        )
        return page.redirect(page.url("candidates"), f"“{values.name}” is saved.")

    values = {"name": candidate, "statement": texts.statements.get(candidate, "")}
    if candidate in texts.pictures:
        values["alt"] = texts.pictures[candidate].alt
    initial = Form({**values, "revision": page.election.revision})

    def show(form: Form, status: int) -> Response:
        can_rename = rules.state_of(page.election) is State.SETUP
        context = {"form": form, "candidate": candidate, "can_rename": can_rename}
        return page.render_tab(
            "candidate_edit", "candidates", status, texts=render_texts(page), **context
        )

    return page.fill(upload.form, initial, CandidateForm, act, show)


@router.get("/pictures/{picture}")
def read_picture(page: AnyPage, picture: Annotated[str, Path(max_length=100)]) -> Response:
    """Return the picture of a candidate. Its name is a hash, so it cannot be guessed."""
    found = page.service.context.book.find_picture(picture.removesuffix(".webp"))
    if found is None:
        raise NotFound("There is no such picture.")
    return public_response(page.request, found, "image/webp", caching=FOREVER)

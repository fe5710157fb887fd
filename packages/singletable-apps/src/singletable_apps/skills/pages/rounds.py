"""Rating rounds: the list, a round with its progress and changes, and the form of ratings."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    ConfirmForm,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.web import Day
from singletable_apps.shared.web.downloads import TableFormat, download_table
from singletable_apps.skills.entities import Level
from singletable_apps.skills.overview_rules import tally
from singletable_apps.skills.pages.dependencies import AdminPage, Segment, UserPage
from singletable_apps.skills.round_rules import changes_table, count_progress, ends_at
from singletable_apps.skills.rules import LEVELS, is_same_user, latest_levels

router = APIRouter()
_LEVEL = "level-"
_NOBODY = "There is nobody to remind: all have finished, were reminded today or have no address."


class RoundForm(BaseModel):
    """A round to open."""

    name: str
    closes_on: Day
    teams: list[str] = Field(default_factory=list)


@router.api_route("/rounds", methods=FORM_METHODS)
def list_rounds(page: UserPage, form: PostedForm) -> Response:
    """List the rounds, the newest first; for administrators, open one."""
    rounds = page.service.rounds

    def act(values: RoundForm) -> Response:
        opened = rounds.open(page.user, **dict(values))
        return page.redirect(page.urls.page("rounds", opened.round_id), f"Opened “{opened.name}”.")

    def show(form: Form, status: int) -> Response:
        return page.render(
            "rounds",
            status,
            form=form,
            rounds=[(each, rounds.is_open(each)) for each in rounds.list()],
            teams=[(each.team_id, each.name) for each in page.service.teams.page(100).items],
        )

    return page.fill(form, Form(), RoundForm, act, show)


@router.get("/rounds/{round_id}")
def show_round(page: UserPage, round_id: Segment, query: ListQueryParameters) -> Response:
    """Show the progress of a round, and which levels have changed since the last one."""
    rounds, reach = page.service.rounds, page.service.context.reach(page.user)
    item = rounds.get(round_id)
    people, (since, changes) = rounds.people(item, reach), rounds.compare(item, reach)
    skills = ((each.skill.skill_name, "up" if each.is_up else "down") for each in changes)
    unfinished_first = sorted(people, key=lambda each: each.is_finished)
    own = next((each for each in people if each.user.user_id == page.user.user_id), None)
    return page.render(
        "round",
        round=item,
        is_open=rounds.is_open(item),
        ended=ends_at(item),
        own=own,
        progress=count_progress(people),
        people=query.apply(
            [each for each in unfinished_first if each is not own],
            text=lambda each: each.user.name,
            columns={"own": lambda each: each.is_finished, "manager": lambda each: each.is_rated},
            limit=25,
        ),
        since=since,
        changes=changes,
        by_skill=tally(skills, ("up", "down")),
    )


@router.get("/rounds/{round_id}/export")
def export_changes(page: UserPage, round_id: Segment, format: TableFormat) -> Response:  # noqa: A002
    """Download which levels of people within reach have changed."""
    service = page.service
    reach, names = service.context.reach(page.user), service.context.words().levels
    _, changes = service.rounds.compare(service.rounds.get(round_id), reach)
    return download_table(*changes_table(changes, names), "changes", format)


@router.api_route("/rounds/{round_id}/people/{username}", methods=FORM_METHODS)
def rate_person(page: UserPage, round_id: Segment, username: Segment, form: PostedForm) -> Response:
    """Confirm or change the levels of oneself, or of one of one's people."""
    service = page.service
    service.context.check_reach(page.user, username)
    item, person = service.rounds.get(round_id), service.context.get_user(username)
    if not service.rounds.is_open(item):
        return page.redirect(page.urls.page("rounds", round_id), "This rating round is over.")

    def act(_: ConfirmForm) -> Response:
        names = [name for name in form.values if name.startswith(_LEVEL)]
        levels = {
            name.removeprefix(_LEVEL): Level(form.value(name))
            for name in names
            if form.value(name) in LEVELS
        }
        service.rounds.finish(page.user, round_id, username, levels)
        return page.redirect(page.urls.page("rounds", round_id), f"{person.name}: finished.")

    has = {each.skill_id: each for each in service.user_skills.list(username)}
    jobs = service.overview.jobs({person.job_role} - {""})
    targets = next((job.targets for job in jobs.values()), dict[str, Level]())
    known, is_own = {*has, *targets}, is_same_user(page.user.username, username)
    levels = latest_levels(has.values(), service.user_skills.ratings(person))
    # People start from their own last rating, and managers from theirs, or else from that.
    starts = {key: own if is_own else managers or own for key, (own, managers) in levels.items()}
    show = page.shows(
        "round_ratings",
        round=item,
        person=person,
        is_own=is_own,
        skills=[each for each in service.catalog.list_names() if each.skill_id in known],
        targets=targets,
        levels=levels,
        starts=starts,
    )
    initial = Form({f"{_LEVEL}{skill_id}": level or "" for skill_id, level in starts.items()})
    return page.fill(form, initial, ConfirmForm, act, show)


@router.post("/rounds/{round_id}/remind")
def remind(page: AdminPage, round_id: Segment) -> Response:
    """Remind everyone yet to finish."""
    queued = page.service.rounds.remind(page.user, round_id)
    text = f"Reminded {queued} {'person' if queued == 1 else 'people'}." if queued else _NOBODY
    return page.redirect(page.urls.page("rounds", round_id), text)


@confirm(router, "/rounds/{round_id}/close")
def close_round(page: AdminPage, round_id: Segment) -> ConfirmedAction:
    """Close a round."""
    item = page.service.rounds.get(round_id)
    return ConfirmedAction(
        page,
        title=f"Close “{item.name}” now?",
        text="Nobody can finish ratings in this round any more. All ratings are kept.",
        button="Close the round",
        back=page.urls.page("rounds", round_id),
        do=lambda _: page.service.rounds.close(page.user, round_id),
        done=f"Closed “{item.name}”.",
    )

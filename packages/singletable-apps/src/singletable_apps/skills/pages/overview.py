"""The matrix of people and skills, the gap report, and their downloads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Annotated, TypeAlias
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from markupsafe import Markup, escape
from pydantic import BaseModel, Field

from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.charts import ChartBar, ChartPart, StackedChart
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import Form, PostedForm, path_of
from singletable_apps.shared.web import Day
from singletable_apps.shared.web.downloads import TableFormat, download_table
from singletable_apps.shared.web.threads import on_event_loop
from singletable_apps.skills import overview_rules
from singletable_apps.skills.entities import Level, UserSkill
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.rules import LEVELS, RANKS
from singletable_apps.skills.service.overview import (
    PAGE_SIZES,
    GapReport,
    Matrix,
    MatrixQuery,
    PeopleFilter,
)

router = APIRouter()
# The parameters of the matrix and the gap report.
_CHOICES = ["q", "department", "job", "team", "skills", "size", "sort", "level", "enough", "cursor"]
# How many people with gaps the page lists. The download has all.
_MOST_LISTED = 25


class Filters:
    """What was chosen, and URLs with other choices."""

    def __init__(self, request: Request) -> None:
        self.path, sent = path_of(request), request.query_params
        self.chosen = {name: sent[name] for name in _CHOICES if sent.get(name)}
        self.people = PeopleFilter(*map(self.value, ("q", "department", "job", "team")))

    def value(self, name: str) -> str:
        """Return a choice, or an empty text."""
        return self.chosen.get(name, "")

    def url(self, path: str = "", /, **changes: str) -> str:
        """Return the URL with some choices changed; with a path, of a page below."""
        chosen = {name: value for name, value in {**self.chosen, **changes}.items() if value}
        target = f"{self.path}/{path}" if path else self.path
        return f"{target}?{urlencode(chosen)}" if chosen else target

    @property
    def matrix(self) -> MatrixQuery:
        """Return what the matrix shows, or raise InvalidInput."""
        size, cursor = self._number("size", PAGE_SIZES[0]), self.chosen.get("cursor")
        return MatrixQuery(self.people, self.value("skills"), self.value("sort"), size, cursor)

    @property
    def level(self) -> Level:
        """Return the level that counts as enough, or raise InvalidInput."""
        level = self.chosen.get("level", Level.ADVANCED)
        if level not in LEVELS:
            raise InvalidInput({"level": f"Choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}."})
        return Level(level)

    @property
    def enough(self) -> int:
        """Return how many people are enough, or raise InvalidInput."""
        return self._number("enough", 2)

    def _number(self, name: str, default: int) -> int:
        text = self.value(name).strip()
        if text and not (text.isascii() and text.isdecimal() and len(text) < 6):
            raise InvalidInput({name: "Enter a whole number."})
        return int(text) if text else default


CurrentFilters: TypeAlias = Annotated[Filters, Depends(on_event_loop(Filters))]


def _choices(page: UserPageContext, filters: Filters) -> dict[str, Sequence[tuple[object, str]]]:
    """Return the options of the filters."""
    overview = page.service.overview
    department = filters.people.department
    departments = {name: name for name in [*overview.departments(), department] if name}
    jobs, words = overview.job_names(), page.service.context.words()
    return {
        "departments": [("", "All departments"), *departments.items()],
        "jobs": [("", "All jobs"), *jobs.items()],
        "skills": [
            ("", "Those of the job" if filters.people.job else "Most common"),
            *((each, each) for each in words.categories),
            *((role_id, f"Needed by {name}") for role_id, name in jobs.items()),
        ],
        "teams": [("", "Everyone"), *page.service.teams.list_names()],
        "sizes": [(size, f"{size} people") for size in PAGE_SIZES],
        "levels": [
            (each, name if each is Level.EXPERT else f"{name} or better")
            for each, name in words.levels.items()
        ],
    }


@router.get("/matrix")
def show_matrix(page: UserPage, filters: CurrentFilters) -> Response:
    """Show people and their levels in skills."""
    values, choices = {"size": str(PAGE_SIZES[0]), **filters.chosen}, _choices(page, filters)
    try:
        matrix = page.service.overview.matrix(filters.matrix)
    except InvalidInput as error:
        form = Form(values, error.errors)
        return page.render("matrix", 422, form=form, filters=filters, choices=choices, matrix=None)
    return page.pages.stream(
        page.request,
        "skills/matrix.html",
        form=Form(values),
        filters=filters,
        choices=choices,
        matrix=matrix,
        rows=_draw_rows(page, matrix),
    )


def _draw_rows(page: UserPageContext, matrix: Matrix) -> Iterator[Markup]:
    """Yield the rows of the table, written by hand: there are up to 12,000 cells.

    HTML does not need the end tags of cells. A cell without a skill must be empty for the styles.
    Rows of people whom the reader may rate have `data-user`.
    """
    urls, context = page.urls, page.service.context
    today, reach = context.today(), context.reach(page.user)
    # Everything else in the description of a cell needs no escaping.
    names = {level: escape(name) for level, name in context.words().levels.items()}
    columns = {
        each.skill_id: (place, escape(each.name)) for place, each in enumerate(matrix.skills)
    }
    for person in matrix.people:
        url = escape(urls.person(person.username))
        user = f' data-user="{escape(person.username)}"' if person.username in reach else ""
        cells = ["<td>"] * len(columns)
        for skill_id, skill in matrix.cells[person.username.casefold()].items():
            place, name = columns[skill_id]
            cells[place] = (
                f'<td class="{_cell_class(skill, today)}" data-name="{name}" '
                f'data-years="{skill.years}" title="{overview_rules.describe_cell(skill, names)}">'
                f"{RANKS[skill.level]}"
            )
        head = f'<tr{user}><th scope="row"><a href="{url}">{escape(person.name)}</a>'
        yield Markup("".join([head, *cells, "</tr>"]))


def _cell_class(skill: UserSkill, today: date) -> str:
    return f"level-{RANKS[skill.level]}{' stale' if overview_rules.is_stale(skill, today) else ''}"


class CellForm(BaseModel):
    """A cell of the matrix: a level from 1 to 4 and years, 0 to remove the skill, or an undo."""

    level: Annotated[int, Field(ge=0, le=len(LEVELS))] = 0
    years: int = 0
    last_used: Day | None = None
    undo: bool = False


@router.post("/matrix/{username}/{skill_id}")
def rate_cell(page: UserPage, username: Segment, skill_id: Segment, form: PostedForm) -> Response:
    """Rate a skill in its cell. Return the cell, or what is wrong, as JSON."""

    def act(values: CellForm) -> Response:
        skills, level = page.service.user_skills, LEVELS[values.level - 1] if values.level else None
        skill = (
            skills.take_back(page.user, username, skill_id)
            if values.undo
            else skills.rate(page.user, username, skill_id, level, values.years, values.last_used)
        )
        last_used = skill.last_used.isoformat() if skill else ""
        if skill is None or not (level or values.undo):
            # An undo sends the day of last use of a skill that was removed.
            return JSONResponse(
                {"level": 0, "years": 0, "class": "", "title": "", "used": last_used}
            )
        context = page.service.context
        title = overview_rules.describe_cell(skill, context.words().levels)
        shown = {"level": RANKS[skill.level], "years": skill.years, "title": title}
        return JSONResponse({**shown, "class": _cell_class(skill, context.today())})

    def show(form: Form, status: int) -> Response:
        return JSONResponse({"error": " ".join([form.summary, *form.errors.values()])}, status)

    return page.submit(form, CellForm, act, show)


@router.get("/matrix/export")
def export_matrix(page: UserPage, filters: CurrentFilters, format: TableFormat) -> Response:  # noqa: A002
    """Download the matrix of everyone within reach, with the filters and the order of the page."""
    matrix = page.service.overview.matrix(filters.matrix, page.service.context.reach(page.user))
    names = page.service.context.words().levels
    table = overview_rules.matrix_table(matrix.people, matrix.skills, matrix.cells, names)
    return download_table(*table, "matrix", format)


@router.get("/gaps")
def show_gaps(page: UserPage, filters: CurrentFilters) -> Response:
    """Show the skills that too few people have, and the people below a job's targets."""
    errors: dict[str, str] = {}
    report: GapReport | None = None
    try:
        report = _gaps(page, filters, all_people=True)
    except InvalidInput as error:
        errors = error.errors
    below = overview_rules.people_below(report.targets) if report else []
    return page.render(
        "gaps",
        422 if errors else 200,
        form=Form({"level": Level.ADVANCED.value, "enough": 2, **filters.chosen}, errors),
        filters=filters,
        choices=_choices(page, filters),
        report=report,
        thin=[each for each in report.coverage if each.state != "covered"] if report else [],
        below=below[:_MOST_LISTED],
        all_below=len(below),
        charts=_charts(report, filters.enough) if report else [],
    )


@router.get("/gaps/export")
def export_gaps(
    page: UserPage,
    filters: CurrentFilters,
    format: TableFormat,  # noqa: A002
    of: Annotated[str, Query(pattern="^(coverage|targets)$")] = "coverage",
) -> Response:
    """Download the coverage of skills or the levels beside the targets, of people within reach."""
    report = _gaps(page, filters, all_people=False)
    names = page.service.context.words().levels
    if of == "targets":
        return download_table(*overview_rules.targets_table(report.targets, names), of, format)
    return download_table(*overview_rules.coverage_table(report.coverage, names), of, format)


def _gaps(page: UserPageContext, filters: Filters, *, all_people: bool) -> GapReport:
    reach = page.service.context.reach(page.user)
    chosen = (filters.people, filters.level, filters.enough)
    return page.service.overview.gaps(reach, *chosen, all_people=all_people)


def _charts(report: GapReport, enough: int) -> list[StackedChart]:
    states = {
        overview_rules.CoverageState.NOBODY: ChartPart("Nobody", "danger"),
        overview_rules.CoverageState.THIN: ChartPart(f"Fewer than {enough}", "warning"),
        overview_rules.CoverageState.COVERED: ChartPart(f"{enough} or more", "good"),
    }
    results = {
        overview_rules.TargetResult.BELOW: ChartPart("Below", "warning"),
        overview_rules.TargetResult.MEETS: ChartPart("Meets", "2"),
        overview_rules.TargetResult.EXCEEDS: ChartPart("Exceeds", "4"),
    }
    skills = [(each.skill.category, each.state) for each in report.coverage]
    jobs = [(each.job, each.result) for each in report.targets]
    departments = [
        (each.person.department or "No department", each.result) for each in report.targets
    ]
    return [
        StackedChart(
            title,
            list(parts.values()),
            [
                ChartBar(group, counts, f"{sum(counts[:risky])} of {sum(counts)} {noun}")
                for group, counts in overview_rules.tally(pairs, list(parts)).items()
            ],
            id=chart_id,
            row_heading=chart_id.capitalize(),
        )
        for title, chart_id, parts, pairs, risky, noun in (
            ("Skills by category", "category", states, skills, 2, "thin"),
            ("Targets by job", "job", results, jobs, 1, "below"),
            ("Targets by department", "department", results, departments, 1, "below"),
        )
        if pairs
    ]


@router.get("/export")
def show_export(page: UserPage, format: TableFormat | None = None) -> Response:  # noqa: A002
    """Download the skills of all people within reach, or choose the format first."""
    if format is None:
        return page.render("export")
    if page.needs_password:
        return page.sign_in_again(SensitiveAction.EXPORT)
    return download_table(*page.service.overview.export(page.user), "skills", format)

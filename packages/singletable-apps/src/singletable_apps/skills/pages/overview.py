"""The matrix of people and skills, the gap report, and their downloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated, TypeAlias
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from markupsafe import Markup, escape
from pydantic import BaseModel, Field

from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.charts import ChartBar, ChartPart, StackedChart
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import Form, path_of
from singletable_apps.shared.web.downloads import TableFormat, download_table
from singletable_apps.skills.entities import Category, Level
from singletable_apps.skills.overview_rules import (
    CoverageState,
    TargetResult,
    coverage_table,
    describe_cell,
    is_stale,
    matrix_table,
    people_below,
    tally,
    targets_table,
)
from singletable_apps.skills.pages.dependencies import ManagerPage, UserPage, UserPageContext
from singletable_apps.skills.rules import LEVELS, PERMISSIONS, RANKS, Permission
from singletable_apps.skills.service.overview import (
    PAGE_SIZES,
    GapReport,
    Matrix,
    MatrixQuery,
    PeopleFilter,
)
from singletable_apps.skills.urls import Urls

router = APIRouter()
_Text: TypeAlias = Annotated[str, Field(max_length=200)]
# How many people with gaps the page lists. The download has all.
_MOST_LISTED = 25


class FilterQuery(BaseModel):
    """The choices in the query of the matrix and the gap report."""

    q: _Text = ""
    department: _Text = ""
    job: _Text = ""
    team: _Text = ""
    skills: _Text = ""
    size: _Text = ""
    sort: _Text = ""
    level: _Text = ""
    enough: _Text = ""
    cursor: Annotated[str, Field(max_length=4000)] = ""


class Filters:
    """What was chosen, and URLs with other choices."""

    def __init__(self, request: Request, query: Annotated[FilterQuery, Query()]) -> None:
        self.path = path_of(request)
        self.people = PeopleFilter(query.q, query.department, query.job, query.team)
        self.values: dict[str, str] = query.model_dump()

    def url(self, path: str = "", /, **changes: str) -> str:
        """Return the URL with some choices changed; with a path, of a page below."""
        chosen = {name: value for name, value in {**self.values, **changes}.items() if value}
        target = f"{self.path}/{path}" if path else self.path
        return f"{target}?{urlencode(chosen)}" if chosen else target

    @property
    def matrix(self) -> MatrixQuery:
        """Return what the matrix shows, or raise InvalidInput."""
        size = self._number("size", PAGE_SIZES[0])
        chosen = self.values
        return MatrixQuery(
            self.people, chosen["skills"], chosen["sort"], size, chosen["cursor"] or None
        )

    @property
    def level(self) -> Level:
        """Return the level that counts as enough, or raise InvalidInput."""
        level = self.values["level"] or Level.ADVANCED
        if level not in LEVELS:
            raise InvalidInput({"level": f"Choose {', '.join(LEVELS[:-1])} or {LEVELS[-1]}."})
        return Level(level)

    @property
    def enough(self) -> int:
        """Return how many people are enough, or raise InvalidInput."""
        return self._number("enough", 2)

    def _number(self, name: str, default: int) -> int:
        text = self.values[name].strip()
        if text and not (text.isascii() and text.isdecimal() and len(text) < 6):
            raise InvalidInput({name: "Enter a whole number."})
        return int(text) if text else default


CurrentFilters: TypeAlias = Annotated[Filters, Depends()]


@dataclass(frozen=True)
class Choices:
    """The options of the filters."""

    departments: list[tuple[str, str]]
    jobs: list[tuple[str, str]]
    skills: list[tuple[str, str]]
    sizes: list[tuple[int, str]]
    levels: list[tuple[str, str]]


def _choices(page: UserPageContext, filters: Filters) -> Choices:
    overview = page.service.overview
    department = filters.people.department
    departments = {name: name for name in [*overview.departments(), department] if name}
    jobs = overview.job_names()
    return Choices(
        [("", "All departments"), *departments.items()],
        [("", "All jobs"), *jobs.items()],
        [
            ("", "Those of the job" if filters.people.job else "Most common"),
            *((category.value, category.value) for category in Category),
            *((role_id, f"Needed by {name}") for role_id, name in jobs.items()),
        ],
        [(size, f"{size} people") for size in PAGE_SIZES],
        [(level, level if level is Level.EXPERT else f"{level} or better") for level in LEVELS],
    )


# ------------------------------------------------------------------------------ the matrix


@router.get("/matrix")
def show_matrix(page: UserPage, filters: CurrentFilters) -> Response:
    """Show people and their levels in skills."""
    errors: dict[str, str] = {}
    matrix: Matrix | None = None
    try:
        matrix = page.service.overview.matrix(filters.matrix)
    except InvalidInput as error:
        errors = error.errors
    return page.render(
        "matrix",
        422 if errors else 200,
        form=Form({"size": PAGE_SIZES[0], **_filled(filters)}, errors),
        filters=filters,
        choices=_choices(page, filters),
        matrix=matrix,
        rows=_draw_rows(matrix, page.urls, page.service.context.today()) if matrix else [],
        ranks=RANKS,
        can_export=PERMISSIONS.allows(page.user.role, Permission.PLAN),
    )


def _draw_rows(matrix: Matrix, urls: Urls, today: date) -> Iterator[Markup]:
    """Yield the rows of the table, written by hand: there are up to 12,000 cells.

    HTML does not need the end tags of cells. A cell without a skill must be empty for the styles.
    """
    columns = [(each.skill_id, escape(each.name)) for each in matrix.skills]
    for person in matrix.people:
        have = matrix.cells[person.username.casefold()]
        url = escape(urls.person(person.username))
        row = [f'<tr><th scope="row"><a href="{url}">{escape(person.name)}</a>']
        for skill_id, name in columns:
            skill = have.get(skill_id)
            if skill is None:
                row.append("<td>")
                continue
            rank, stale = RANKS[skill.level], " stale" if is_stale(skill, today) else ""
            row.append(
                f'<td class="level-{rank}{stale}"><a href="{url}/skills/{skill_id}" '
                f'title="{describe_cell(skill)}"><b>{name}</b>{rank}</a>'
            )
        yield Markup("".join([*row, "</tr>"]))


@router.get("/matrix/export")
def export_matrix(page: UserPage, filters: CurrentFilters, format: TableFormat) -> Response:  # noqa: A002
    """Download the matrix as it is shown."""
    matrix = page.service.overview.matrix(filters.matrix)
    return download_table(
        *matrix_table(matrix.people, matrix.skills, matrix.cells), "matrix", format
    )


def _filled(filters: Filters) -> dict[str, str]:
    return {name: value for name, value in filters.values.items() if value}


# ------------------------------------------------------------------------------ the gap report


@router.get("/gaps")
def show_gaps(page: UserPage, filters: CurrentFilters) -> Response:
    """Show which skills too few people have, and who is below the targets of a job."""
    errors: dict[str, str] = {}
    report: GapReport | None = None
    try:
        report = page.service.overview.gaps(filters.people, filters.level, filters.enough)
    except InvalidInput as error:
        errors = error.errors
    below = people_below(report.targets) if report else []
    return page.render(
        "gaps",
        422 if errors else 200,
        form=Form({"level": Level.ADVANCED.value, "enough": 2, **_filled(filters)}, errors),
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
    """Download the coverage of skills, or everyone's levels beside the targets."""
    report = page.service.overview.gaps(filters.people, filters.level, filters.enough)
    table = targets_table(report.targets) if of == "targets" else coverage_table(report.coverage)
    return download_table(*table, of, format)


def _charts(report: GapReport, enough: int) -> list[StackedChart]:
    states = {
        CoverageState.NOBODY: ChartPart("Nobody", "danger"),
        CoverageState.THIN: ChartPart(f"Fewer than {enough}", "warning"),
        CoverageState.COVERED: ChartPart(f"{enough} or more", "good"),
    }
    results = {
        TargetResult.BELOW: ChartPart("Below", "warning"),
        TargetResult.MEETS: ChartPart("Meets", "2"),
        TargetResult.EXCEEDS: ChartPart("Exceeds", "4"),
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
                for group, counts in tally(pairs, list(parts)).items()
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


# ------------------------------------------------------------------------------ everything


@router.get("/export")
def show_export(page: ManagerPage, format: TableFormat | None = None) -> Response:  # noqa: A002
    """Download the skills of all people, or choose the format first."""
    if format is None:
        return page.render("export")
    if page.needs_password:
        return page.sign_in_again(SensitiveAction.EXPORT)
    return download_table(*page.service.overview.export(page.user), "skills", format)

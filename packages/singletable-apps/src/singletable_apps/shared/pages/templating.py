"""The Jinja environment: always escaped, and strict about undefined variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, cast
from zoneinfo import ZoneInfo

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from singletable_apps.shared.markdown import render_markdown
from singletable_apps.shared.pages.times import LocalTime
from singletable_apps.shared.text import is_link

_SHARED = Path(__file__).parent / "templates"
Filter: TypeAlias = Callable[..., str]


def make_environment(folders: Sequence[Path], variables: Mapping[str, object]) -> Environment:
    """Return an environment for the shared templates and those in `folders`.

    Shared templates take precedence. `variables` are available in macros too.
    """
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(each) for each in (_SHARED, *folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    # Jinja2 types both as its own defaults only.
    filters: Any = environment.filters
    filters.update(_FILTERS)
    tests: Any = environment.tests
    tests["link"] = is_link
    template_globals: Any = environment.globals
    template_globals.update(variables)
    return environment


@pass_context
def _moment(context: Context, at: datetime) -> Markup:
    return LocalTime(at, _zone(context)).html


@pass_context
def _moment_with_utc(context: Context, at: datetime) -> Markup:
    return LocalTime(at, _zone(context)).html_with_utc


@pass_context
def _day(context: Context, at: datetime) -> str:
    return LocalTime(at, _zone(context)).day


def _zone(context: Context) -> ZoneInfo:
    return cast(ZoneInfo, context.get("zone") or ZoneInfo("UTC"))


def number(value: float) -> str:
    """Format a number with commas between thousands."""
    return f"{value:,}"


def percent(part: float, whole: float = 1.0) -> str:
    """Format a share as `12.5%` or `50%`, and 0 of 0 as `0%`."""
    return f"{100 * part / whole if whole else 0:.1f}".removesuffix(".0") + "%"


def plural(count: int, one: str, many: str = "") -> str:
    """Format a count with its noun: `1 ballot`, `2 ballots`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def markdown(text: str) -> Markup:
    """Render Markdown that anyone may have written."""
    return Markup(render_markdown(text, rel="noopener nofollow ugc"))


_FILTERS: Mapping[str, Filter] = {
    "markdown": markdown,
    "moment": _moment,
    "moment_with_utc": _moment_with_utc,
    "day": _day,
    "number": number,
    "percent": percent,
    "plural": plural,
}

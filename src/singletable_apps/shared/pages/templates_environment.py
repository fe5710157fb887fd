"""The environment of templates: escaped always, and strict about what is not there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, cast
from zoneinfo import ZoneInfo

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from singletable_apps.shared.pages.times import LocalTime

SHARED = Path(__file__).parent / "templates"
Filter: TypeAlias = Callable[..., str]


def make_environment(folders: Sequence[Path], known: Mapping[str, object]) -> Environment:
    """Templates of the shared folder and of others; a shared one is never hidden by another.

    `known` is what macros know too, whoever imports them.
    """
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(each) for each in (SHARED, *folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    # Jinja2 says of both only what it puts there itself.
    filters: Any = environment.filters
    filters.update(_FILTERS)
    everywhere: Any = environment.globals
    everywhere.update(known)
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
    """A number with thin spaces between thousands: readable in every language."""
    return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def percent(part: float, whole: float = 1.0) -> str:
    """A share as `12.5 %`; nothing of nothing is none."""
    return f"{100 * part / whole if whole else 0:.1f}\N{NARROW NO-BREAK SPACE}%"


def plural(count: int, one: str, many: str = "") -> str:
    """As `1 ballot` and `2 ballots`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


_FILTERS: Mapping[str, Filter] = {
    "moment": _moment,
    "moment_with_utc": _moment_with_utc,
    "day": _day,
    "number": number,
    "percent": percent,
    "plural": plural,
}

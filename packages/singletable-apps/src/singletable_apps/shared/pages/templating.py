"""The Jinja environment: always escaped, and strict about undefined variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias, cast
from zoneinfo import ZoneInfo

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from singletable_apps.shared.languages import ENGLISH, Language, Phrase
from singletable_apps.shared.markdown import render_markdown
from singletable_apps.shared.pages.times import LocalTime
from singletable_apps.shared.text import is_link

_SHARED = Path(__file__).parent / "templates"
Filter: TypeAlias = Callable[..., str]


class _Environment(Environment):
    """An environment with constant variables, so that importing a template is quick."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


def make_environment(
    folders: Sequence[Path], variables: Mapping[str, object], language: Language = ENGLISH
) -> Environment:
    """Return an environment for the shared templates and those in `folders`, in one language.

    Shared templates take precedence. `variables` are available in macros too. Messages are
    translated where they are shown; other texts of ours are marked with `_("…")`.
    """

    def translate(value: object) -> object:
        return language.gettext(value) if isinstance(value, Phrase) else value

    environment = _Environment(
        loader=ChoiceLoader([FileSystemLoader(each) for each in (_SHARED, *folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.do", "jinja2.ext.i18n"],
        finalize=translate,
    )
    # Jinja2 types these as its own defaults only, and does not know what an extension adds.
    i18n: Any = environment
    i18n.install_gettext_callables(language.gettext, language.ngettext)
    filters: Any = environment.filters
    filters.update({**_FILTERS, "number": language.number})
    tests: Any = environment.tests
    tests["link"] = is_link
    template_globals: Any = environment.globals
    template_globals.update({**variables, "language": language})
    return environment


def _time_filter(form: str) -> Filter:
    """Return a filter that shows a time in a form of `LocalTime`, and a date as its day."""

    @pass_context
    def show(context: Context, at: date) -> str:
        language: Language = context["language"]
        if not isinstance(at, datetime):
            return language.date(at, "d MMMM y")
        zone = cast(ZoneInfo, context.get("zone") or ZoneInfo("UTC"))
        return cast(str, getattr(LocalTime(at, zone, language), form))

    return show


def percent(part: float, whole: float = 1.0) -> str:
    """Format a share as `12.5%` or `50%`, and 0 of 0 as `0%`."""
    return f"{100 * part / whole if whole else 0:.1f}".removesuffix(".0") + "%"


def plural(count: int, one: str, many: str = "") -> str:
    """Format a count with its noun: `1 ballot`, `2 ballots`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def markdown(text: str) -> Markup:
    """Render Markdown that anyone may have written."""
    return Markup(render_markdown(text, rel="noopener nofollow ugc"))


_FILTERS: Mapping[str, Filter] = {
    "markdown": markdown,
    "moment": _time_filter("html"),
    "moment_with_utc": _time_filter("html_with_utc"),
    "day": _time_filter("day"),
    "percent": percent,
    "plural": plural,
}

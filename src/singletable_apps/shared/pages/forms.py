"""Forms: what somebody typed becomes a model, or is shown again with what is wrong beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import NoneType
from typing import Annotated, TypeAlias, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from fastapi import Depends, Request, Response
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic.fields import FieldInfo

from singletable_apps.shared.pages.times import (
    UTC,
    request_time_zone,
    typed_as,
    typed_in,
    zone_named,
)
from singletable_apps.shared.web import MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, Problem

_Limits = Mapping[str, object]

# By the types of pydantic's errors; for others its own words are good enough.
_WORDS: Mapping[str, Callable[[_Limits], str]] = {
    "missing": lambda limits: "Please fill this in.",
    "string_too_short": lambda limits: _at_least(limits["min_length"], "character"),
    "string_too_long": lambda limits: _at_most(limits["max_length"], "character"),
    "too_short": lambda limits: _choose("at least", limits["min_length"]),
    "too_long": lambda limits: _choose("at most", limits["max_length"]),
    "int_parsing": lambda limits: "Enter a whole number.",
    "int_from_float": lambda limits: "Enter a whole number.",
    "int_parsing_size": lambda limits: "That number is too large.",
    "float_parsing": lambda limits: "Enter a number.",
    "decimal_parsing": lambda limits: "Enter a number.",
    "greater_than_equal": lambda limits: f"Enter {limits['ge']} or more.",
    "greater_than": lambda limits: f"Enter more than {limits['gt']}.",
    "less_than_equal": lambda limits: f"Enter {limits['le']} or less.",
    "less_than": lambda limits: f"Enter less than {limits['lt']}.",
    "literal_error": lambda limits: "Choose one of those offered.",
    "enum": lambda limits: "Choose one of those offered.",
    "value_error": lambda limits: str(limits["error"]),
}


def in_words(error: ValidationError) -> dict[str, str]:
    """What is wrong, by the name of the field; the first thing if there are several."""
    found: dict[str, str] = {}
    for fault in error.errors():
        name = str(fault["loc"][0]) if fault["loc"] else ""
        word = _WORDS.get(fault["type"])
        text = word(fault.get("ctx", {})) if word else f"{fault['msg']}."
        found.setdefault(name, text)
    return found


def _at_least(count: object, thing: str) -> str:
    return "Please fill this in." if count == 1 else f"Enter at least {count} {thing}s."


def _at_most(count: object, thing: str) -> str:
    return f"Enter at most {count} {thing}s."


def _choose(how: str, count: object) -> str:
    return f"Choose {how} {'one' if count == 1 else count}."


M = TypeVar("M", bound=BaseModel)
Typeable: TypeAlias = str | bool | int | float | datetime | None
URLENCODED = "application/x-www-form-urlencoded"
_MOST_FIELDS = 20_000
_MANY = (list, tuple, set, frozenset)


# Called with the current revision of what is changed; raises if the change is based on another.
RevisionCheck: TypeAlias = Callable[[int], None]


class RevisionConflict(Exception):
    """Someone else changed this after the form was shown; `revision` is the current one."""

    def __init__(self, revision: int) -> None:
        super().__init__("Someone else changed this while you were editing. Nothing was saved.")
        self.revision = revision


def any_revision(_: int) -> None:
    """Accept every revision."""


@dataclass(frozen=True)
class Form:
    """What stands in the fields of a form, and what is wrong with it.

    `faults` are shown beside their fields; `summary` above the form. Times are typed and shown in
    `zone`; a form without one is shown in that of who reads.
    """

    values: Mapping[str, Typeable | Iterable[str]] = field(default_factory=dict[str, Typeable])
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    summary: str = ""
    zone: ZoneInfo | None = None
    conflict: bool = False

    def value(self, name: str) -> str:
        """What stands in a field; nothing if nothing does."""
        match self.values.get(name):
            case None | False:
                return ""
            case True:
                return "on"
            case datetime() as at:
                return typed_as(at, self.zone or UTC)
            case str() | int() | float() as one:
                return str(one)
            case many:
                return next(reversed(list(many)), "")

    def selected(self, name: str) -> list[str]:
        """All that is chosen in a field where several may be."""
        found = self.values.get(name)
        if isinstance(found, Iterable) and not isinstance(found, str):
            return list(found)
        return [self.value(name)] if found not in (None, False, "") else []

    def zone_for(self, name: str) -> str:
        """The name of the zone that a time in a field is in."""
        return self.value(f"{name}.zone") or (self.zone or UTC).key

    def still_shows(self, name: str, at: datetime) -> bool:
        """Whether a field has a time just as a form shows it.

        That is less than the time: there are no seconds, and one hour in autumn comes twice.
        """
        return self.value(name) == typed_as(at, zone_named(self.zone_for(name)))

    def shown_in(self, zone: ZoneInfo) -> Form:
        """The form in a zone, unless it has one."""
        return self if self.zone else replace(self, zone=zone)

    def error(self, name: str) -> str:
        """What is wrong with a field; nothing if nothing is."""
        return self.errors.get(name, "")

    def with_errors(self, summary: str = "", /, **errors: str) -> Form:
        """The same form, with what is wrong with it."""
        return replace(self, summary=summary, errors={**self.errors, **errors})

    def revision_check(self, name: str = "revision") -> RevisionCheck:
        """Return a check that raises RevisionConflict if the form shows another revision.

        The form has the revision in a hidden field. A service calls the check in its transaction,
        so that nobody overwrites a change they have not seen.
        """
        shown = self.value(name)

        def check(revision: int) -> None:
            if shown != str(revision):
                raise RevisionConflict(revision)

        return check

    def rebased(self, revision: int) -> Form:
        """Return the form as a conflict on the current revision; saving again overwrites."""
        return replace(
            self, values={**self.values, "revision": str(revision)}, conflict=True, errors={}
        )

    def validate(self, model: type[M]) -> M | Form:
        """The model that was typed, or the form with what does not fit."""
        faults: dict[str, str] = {}
        given: dict[str, JsonValue | datetime] = {}
        for name, info in model.model_fields.items():
            key = info.alias or name
            try:
                self._take(key, info, given)
            except ValueError as fault:
                faults[key] = str(fault)
        try:
            made = model.model_validate(given)
        except ValidationError as error:
            return self.with_errors(**{**in_words(error), **faults})
        return self.with_errors(**faults) if faults else made

    def _take(self, key: str, info: FieldInfo, given: dict[str, JsonValue | datetime]) -> None:
        """Put what was typed where the model expects it. An empty field was left out."""
        if _takes(info, _MANY):
            given[key] = [each for each in self.selected(key) if each]
            return
        text = self.value(key)
        if not text and not _takes_text_alone(info):
            return
        if _takes(info, (datetime,)):
            given[key] = _moment(text, zone_named(self.zone_for(key)))
        elif key in self.values:
            given[key] = text


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        return typed_in(text, zone)
    except ValueError as error:
        if "clocks" in str(error):
            raise
        raise ValueError("Enter a day and a time, as 2026-11-15T09:30.") from None


def _kinds(info: FieldInfo) -> list[object]:
    """The types a field may have; of `list[str] | None` they are list and None."""
    inner = get_args(info.annotation)
    is_one = not inner or get_origin(info.annotation) in _MANY
    options = (info.annotation,) if is_one else inner
    return [get_origin(option) or option for option in options]


def _takes(info: FieldInfo, kinds: tuple[type, ...]) -> bool:
    found = _kinds(info)
    return any(kind in found for kind in kinds)


def _takes_text_alone(info: FieldInfo) -> bool:
    kinds = _kinds(info)
    return str in kinds and NoneType not in kinds


async def _typed(request: Request) -> Form:
    """The form of the request, as it was typed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if body and kind != URLENCODED:
        raise Problem(
            UNSUPPORTED_MEDIA_TYPE, f"Expected a form ({URLENCODED}), but got {kind[:80]!a}."
        )
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise Problem(MALFORMED_BODY, "The form is not text in UTF-8, or far too long.") from None
    values: dict[str, list[str]] = {}
    for name, text in pairs:
        # Browsers send line ends of a textarea as CR LF.
        values.setdefault(name, []).append(text.replace("\r\n", "\n"))
    single = {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}
    return Form(single, zone=request_time_zone(request))


PostedForm: TypeAlias = Annotated[Form, Depends(_typed)]


def submit_form(
    form: Form,
    model: type[M],
    action: Callable[[M], Response],
    show: Callable[[Form, int], Response],
    *,
    rejects: tuple[type[Exception], ...] = (),
    field: str | None = None,
) -> Response:
    """Validate a posted form and call `action`; if either rejects it, show the form again.

    `show(form, status)` renders the page: with errors beside their fields (422) if the form is not
    valid or `action` raises one of `rejects`, or marked as a conflict (412) if it raises
    RevisionConflict. An error is shown beside `field`, or else beside the field it names itself.
    """
    values = form.validate(model)
    if isinstance(values, Form):
        return show(values, 422)
    try:
        return action(values)
    except RevisionConflict as conflict:
        return show(form.rebased(conflict.revision), 412)
    except rejects as error:
        name = field if field is not None else getattr(error, "field", None) or ""
        return show(form.with_errors(**{name: str(error)}), 422)

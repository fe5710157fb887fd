"""Forms: read what was posted, validate it with a model, and show it again with errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from types import NoneType
from typing import Annotated, Literal, TypeAlias, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from fastapi import Depends, Request, Response
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic.fields import FieldInfo

from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import times
from singletable_apps.shared.service import NonexistentTime, RevisionCheck, parse_local_time
from singletable_apps.shared.web import MALFORMED_BODY, UNSUPPORTED_MEDIA_TYPE, Problem

_DATE = "Enter a date, such as 2026-11-15."
_DATETIME = "Enter a date and a time, such as 2026-11-15T09:30."
# By pydantic's error types, with its parameters. For others, its own message is good enough.
MESSAGES: Mapping[str, tuple[str, ...]] = {
    "missing": ("Please fill this in.",),
    "string_too_short": ("Enter at least %(count)s characters.",),
    "string_too_long": ("Enter at most %(count)s characters.",),
    "too_short": ("Choose at least one.", "Choose at least %(count)s."),
    "too_long": ("Choose at most one.", "Choose at most %(count)s."),
    "int_parsing": ("Enter a whole number.",),
    "int_from_float": ("Enter a whole number.",),
    "int_parsing_size": ("That number is too large.",),
    "float_parsing": ("Enter a number.",),
    "decimal_parsing": ("Enter a number.",),
    "greater_than_equal": ("Enter %(ge)s or more.",),
    "greater_than": ("Enter more than %(gt)s.",),
    "less_than_equal": ("Enter %(le)s or less.",),
    "less_than": ("Enter less than %(lt)s.",),
    "literal_error": ("Choose one of the options.",),
    "enum": ("Choose one of the options.",),
    "date_parsing": (_DATE,),
    "date_from_datetime_parsing": (_DATE,),
    "date_from_datetime_inexact": (_DATE,),
    "datetime_parsing": (_DATETIME,),
    "datetime_from_date_parsing": (_DATETIME,),
    "time_parsing": ("Enter a time, such as 09:30.",),
}


def error_messages(error: ValidationError) -> dict[str, str]:
    """Return the first message of each invalid field, by its name."""
    messages: dict[str, str] = {}
    for detail in error.errors():
        name = str(detail["loc"][0]) if detail["loc"] else ""
        messages.setdefault(name, _message(detail["type"], detail.get("ctx", {}), detail["msg"]))
    return messages


def _message(kind: str, limits: Mapping[str, object], text: str) -> str:
    count = limits.get("min_length", limits.get("max_length"))
    if kind == "value_error":
        return str(limits["error"])
    texts = MESSAGES.get("missing" if (kind, count) == ("string_too_short", 1) else kind)
    return Phrase(*texts, **limits, count=count) if texts else f"{text}."


M = TypeVar("M", bound=BaseModel)
V = TypeVar("V")
FieldValue: TypeAlias = str | bool | int | float | date | time | None
URLENCODED = "application/x-www-form-urlencoded"
_MAX_FIELDS = 20_000
_COLLECTIONS = (list, tuple, set, frozenset)


class RevisionConflict(Exception):
    """Someone else changed this after the form was shown; `revision` is the current one."""

    def __init__(self, revision: int) -> None:
        super().__init__("Someone else changed this while you were editing. Nothing was saved.")
        self.revision = revision


@dataclass(frozen=True)
class Form:
    """The values of a form's fields, and what is wrong with them.

    `errors` are shown beside their fields, and `summary` above the form. Times are shown and typed
    in `zone`, which is the reader's if left out. `conflict` says that someone else changed what the
    form edits.
    """

    values: Mapping[str, FieldValue | Iterable[str]] = field(default_factory=dict[str, FieldValue])
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    summary: str = ""
    zone: ZoneInfo | None = None
    conflict: bool = False

    @classmethod
    def of(cls, model: type[BaseModel], source: object = None, **others: FieldValue) -> Form:
        """Return a form with the fields of a model, filled from an object, and `others`.

        Without an object, the fields have the defaults of the model.
        """
        if source is None:
            return cls({**dict(model.model_construct()), **others})
        return cls({**{name: getattr(source, name) for name in model.model_fields}, **others})

    def value(self, name: str) -> str:
        """Return the text of a field, or an empty string."""
        match self.values.get(name):
            case None | False:
                return ""
            case True:
                return "on"
            case datetime() as at:
                return times.format_local_time(at, self.zone or times.UTC)
            case date() | time() as value:
                return value.isoformat()
            case str() | int() | float() as value:
                return str(value)
            case values:
                return next(reversed(list(values)), "")

    def selected(self, name: str) -> list[str]:
        """Return all chosen values of a field that allows several."""
        value = self.values.get(name)
        if isinstance(value, Iterable) and not isinstance(value, str):
            return list(value)
        return [self.value(name)] if value not in (None, False, "") else []

    def zone_for(self, name: str) -> str:
        """Return the name of the time zone of a field."""
        return self.value(f"{name}.zone") or (self.zone or times.UTC).key

    def still_shows(self, name: str, at: datetime) -> bool:
        """Return whether a field still contains `at`.

        A field has no seconds, and cannot tell the two hours apart when clocks go back. So an
        unchanged field must not be parsed and saved.
        """
        return self.value(name) == times.format_local_time(
            at, times.zone_named(self.zone_for(name))
        )

    def shown_in(self, zone: ZoneInfo) -> Form:
        """Return the form in a time zone, unless it has one already."""
        return self if self.zone else replace(self, zone=zone)

    def error(self, name: str) -> str:
        """Return the error of a field, or an empty string."""
        return self.errors.get(name, "")

    def with_errors(self, summary: str = "", /, **errors: str) -> Form:
        """Return the same form with errors added."""
        return replace(self, summary=summary, errors={**self.errors, **errors})

    def revision_check(self) -> RevisionCheck:
        """Return a check that raises RevisionConflict if the form shows another revision.

        The form has the revision in a hidden field of that name. A service calls the check in its
        transaction, so that nobody overwrites a change they have not seen.
        """
        shown = self.value("revision")

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
        """Return the validated model, or the form with its errors."""
        time_errors: dict[str, str] = {}
        values: dict[str, JsonValue | datetime] = {}
        for name, info in model.model_fields.items():
            key = info.alias or name
            try:
                self._add_value(key, info, values)
            except ValueError as error:
                time_errors[key] = str(error)
        try:
            validated = model.model_validate(values)
        except ValidationError as error:
            return self.with_errors(**{**error_messages(error), **time_errors})
        return self.with_errors(**time_errors) if time_errors else validated

    def _add_value(
        self, key: str, info: FieldInfo, values: dict[str, JsonValue | datetime]
    ) -> None:
        """Add a field's value as the model expects it. Leave out empty fields unless text."""
        if _accepts(info, _COLLECTIONS):
            values[key] = [each for each in self.selected(key) if each]
            return
        text = self.value(key)
        if not text and not _requires_text(info):
            if info.annotation is bool:
                values[key] = False  # Browsers do not send a box that is not checked.
            return
        if _accepts(info, (datetime,)):
            values[key] = _parse_time(text, times.zone_named(self.zone_for(key)))
        elif key in self.values:
            values[key] = True if text == "on" and _accepts(info, (bool,)) else text


def _parse_time(text: str, zone: ZoneInfo) -> datetime:
    try:
        return parse_local_time(text, zone)
    except NonexistentTime:
        raise
    except ValueError:
        raise ValueError(_DATETIME) from None


def _types(info: FieldInfo) -> list[object]:
    """Return the types that a field accepts: list and None for `list[str] | None`."""
    inner = get_args(info.annotation)
    is_single = not inner or get_origin(info.annotation) in _COLLECTIONS
    options = (info.annotation,) if is_single else inner
    return [get_origin(option) or option for option in options]


def _accepts(info: FieldInfo, types: tuple[type, ...]) -> bool:
    accepted = _types(info)
    return any(each in accepted for each in types)


def _requires_text(info: FieldInfo) -> bool:
    types = _types(info)
    return str in types and NoneType not in types


async def posted_form(request: Request) -> Form:
    """Return the form in the body of a request."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if body and media_type != URLENCODED:
        raise Problem(
            UNSUPPORTED_MEDIA_TYPE, f"Expected a form ({URLENCODED}), but got {media_type[:80]!a}."
        )
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except ValueError:
        raise Problem(MALFORMED_BODY, "The form is not UTF-8, or has too many fields.") from None
    values: dict[str, list[str]] = {}
    for name, text in pairs:
        # Browsers send line ends of a textarea as CR LF.
        values.setdefault(name, []).append(text.replace("\r\n", "\n"))
    single = {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}
    return Form(single, zone=times.request_time_zone(request))


PostedForm: TypeAlias = Annotated[Form, Depends(posted_form)]


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
    RevisionConflict. An error is shown beside `field`, or else beside the field or fields that it
    names itself: `error.field`, or `error.errors` with a message per field.
    """
    return submit_values(form, form.validate(model), action, show, rejects=rejects, field=field)


def submit_values(
    form: Form,
    values: V | Form,
    action: Callable[[V], Response],
    show: Callable[[Form, int], Response],
    *,
    rejects: tuple[type[Exception], ...] = (),
    field: str | None = None,
) -> Response:
    """Do the same as `submit_form` with values that the caller has validated."""
    if isinstance(values, Form):
        return show(values, 422)
    try:
        return action(values)
    except RevisionConflict as conflict:
        return show(form.rebased(conflict.revision), 412)
    except rejects as error:
        return show(form.with_errors(**_rejected_fields(error, field)), 422)


def _rejected_fields(error: Exception, field: str | None) -> dict[str, str]:
    errors: Mapping[str, str] | None = getattr(error, "errors", None)
    if field is None and errors is not None:
        # `options/0` is the first of the fields named `options`.
        return {name.replace("/", "-"): text for name, text in errors.items()}
    return {field if field is not None else getattr(error, "field", None) or "": str(error)}


class ConfirmForm(BaseModel):
    """A form with nothing to fill in: submitting it is the answer."""


@dataclass(frozen=True, slots=True)
class ConfirmField:
    """A field to fill in before confirming. `options` are (value, label, description)."""

    name: str
    label: str
    kind: Literal["radios", "select", "text"]
    options: Sequence[tuple[str, ...]] = ()
    hint: str = ""
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """A question before an action, for `confirm.html`, with its consequences.

    The answer is posted to `url`, by default to the page itself. `facts` are (term, text) pairs and
    `consequences` are sentences; `warning` is set in bold. With `needs_password` the form asks for
    the user's password. `text`, `consequences` and `choice` may be functions, which are called only
    if the question is shown.
    """

    title: str
    text: str | Callable[[], str]
    button: str
    back: str
    url: str = ""
    facts: Sequence[tuple[str, str]] = ()
    consequences: Sequence[str] | Callable[[], Sequence[str]] = ()
    warning: str = ""
    choice: ConfirmField | Callable[[], ConfirmField] | None = None
    hidden: Mapping[str, str] = field(default_factory=dict[str, str])
    kind: Literal["primary", "danger"] = "danger"
    needs_password: bool = False

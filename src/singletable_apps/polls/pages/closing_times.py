"""When a poll closes, as people choose it: soon, at a time of their own, or never by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from singletable_apps.shared.pages import Form

NEVER, AT = "never", "at"
CLOSINGS = (
    (NEVER, "When I close it"),
    ("hour", "In an hour"),
    ("day", "In a day"),
    ("week", "In a week"),
    (AT, "At a time I choose"),
)
_SOON = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}


class TypedClosing(BaseModel):
    """What was chosen, and the time that was typed if it is one of one's own."""

    closing: Literal["never", "hour", "day", "week", "at"]
    expires_at: Annotated[datetime | None, Field(validate_default=True)] = None

    @field_validator("expires_at")
    @classmethod
    def _is_there(cls, at: datetime | None, info: ValidationInfo) -> datetime | None:
        if at is None and info.data.get("closing") == AT:
            raise ValueError("Choose a day and a time, or another answer above.")
        return at

    def moment(self, now: datetime) -> datetime | None:
        """When it closes."""
        if self.closing == AT:
            return self.expires_at
        return None if self.closing == NEVER else now + _SOON[self.closing]


def read_closing(form: Form) -> TypedClosing | Form:
    """What was chosen, or the form with what is wrong; a time counts only if it was asked for."""
    if form.value("closing") == AT:
        return form.read(TypedClosing)
    plain = Form({name: value for name, value in form.values.items() if name != "expires_at"})
    typed = plain.read(TypedClosing)
    return form.refused(**typed.faults) if isinstance(typed, Form) else typed


def lets_stand(form: Form, kept: datetime | None) -> bool:
    """Whether the form has the closing time that it was shown with."""
    if kept is None or form.value("closing") != AT:
        return False
    return form.still_shows("expires_at", kept)


def closing_values(expires_at: datetime | None) -> dict[str, str | datetime | None]:
    """What stands in the fields of a poll that closes then."""
    return {"closing": NEVER if expires_at is None else AT, "expires_at": expires_at}

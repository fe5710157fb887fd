"""The confirmation page, shown before a step that cannot be undone: `elections/confirm.html`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Choice:
    """A field to fill in before confirming. `options` are (value, label, description)."""

    name: str
    label: str
    kind: Literal["radios", "select", "text"]
    options: Sequence[tuple[str, ...]] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question, what follows from yes, and where the answer is posted.

    `facts` are (term, text) pairs and `consequences` are sentences; `warning` is set in bold.
    """

    title: str
    text: str
    button: str
    url: str
    back: str
    facts: Sequence[tuple[str, str]] = ()
    consequences: Sequence[str] = ()
    warning: str = ""
    choice: Choice | None = None
    hidden: Mapping[str, str] = field(default_factory=dict[str, str])
    kind: Literal["primary", "danger"] = "danger"


class ConfirmForm(BaseModel):
    """A form with nothing to fill in: submitting it is the answer."""

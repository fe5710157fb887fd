"""Strict mode: find calls that match no declared access pattern, and undeclared scans."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType

from singletable.patterns import Pattern, PatternCatalog
from singletable.patterns.matcher import is_undeclared_scan, needs_pattern
from singletable.schema import model_of
from singletable.store import Call, CallShape, EntityAccess

_EFFECTS = {
    "create": "creates",
    "put": "puts",
    "update": "updates",
    "upsert": "upserts",
    "modify": "modifies",
    "delete": "deletes",
    "check": "checks",
    "load": "loads",
    "clear": "clears",
}
# The reason of the innermost undeclared() block.
_ALLOWED: ContextVar[str | None] = ContextVar("singletable_undeclared", default=None)


@contextmanager
def undeclared(reason: str) -> Generator[None]:
    """Allow undeclared calls within the block, for a reason such as "sample data"."""
    if not reason.strip():
        raise ValueError('undeclared(…) expects a reason, such as "sample data".')
    token = _ALLOWED.set(reason)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


@dataclass(frozen=True, slots=True)
class UndeclaredCall:
    """An undeclared call and where it was made."""

    shape: CallShape
    scans: bool
    location: str

    def __str__(self) -> str:
        problem = "is an undeclared scan" if self.scans else "matches no access pattern"
        suggestion = suggest_declaration(self.shape)
        return f"{self.location}: store.{self.shape.method}() {problem}.\n{suggestion}"


class StrictObserver:
    """An observer that collects undeclared calls."""

    def __init__(self, catalogs: Sequence[PatternCatalog]) -> None:
        self._catalogs = catalogs
        self._tables = [table for catalog in catalogs for table in catalog.tables]
        self.violations: list[UndeclaredCall] = []

    def __call__(self, call: Call) -> None:
        """Check a call of a table in the catalogs; further pages of a query belong to its first."""
        shape = call.shape
        if call.continued or _ALLOWED.get() is not None or not needs_pattern(shape):
            return
        if all(model_of(touch.entity).table not in self._tables for touch in shape.accesses):
            return
        pattern = self._recognize(shape)
        scans = is_undeclared_scan(pattern, shape)
        if pattern is None or scans:
            self.violations.append(UndeclaredCall(shape, scans, _caller()))

    def _recognize(self, shape: CallShape) -> Pattern | None:
        for catalog in self._catalogs:
            pattern = catalog.recognize(shape)
            if pattern is not None:
                return pattern
        return None


def _caller() -> str:
    """Return the file and line outside this library that made the call."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_own_module(str(frame.f_globals.get("__name__", ""))):
        frame = frame.f_back
    if frame is None:
        return "unknown location"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _is_own_module(module: str) -> bool:
    own = module.partition(".")[0] in ("singletable", "dynamodb_engine")
    return own or module in ("contextlib", "asyncio.tasks", "asyncio.events")


def suggest_declaration(shape: CallShape) -> str:
    """Return the line that declares this call in a catalog."""
    first = shape.accesses[0]
    if first.kind in _EFFECTS:
        effects = ", ".join(_effect(touch) for touch in shape.accesses)
        return f'Declare it: catalog.write("AP…", "…", {effects})'
    entity = first.entity.__name__
    if first.kind == "scan":
        return (
            "Query by a key, or declare the scan with its reason: "
            f'catalog.scan("AP…", "…", {entity}, reason="…")'
        )
    key = _key_expression(first)
    options = ", collection=…" if first.kind == "collect" else ""
    options += ", hydrate=True" if shape.hydrates else ""
    if key is None:
        return f"Declare it with a function: {_function(first, options)}"
    return f'Declare it: catalog.read("AP…", "…", {key}{options})'


def _effect(touch: EntityAccess) -> str:
    entity = touch.entity.__name__
    fields = "".join(f", {entity}.{name}" for name in sorted(touch.edited_fields))
    return f"{_EFFECTS[touch.kind]}({entity}{fields})"


def _key_expression(touch: EntityAccess) -> str | None:
    """Return the key that makes this access when called, or None if a condition narrows it."""
    model = model_of(touch.entity)
    entity = touch.entity.__name__
    match touch.kind:
        case "get":
            return f"{entity}.{model.key.name}"
        case "find":
            return f"{entity}.{touch.key_name}"
        case _:
            primary = touch.key_name == model.key.name
            access = model.key if primary else model.indexes[touch.key_name]
            if touch.range_field is not None or touch.fields != access.pk_fields:
                return None
            return f"{entity}.{touch.key_name}" + (".partition" if primary else "")


def _function(touch: EntityAccess, options: str) -> str:
    model = model_of(touch.entity)
    entity = touch.entity.__name__
    primary = touch.key_name == model.key.name
    access = model.key if primary else model.indexes[touch.key_name]
    key = f"{entity}.{touch.key_name}" + (".partition" if primary else "")
    selection = f"{key}({', '.join(access.pk_fields)})"
    for name in touch.fields[len(access.pk_fields) :]:
        selection += f".eq({name})"
    names = list(touch.fields)
    if touch.range_field is not None:
        selection += f".between(low, high) (or .ge, .lt, … of {touch.range_field})"
        names += ["low", "high"]
    function = f"def …({', '.join(names)}): return {selection}"
    return f'@catalog.read_function("AP…"{options}) {function}'

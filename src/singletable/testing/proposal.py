"""The line that would declare a call as a pattern."""

from __future__ import annotations

from singletable.schema import model_of
from singletable.store import CallShape, EntityAccess

_EFFECTS = {
    "create": "creates",
    "put": "puts",
    "update": "updates",
    "delete": "deletes",
    "check": "checks",
}


def proposal(question: CallShape) -> str:
    """What to write into the catalog."""
    first = question.accesses[0]
    if first.kind in _EFFECTS:
        effects = ", ".join(_effect(touch) for touch in question.accesses)
        return f'Declare it: catalog.write("AP…", "…", {effects})'
    entity = first.entity.__name__
    if first.kind == "scan":
        return (
            "Ask by a key, or declare why no key will do: "
            f'catalog.scan("AP…", "…", {entity}, reason="…")'
        )
    made = _made(first)
    if made is None:
        return f"Declare it with a function: {_function(first)}"
    collects = ", collects=…" if first.kind == "collect" else ""
    return f'Declare it: catalog.read("AP…", "…", {made}{collects})'


def _effect(touch: EntityAccess) -> str:
    entity = touch.entity.__name__
    fields = "".join(f", {entity}.{name}" for name in sorted(touch.edited_fields))
    return f"{_EFFECTS[touch.kind]}({entity}{fields})"


def _made(touch: EntityAccess) -> str | None:
    """The key whose call gives such a question by itself; None if it was narrowed."""
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


def _function(touch: EntityAccess) -> str:
    model = model_of(touch.entity)
    entity = touch.entity.__name__
    primary = touch.key_name == model.key.name
    access = model.key if primary else model.indexes[touch.key_name]
    called = f"{entity}.{touch.key_name}" + (".partition" if primary else "")
    asked = f"{called}({', '.join(access.pk_fields)})"
    for name in touch.fields[len(access.pk_fields) :]:
        asked += f".eq({name})"
    names = list(touch.fields)
    if touch.range_field is not None:
        asked += f".between(low, high) (or .ge, .lt, … of {touch.range_field})"
        names += ["low", "high"]
    return f'@catalog.reads("AP…") def …({", ".join(names)}): return {asked}'

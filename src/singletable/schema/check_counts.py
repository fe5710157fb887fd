"""What must hold of the counts that an entity keeps."""

from __future__ import annotations

from singletable.errors import DeclarationError
from singletable.schema.model import Model, model_of


def check_counts(model: Model) -> None:
    """A count names an item by its key, and a number in it."""
    for name, counted in model.counts.items():
        where = f"{model.name}.{name}"
        target = model_of(counted.entity)
        number = target.fields.get(counted.path.field)
        if number is None or str(counted.path).partition(".")[0] != number.owner:
            raise DeclarationError(
                f"{where}: {counted.path} is no field of {target.name}, which has "
                f"{', '.join(target.fields)}."
            )
        if counted.path.codec().types != frozenset("N") or number.name in target.key.fields:
            raise DeclarationError(
                f"{where}: {counted.path} cannot be counted up. Give a number that is not in the "
                "key: Attr[int] = attr(default=0)."
            )
        expected = (*target.key.pk_fields, *target.key.sk_fields)
        types = [target.fields[field].annotation for field in expected]
        unknown = [field for field in counted.fields if field not in model.fields]
        if unknown or [model.fields[field].annotation for field in counted.fields] != types:
            raise DeclarationError(
                f"{where}: {target.key} is made of ({', '.join(expected)}), but of="
                f"({', '.join(counted.fields)}). Give one field of {model.name} for each, of the "
                "same type."
            )

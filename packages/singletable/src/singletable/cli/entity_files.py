"""Read entities from files: JSON lines, or CSV with the names of the fields in its first line.

A line of JSON is an object of fields, or {"Issue": {…}} if it names its entity. In CSV, an empty
cell is no value, and a list, map or set is written as JSON.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, Optional, cast

import msgspec

from singletable.errors import InvalidValue, SingleTableError, StorageError
from singletable.schema import Attr, Model, key_of

_SET_BY_STORE = ("version", "created", "updated", "sequence")


class EntityFile:
    """The entities of a file, created as they are read; remembers the lines of the last ones."""

    def __init__(self, path: Path, models: Sequence[Model], entity: str | None) -> None:
        self._path = path
        self._format = _format_of(path)
        self._models = {model.name: model for model in models}
        if entity is not None and entity not in self._models:
            raise InvalidValue(
                f"--entity: there is no entity {entity!r}. Entities: {', '.join(self._models)}."
            )
        only = next(iter(self._models.values())) if len(models) == 1 else None
        self._model = only if entity is None else self._models[entity]
        if self._model is None and self._format == "csv":
            raise InvalidValue(
                "The rows of a CSV file are of one entity. Name it with --entity: "
                f"{', '.join(self._models)}."
            )
        # The lines of items by their ids, until they are forgotten.
        self._lines: dict[int, int] = {}

    def line_of(self, item: object) -> int | None:
        """Return the line of an item that was read lately."""
        return self._lines.get(id(item))

    def forget_lines(self) -> None:
        """Forget the lines so far, so that a long file takes no memory."""
        self._lines.clear()

    def __iter__(self) -> Iterator[object]:
        """Create the entities; raise InvalidValue with the line and the field."""
        try:
            with self._path.open(encoding="utf-8-sig", newline="") as file:
                rows = self._json_rows(file) if self._format == "jsonl" else self._csv_rows(file)
                for line, model, values in rows:
                    item = self._create(line, model, values)
                    self._lines[id(item)] = line
                    yield item
        except OSError as error:
            raise StorageError(f"'{self._path}' cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError as error:
            raise InvalidValue(f"'{self._path}' is not UTF-8: {error.reason}.") from None

    def _json_rows(self, file: Iterator[str]) -> Iterator[tuple[int, Model, dict[str, Any]]]:
        for line, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                value = msgspec.json.decode(text)
            except (msgspec.DecodeError, RecursionError) as error:
                self._fail(line, f"is not JSON: {error}.")
            if not isinstance(value, dict):
                self._fail(line, f"expected a JSON object, but got {text.strip()[:60]!r}.")
            values = cast("dict[str, Any]", value)
            if self._model is not None and not self._names_entity(values):
                yield line, self._model, values
                continue
            if not self._names_entity(values):
                self._fail(
                    line,
                    'expected an object that names its entity, such as {"'
                    + next(iter(self._models))
                    + f'": {{…}}}}, but got the keys {", ".join(map(repr, values)) or "(none)"}. '
                    + f"Entities: {', '.join(self._models)}. Or pass --entity.",
                )
            ((name, fields),) = values.items()
            yield line, self._models[name], fields

    def _names_entity(self, values: Mapping[str, Any]) -> bool:
        if len(values) != 1:
            return False
        ((name, fields),) = values.items()
        known = self._model is None or name not in self._model.fields
        return known and name in self._models and isinstance(fields, dict)

    def _csv_rows(self, file: Iterator[str]) -> Iterator[tuple[int, Model, dict[str, Any]]]:
        assert self._model is not None
        reader = csv.reader(file, strict=True)
        header: list[str] | None = None
        try:
            for row in reader:
                if header is None:
                    header = self._check_header(self._model, row)
                elif row:
                    if len(row) != len(header):
                        self._fail(
                            reader.line_num, f"expected {len(header)} cells, but got {len(row)}."
                        )
                    cells = zip(header, row, strict=True)
                    yield reader.line_num, self._model, {name: text for name, text in cells if text}
        except csv.Error as error:
            self._fail(reader.line_num, f"is not CSV: {error}.")

    def _check_header(self, model: Model, header: list[str]) -> list[str]:
        if len(set(header)) < len(header):
            self._fail(1, "a field is named twice.")
        for name in header:
            self._field(1, model, name)
        return header

    def _field(self, line: int, model: Model, name: str) -> Attr[Any]:
        field = model.fields.get(name)
        if field is None:
            self._fail(
                line, f"{model.name} has no field {name!r}. Fields: {', '.join(model.fields)}."
            )
        return field

    def _create(self, line: int, model: Model, values: Mapping[str, Any]) -> object:
        converted = {
            name: self._convert(line, model, self._field(line, model, name), value)
            for name, value in values.items()
        }
        stamps = {
            name: converted.pop(name)
            for name in list(converted)
            if model.fields[name].role in _SET_BY_STORE and converted[name] is not None
        }
        try:
            if model.factory is not None:
                return cast("object", model.entity(**converted, **stamps))
            item: object = model.entity(**converted)
            vars(item).update(stamps)
            if all(name in vars(item) for name in model.key.fields):
                key_of(item)
        except SingleTableError as error:
            self._fail(line, str(error))
        except ValueError as error:  # of a pydantic model
            self._fail(line, str(error))
        return item

    def _convert(self, line: int, model: Model, field: Attr[Any], value: Any) -> object:
        """Convert what JSON or a cell contains to a value of the field's type."""
        if model.factory is not None:
            return cast("object", value)  # the pydantic model converts
        optional = field.codec().optional
        type_ = Optional[field.annotation] if optional else field.annotation  # noqa: UP045
        try:
            try:
                return cast("object", msgspec.convert(value, type_, strict=self._format == "jsonl"))
            except msgspec.ValidationError:
                if self._format == "jsonl":
                    raise
                return cast("object", msgspec.json.decode(value, type=type_))
        except (msgspec.DecodeError, RecursionError) as error:
            got = (
                "" if field.attribute in model.encrypted else f" The value is {str(value)[:60]!r}."
            )
            self._fail(line, f"{field}: {error}.{got}")
        except TypeError as error:
            self._fail(line, f"{field} cannot be read from a file: {error}.")

    def _fail(self, line: int, problem: str) -> NoReturn:
        raise InvalidValue(f"{self._path}, line {line}: {problem}")


def _format_of(path: Path) -> str:
    match path.suffix.lower():
        case ".csv":
            return "csv"
        case ".jsonl" | ".ndjson" | ".json":
            return "jsonl"
        case suffix:
            raise InvalidValue(
                f"'{path}' ends with {suffix!r}, which is neither .jsonl nor .csv. Pass --format."
            )

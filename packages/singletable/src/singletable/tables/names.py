"""Names of declared tables where they are deployed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from singletable.errors import DeclarationError
from singletable.schema import Table


def resolve_table_names(tables: Sequence[Table], names: Mapping[str, str]) -> dict[Table, str]:
    """Map each table to its deployed name: `names[declared name]`, or the declared name.

    Raise DeclarationError if `names` mentions an unknown table or two tables get the same name.
    """
    declared = [table.name for table in tables]
    for name in names:
        if name not in declared:
            raise DeclarationError(
                f"Cannot rename table {name!r} to {names[name]!r}: no such table is declared. "
                f"Declared tables: {', '.join(map(repr, declared))}."
            )
    resolved = {table: names.get(table.name, table.name) for table in tables}
    for name, count in Counter(resolved.values()).items():
        if count > 1:
            raise DeclarationError(f"{count} tables are named {name!r}. Use unique names.")
    return resolved

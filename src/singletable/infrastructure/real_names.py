"""The names that declared tables really have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from singletable.errors import DeclarationError
from singletable.schema import Table


def real_names(tables: Sequence[Table], names: Mapping[str, str]) -> dict[Table, str]:
    """Each table with the name that is given for its declared one, or that one; each once."""
    declared = [table.name for table in tables]
    for name in names:
        if name not in declared:
            raise DeclarationError(
                f"There is no table {name!r} to be named {names[name]!r} (there are: "
                f"{', '.join(map(repr, declared))})."
            )
    found = {table: names.get(table.name, table.name) for table in tables}
    for name, times in Counter(found.values()).items():
        if times > 1:
            raise DeclarationError(
                f"{times} tables would be named {name!r}. Give each a name of its own."
            )
    return found

"""Write `__init__.pyi` of packages that import lazily: their public names for type checkers."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import dynamodb_engine
import singletable

LAZY = (dynamodb_engine, singletable)


def stub_file(package: ModuleType) -> Path:
    """Return the path of the stub."""
    assert package.__file__ is not None
    return Path(package.__file__).with_suffix(".pyi")


def stub(package: ModuleType) -> str:
    """Return the stub that re-exports every public name from the module that defines it."""
    lines = ["# Generated from __init__.py by `make generate`; edit the list there.", ""]
    exports: dict[str, str] = vars(package)["_EXPORTS"]
    for module, names in exports.items():
        lines += [f"from {module} import {name} as {name}" for name in sorted(names.split())]
    return "\n".join([*lines, "", "__all__: list[str]", ""])


def main() -> None:
    """Write the stubs."""
    for package in LAZY:
        stub_file(package).write_text(stub(package))


if __name__ == "__main__":
    main()

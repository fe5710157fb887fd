"""Write `singletable/__init__.pyi`, the public names as type checkers read them."""

from __future__ import annotations

from pathlib import Path

import singletable

STUB = Path(singletable.__file__).with_suffix(".pyi")


def stub() -> str:
    """Return the stub that re-exports every public name from the module that defines it."""
    lines = ["# Generated from __init__.py by `make generate`; edit the list there.", ""]
    exports: dict[str, str] = vars(singletable)["_EXPORTS"]
    for module, names in exports.items():
        lines += [f"from {module} import {name} as {name}" for name in sorted(names.split())]
    return "\n".join([*lines, "", "__all__: list[str]", ""])


def main() -> None:
    """Write the stub."""
    STUB.write_text(stub())


if __name__ == "__main__":
    main()

"""A dependency whose internals we use has an upper bound: any release may change them."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator

from packaging.requirements import Requirement

from tools.testing.sources import PACKAGES, ROOT, SOURCES, name_of, tree_of

# Modules whose classes the documentation of the package lets users extend, as those of a package
# itself (`fastapi.APIRouter`).
EXTENSIBLE = {
    "fastapi.routing",
    "markdown_it.renderer",
    "starlette.convertors",
    "starlette.responses",
    "typer.core",
}
OURS = {path.name for path in PACKAGES}


def internals(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each use of internals: the package, and the name that is used."""
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            imported |= {alias.asname or alias.name: alias.name for alias in node.names}
    for node in ast.walk(tree):
        bases = node.bases if isinstance(node, ast.ClassDef) else []
        for name in filter(None, (_full_name(base, imported) for base in bases)):
            module = name.rpartition(".")[0]
            if "." in module and module not in EXTENSIBLE:
                yield module.partition(".")[0], name
        if isinstance(node, ast.Attribute) and (used := _full_name(node, imported)):
            imported[used] = used
    for name in imported.values():
        if any(part.startswith("_") and not part.startswith("__") for part in name.split(".")):
            yield name.partition(".")[0], name


def _full_name(expression: ast.expr, imported: dict[str, str]) -> str | None:
    """Return the name in full that an expression such as `module.Class` stands for, or None."""
    if isinstance(expression, ast.Subscript):
        return _full_name(expression.value, imported)
    if isinstance(expression, ast.Attribute):
        owner = _full_name(expression.value, imported)
        return owner and f"{owner}.{expression.attr}"
    return imported.get(expression.id) if isinstance(expression, ast.Name) else None


def bounded() -> set[str]:
    """Return the dependencies with an upper bound, in every place that declares them."""
    declared: dict[str, bool] = {}
    for path in ROOT.glob("packages/*/pyproject.toml"):
        project = tomllib.loads(path.read_text())["project"]
        groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
        for requirement in (Requirement(text) for group in groups for text in group):
            has_bound = any(each.operator in ("<", "<=", "==") for each in requirement.specifier)
            name = requirement.name.replace("-", "_")
            declared[name] = has_bound and declared.get(name, True)
    return {name for name, has_bound in declared.items() if has_bound}


def test_a_dependency_whose_internals_are_used_has_an_upper_bound() -> None:
    allowed = OURS | bounded() | sys.stdlib_module_names
    found = {
        f"{name_of(path)} uses {name}, but {package} has no upper bound"
        for path in SOURCES
        for package, name in internals(tree_of(path))
        if package not in allowed
    }
    assert sorted(found) == []

"""House rules for imports, in addition to the contracts that `lint-imports` checks."""

from __future__ import annotations

import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

from tools.testing.sources import PACKAGES

# Packages that a command or an address may import, and `import singletable` must not.
HEAVY = ("typer", "click", "rich", "botocore", "boto3", "sqlalchemy", "numpy", "fastapi")
# Packages that every app may import.
LIBRARIES = {"singletable_apps.shared"}


# Most programs never print a table or call AWS, so importing must stay fast.
def test_importing_the_library_is_light() -> None:
    script = "import sys, singletable; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(ran.stdout.split())


# The contracts find cycles between siblings; this finds all, including type-only imports.
@pytest.mark.parametrize("package", [path.name for path in PACKAGES])
def test_there_are_no_import_cycles(package: str) -> None:
    graph = grimp.build_graph(package, cache_dir=None)
    modules = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as circle:
        pytest.fail(" → ".join(reversed(circle.args[1])))


# An app is a folder that can be removed or copied; the front page discovers apps. Commands are
# registered in pyproject.toml, one per app.
def test_apps_and_front_do_not_import_each_other() -> None:
    graph = grimp.build_graph("singletable_apps", cache_dir=None)
    rooms = graph.find_children("singletable_apps")
    known = {
        f"{importer} imports {imported}"
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        if (room := _room(importer)) in rooms and _room(imported) in rooms - {room} - LIBRARIES
    }
    assert known == set()


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])

"""House rules for imports, beyond the contracts that `lint-imports` checks."""

from __future__ import annotations

import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

# What a command or an address may ask for, and `import singletable` must not.
HEAVY = ("typer", "click", "rich", "botocore", "boto3", "sqlalchemy", "numpy", "fastapi")


# Most processes that import the library never show a table or speak to AWS; they should not wait.
def test_importing_the_library_is_light() -> None:
    script = "import sys, singletable; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(ran.stdout.split())


# Contracts find circles between siblings; this finds any at all, those for types included.
@pytest.mark.parametrize("package", ["singletable", "singletable_apps"])
def test_no_module_imports_itself_by_a_detour(package: str) -> None:
    graph = grimp.build_graph(package, cache_dir=None)
    modules = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as circle:
        pytest.fail(" → ".join(reversed(circle.args[1])))

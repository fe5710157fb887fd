"""Runs at the start of every Python process: seeds a fault, or records the functions that run.

The folder of this file is put on PYTHONPATH, so that programs started by tests have the fault too.
Sources and bytecode on disk do not change. For pytest, this module is a plugin.
"""

from __future__ import annotations

import ast
import builtins
import gzip
import json
import os
import runpy
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

CHECKOUT = Path(os.environ.get("SEEDED_CHECKOUT", "."))
FAULT = os.environ.get("SEEDED_FAULT", "")
# Where the functions are recorded; programs that tests start are not recorded.
RECORD = os.environ.pop("SEEDED_RECORD", "")

_running: set[str] = set()
_imports: list[str] = []
_files: dict[str, dict[str, Any]] = defaultdict(lambda: {"seconds": 0.0, "functions": set()})
_failed: list[str] = []
_started = 0.0


class _Finder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in ("singletable", "singletable_apps"):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            module = Path(spec.origin)
            if module.is_relative_to(CHECKOUT) and (RECORD or module == _faulty_file):
                spec.loader = _Loader(name, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text()
        if FAULT:
            tree = _mutations["seed"](_mutations["Fault"].parse(FAULT), source)
        else:
            tree = _with_recording(str(Path(self.path).relative_to(CHECKOUT)), ast.parse(source))
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)


def _with_recording(path: str, tree: ast.Module) -> ast.Module:
    """Insert a call at the start of each function."""
    for name, function in _mutations["functions"](tree):
        record = ast.Name("_record_function", ast.Load())
        call = ast.Call(record, [ast.Constant(f"{path} {name}")], [])
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                node.body.insert(1 if ast.get_docstring(node) else 0, ast.Expr(call))
            elif isinstance(node, ast.Lambda):
                node.body = ast.BoolOp(ast.Or(), [call, node.body])
    return tree


def _processor_time() -> float:
    return sum(os.times()[:4])


def pytest_collection_finish() -> None:
    """Keep the functions that ran during imports."""
    global _started
    _imports.extend(_running)
    _running.clear()
    _started = _processor_time()


def pytest_runtest_logreport(report: Any) -> None:
    """Note a test that fails without a fault."""
    if report.failed:
        _failed.append(report.nodeid)


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Add the functions of a test to those of its file."""
    global _started
    file = _files[nodeid.partition("::")[0]]
    file["functions"] |= _running
    file["seconds"] += _processor_time() - _started
    _running.clear()
    _started = _processor_time()


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    if RECORD:
        recorded = {"imports": _imports, "files": _files, "failed": _failed}
        with gzip.open(RECORD, "wt") as file:
            json.dump(recorded, file, default=sorted)


if FAULT or RECORD:
    # Not imported by its name, which another module of the tested checkout may have.
    _mutations = runpy.run_path(str(Path(__file__).parents[1] / "mutations.py"), run_name="faults")
    _faulty_file = CHECKOUT / FAULT.partition(" | ")[0]
    vars(builtins)["_record_function"] = _running.add
    sys.meta_path.insert(0, _Finder())

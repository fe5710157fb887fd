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
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from types import CodeType
from typing import Any

CHECKOUT = Path(os.environ.get("SEEDED_CHECKOUT", "."))
FAULT = os.environ.get("SEEDED_FAULT", "")
PACKAGES = {path.name for path in CHECKOUT.glob("packages/*/src/*")}
# The folder from which the tests run, relative to the checkout.
HOUSE = os.environ.get("SEEDED_HOUSE", "")
# Where the functions are recorded; programs that tests start are not recorded.
RECORD = os.environ.pop("SEEDED_RECORD", "")


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            is_faulty = spec.origin == str(CHECKOUT / FAULT.partition(" | ")[0])
            if is_faulty or (RECORD and Path(spec.origin).is_relative_to(CHECKOUT)):
                spec.loader = _Loader(name, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text()
        tree = _mutations["seed"](FAULT, source) if FAULT else self._recording(ast.parse(source))
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)

    def _recording(self, tree: ast.Module) -> ast.Module:
        """Insert a call at the start of each function."""
        for name, function in _mutations["functions"](tree):
            label = ast.Constant(f"{Path(self.path).relative_to(CHECKOUT)} {name}")
            call = ast.Call(ast.Name("_record_function", ast.Load()), [label], [])
            for node in ast.walk(function):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    node.body.insert(1 if ast.get_docstring(node) else 0, ast.Expr(call))
                elif isinstance(node, ast.Lambda):
                    node.body = ast.BoolOp(ast.Or(), [call, node.body])
        return tree


class _Recorder:
    def __init__(self) -> None:
        self._running: set[str] = set()
        self._imports: list[str] = []
        file = {"seconds": 0.0, "imports": self._imports}
        self._files: Any = defaultdict(lambda: {**file, "functions": set(), "failed": []})
        self._started = 0.0
        vars(builtins)["_record_function"] = self._running.add

    def pytest_collection_finish(self) -> None:
        self._imports.extend(self._running)
        self._start()

    def _start(self) -> None:
        self._running.clear()
        self._started = sum(os.times()[:4])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            file = self._files[HOUSE + report.nodeid.partition("::")[0]]
            file["failed"].append(HOUSE + report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        file = self._files[HOUSE + nodeid.partition("::")[0]]
        file["functions"] |= self._running
        file["seconds"] += sum(os.times()[:4]) - self._started
        self._start()

    def pytest_sessionfinish(self) -> None:
        Path(RECORD).write_bytes(gzip.compress(json.dumps(self._files, default=sorted).encode()))


def pytest_load_initial_conftests(early_config: Any) -> None:
    """Come before pytest's own hook, which compiles the modules of plugins, and so ours."""
    sys.meta_path.sort(key=lambda finder: not isinstance(finder, _Finder))
    if RECORD:
        early_config.pluginmanager.register(_recorder)


if FAULT or RECORD:
    # Not imported by its name, which another module of the tested checkout may have.
    _mutations = runpy.run_path(
        str(Path(__file__).resolve().parents[1] / "mutations.py"), run_name="faults"
    )
    _recorder = _Recorder()
    if FAULT:
        setrlimit(RLIMIT_CPU, (int(os.environ["SEEDED_SECONDS"]),) * 2)
    sys.meta_path.insert(0, _Finder())

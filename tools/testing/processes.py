"""Run scripts in another process, with a table of things to write to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from dynamodb_engine import (
    AttributeDefinition,
    CreateTable,
    Engine,
    KeySchemaElement,
    PutItem,
    Scan,
    StorageError,
)

_PROLOGUE = """
import gc, os, signal, sqlite3, sys, threading, time
from pathlib import Path
from dynamodb_engine import DescribeTable, Engine, PutItem, Settings, StorageError
from dynamodb_engine.engine.file_check import check_file
from tools.testing.processes import with_table, put, count
path = sys.argv[1]
"""


def create_table(name: str) -> CreateTable:
    """Return the operation that creates a table with the key `pk`."""
    return CreateTable(
        name,
        [AttributeDefinition("pk", "S")],
        [KeySchemaElement("pk", "HASH")],
        billing_mode="PAY_PER_REQUEST",
    )


def with_table(engine: Engine) -> Engine:
    """Create the table `things` and return the engine."""
    engine.execute(create_table("things"))
    return engine


def put(engine: Engine, *names: str) -> None:
    """Store items with these keys."""
    for name in names:
        engine.execute(PutItem("things", {"pk": {"S": name}}))


def count(engine: Engine) -> int:
    """Return the number of items."""
    return engine.execute(Scan("things")).count


def start_script(script: str, path: Path) -> subprocess.Popen[str]:
    """Start a process that runs the script on a file."""
    return subprocess.Popen(
        [sys.executable, "-c", _PROLOGUE + script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )


def run_script(script: str, path: Path) -> str:
    """Run the script in another process and return its output."""
    return start_script(script, path).communicate(timeout=30)[0].strip()


def open_error(path: Path) -> str:
    """Open and close an engine, and return the error message; empty if it opened."""
    try:
        Engine.on_file(path).close()
    except StorageError as error:
        return str(error)
    return ""


def run_forked(work: Callable[[], str], user: int | None = None) -> str:
    """Run `work` in a forked child, as another user if given, and return its result."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            if user is not None:
                os.setuid(user)
            result = work()
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
        os.write(writer, result.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader, "rb") as pipe:
        return pipe.read().decode()

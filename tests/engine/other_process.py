"""Scripts that run in a process of their own, with a table and what to do with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from singletable import (
    AttributeDefinition,
    CreateTable,
    Engine,
    KeySchemaElement,
    PutItem,
    Scan,
    StorageError,
)

_HEAD = """
import gc, os, signal, sqlite3, sys, threading, time
from singletable import DescribeTable, Engine, PutItem, Settings, StorageError
from tests.engine.other_process import make, put, count
path = sys.argv[1]
"""


def make(engine: Engine) -> Engine:
    """The engine, with a table."""
    engine.execute(
        CreateTable(
            "things",
            [AttributeDefinition("pk", "S")],
            [KeySchemaElement("pk", "HASH")],
            billing_mode="PAY_PER_REQUEST",
        )
    )
    return engine


def put(engine: Engine, *names: str) -> None:
    """Store items of these names."""
    for name in names:
        engine.execute(PutItem("things", {"pk": {"S": name}}))


def count(engine: Engine) -> int:
    """How many items there are."""
    return engine.execute(Scan("things")).count


def start(script: str, path: Path) -> subprocess.Popen[str]:
    """Another process that runs the script on a file."""
    return subprocess.Popen(
        [sys.executable, "-c", _HEAD + script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def told(script: str, path: Path) -> str:
    """What another process prints until it ends."""
    return start(script, path).communicate(timeout=30)[0].strip()


def refusal(path: Path) -> str:
    """Why an engine cannot be opened; nothing if it can be."""
    try:
        Engine.on_file(path).close()
    except StorageError as error:
        return str(error)
    return ""


def forked(work: Callable[[], str], user: int | None = None) -> str:
    """What `work` gives in a forked child, which may be another user and ends as programs do."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            if user is not None:
                os.setuid(user)
            answer = work()
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader, "rb") as answers:
        return answers.read().decode()

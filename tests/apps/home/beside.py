"""Packages of another folder, as if they lay beside the apps."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import singletable_apps


@contextmanager
def beside(folder: Path) -> Generator[None]:
    """Let them be found there, until the end."""
    path = [*singletable_apps.__path__, str(folder)]
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(singletable_apps, "__path__", path)
        yield
    for package in (one.name for one in folder.iterdir()):
        name = f"singletable_apps.{package}"
        for module in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[module]

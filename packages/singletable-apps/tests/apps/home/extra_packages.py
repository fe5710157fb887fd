"""Let packages in another folder be found as part of `singletable_apps`."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import singletable_apps


@contextmanager
def extra_packages(folder: Path) -> Generator[None]:
    """Add the packages in `folder` to `singletable_apps`, and unload them at the end."""
    path = [*singletable_apps.__path__, str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(singletable_apps, "__path__", path)
        yield
    for package in folder.iterdir():
        name = f"singletable_apps.{package.name}"
        for module in [*sys.modules]:
            if module == name or module.startswith(f"{name}."):
                del sys.modules[module]

"""A new folder, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from singletable_apps.shared.serving.refusing import told_of


@contextmanager
def drafted(folder: Path) -> Generator[Path]:
    """A folder beside it to be filled, which takes its place at the end, if all went well."""
    draft = folder.with_name(f"{folder.name}.new")
    with told_of(draft):
        # Left there by a process that had no time to clear up.
        if draft.exists():
            shutil.rmtree(draft)
        draft.mkdir(parents=True)
    try:
        yield draft
        with told_of(folder):
            draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise

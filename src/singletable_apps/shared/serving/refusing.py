"""What stands in a command's way, in words."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from singletable import SingleTableError
from singletable_apps.counting import replace_control_characters
from singletable_apps.shared.errors import AppError


class FileRefused(AppError):
    """A file or folder cannot be used."""


class ListeningRefused(AppError):
    """Nobody can listen there, or people cannot come that way."""


# What is refused, rather than broken: a bug still shows where it is.
REFUSALS = (AppError, SingleTableError)


def in_words(refusal: BaseException) -> str:
    """A refusal as one reads it; its lines are its own, whatever else steers a terminal is not."""
    return "\n".join(map(replace_control_characters, str(refusal).split("\n")))


@contextmanager
def told_of(path: Path) -> Generator[None]:
    """Say of which file it was that the system refused something."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise FileRefused(f"'{path}' cannot be used: {why}.") from problem

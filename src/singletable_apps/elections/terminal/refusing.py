"""What stands in a command's way, in words."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from singletable import SingleTableError
from singletable_apps.elections.errors import ElectionsError
from singletable_apps.elections.proofs import ProofsError
from singletable_apps.shared.counting.visible import visible


class FileRefused(ElectionsError):
    """A file or folder cannot be used."""


class ListeningRefused(ElectionsError):
    """Nobody can listen there, or people cannot come that way."""


class MailingRefused(ElectionsError):
    """Letters cannot be sent that way."""


# What is refused, rather than broken: a bug still shows where it is.
REFUSALS = (ElectionsError, SingleTableError, ProofsError)


def in_words(refusal: BaseException) -> str:
    """A refusal as one reads it; its lines are its own, whatever else steers a terminal is not."""
    return "\n".join(map(visible, str(refusal).split("\n")))


@contextmanager
def told_of(path: Path) -> Generator[None]:
    """Say of which file it was that the system refused something."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise FileRefused(f"'{path}' cannot be used: {why}.") from problem

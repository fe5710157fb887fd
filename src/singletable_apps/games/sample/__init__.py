"""Sample data: question sets, a game that has ended, and one that waits for its players."""

from __future__ import annotations

from collections.abc import Callable

from singletable_apps.games.service import GamesService
from singletable_apps.shared.apps import SampleData, SampleEntry


def create_sample(service: GamesService, progress: Callable[[int, int], None]) -> None:
    """Create the sample data."""
    progress(1, 1)


def list_sample(service: GamesService) -> SampleData | None:
    """Return links into the sample data."""
    urls = service.context.urls
    return SampleData((SampleEntry("Host a game", "Choose a set and play.", urls.page("new")),))

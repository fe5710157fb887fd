"""Sample data of games, and the administrator's link."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.games.app import APP
from singletable_apps.games.phases import Phase
from singletable_apps.games.sample import SAMPLE_HOST, create_sample, list_sample
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.serve import PublicUrl, open_driver
from tests.apps.commands.typed import Run, RunOf


@pytest.fixture
def typed(type_of: RunOf) -> Run:
    """Type a command about games."""
    return type_of("games")


@pytest.mark.rest
def test_sample_is_created_once_with_sets_and_games(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    APP.create_sample(folder, PublicUrl("http://127.0.0.1:8000"))
    with (
        open_driver(APP.address_in(folder)) as driver,
        APP.open(Opening(driver, folder)) as service,
    ):
        with pytest.raises(AppError, match=r"There are games already\. Choose other tables\."):
            create_sample(service, lambda done, total: None)
        entries = service.rounds.list_of_host(SAMPLE_HOST).items
        states = [service.context.get_state(each.game_id).phase for each in entries]
        sample = list_sample(service)
        played = entries[1]
        standings = service.snapshots.read(played.game_id).standings
        sets = service.sets.list_shared()
    assert sorted(states) == [Phase.ENDED, Phase.ENDED, Phase.WAITING]
    assert sample is not None
    assert [each.name for each in sample.entries] == ["Host", "Administrator", "Player"]
    assert (played.player_count, len(standings), len(sets)) == (14, 14, 6)
    assert standings[0].total > standings[-1].total


def test_admin_link_is_the_same_each_time(typed: Run, tmp_path: Path) -> None:
    place = ("--folder", tmp_path)
    first = typed("admin-link", *place, "--public", "https://play.example/")
    assert first == typed("admin-link", *place, "--public", "https://play.example")
    assert first[1].startswith("https://play.example/games/admin-link?token=")

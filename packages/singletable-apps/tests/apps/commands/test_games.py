"""`singletable games`: sample data, the administrator's link, and errors that say what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.games.app import APP
from singletable_apps.games.phases import Phase
from singletable_apps.games.sample import SAMPLE_HOST, list_sample
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.serve import open_driver
from tests.apps.commands.typed import Run, RunOf


@pytest.fixture
def typed(type_of: RunOf) -> Run:
    """Type a command about games."""
    return type_of("games")


@pytest.mark.rest
def test_sample_is_created_once_with_sets_and_games(typed: Run, tmp_path: Path) -> None:
    at, secret = f"file:{tmp_path}/games.db", tmp_path / "secret.key"
    code, out, _ = typed("sample", "--address", at, "--secret", secret)
    assert (code, out.strip()) == (
        0,
        f"To see it: singletable games serve --address {at} --secret {secret}",
    )
    code, _, err = typed("sample", "--address", at, "--secret", secret)
    assert (code, err.strip()) == (
        2,
        "singletable: There are games already. Choose other tables.",
    )
    with open_driver(at) as driver, APP.open(Opening(driver, secret)) as service:
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
    secret = tmp_path / "secret.key"
    first = typed("admin-link", "--secret", secret, "--public", "https://play.example/")
    assert first == typed("admin-link", "--secret", secret, "--public", "https://play.example")
    assert first[1].startswith("https://play.example/games/admin-link?token=")

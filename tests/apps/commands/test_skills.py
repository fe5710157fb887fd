"""`singletable skills`: sample and outbox, and what is refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.shared.serve import open_driver
from singletable_apps.skills.app import open_service
from singletable_apps.skills.sample import ACCOUNTS, list_sample
from singletable_apps.skills.urls import Urls
from tests.apps.commands.typed import Run, RunOf


@pytest.fixture
def typed(type_of: RunOf) -> Run:
    """Type a command about skills."""
    return type_of("skills")


def test_help_lists_the_commands(typed: Run) -> None:
    code, out, _ = typed("--help")
    assert code == 0
    assert [word for word in ("serve", "sample", "outbox") if f" {word} " not in out] == []


def test_sample_is_created_once_and_e_mails_are_in_the_outbox(typed: Run, tmp_path: Path) -> None:
    at, secret = f"file:{tmp_path}/skills.db", tmp_path / "secret.key"
    code, out, _ = typed("sample", "--at", at, "--secret", secret)
    assert (code, out.strip()) == (
        0,
        f"To see it: singletable skills serve --address {at} --secret {secret}",
    )
    code, _, err = typed("sample", "--at", at, "--secret", secret)
    assert (code, err.strip()) == (
        2,
        "singletable: This directory is in use. Choose other tables for the sample.",
    )
    with open_driver(at) as driver:
        service = open_service(driver, secret, Urls())
        sample = list_sample(service)
        service.accounts.request_reset(ACCOUNTS[0][0])
    assert sample is not None
    assert len(sample.entries) == len(ACCOUNTS)
    code, out, _ = typed("outbox", "--at", at)
    assert code == 0
    assert "ines@fernhill.example: Reset your password" in out


def test_outbox_of_a_missing_file_is_an_error(typed: Run, tmp_path: Path) -> None:
    code, _, err = typed("outbox", "--at", f"file:{tmp_path}/other.db")
    assert (code, err.strip()) == (2, f"singletable: There is no file '{tmp_path}/other.db'.")

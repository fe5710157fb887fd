"""What `singletable serve` prints: the address first, then what to try, then where the data is."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.home.serve import print_welcome
from singletable_apps.shared.apps import AppInfo, RunningApp, SampleData, SampleEntry, ServeOptions
from singletable_apps.shared.email_delivery import print_email
from singletable_apps.shared.mail import EmailDelivery, Smtp


async def _app(scope: object, receive: object, send: object) -> None:
    """Stand in for an app that is not called."""


def _served(sample: SampleData | None) -> RunningApp:
    info = AppInfo("Notes", "Take notes.", "/notes", "", "")
    return RunningApp(info, _app, ("/notes",), "/api/notes", sample=lambda: sample)


def _welcome(
    capsys: pytest.CaptureFixture[str],
    sample: SampleData | None,
    options: ServeOptions,
    *,
    is_local: bool = True,
) -> list[str]:
    apps = [_served(sample)]
    print_welcome("http://localhost:8000", apps, Path("data"), options, is_local=is_local)
    return [line for line in capsys.readouterr().out.splitlines() if line]


def test_welcome_starts_with_the_address_and_lists_guide_and_apps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = _welcome(capsys, None, ServeOptions())
    assert "http://localhost:8000 " in lines[0]
    assert "Ctrl-C" in lines[0]
    assert lines[1].split() == ["Guide", "http://localhost:8000/guide"]
    assert lines[2].split()[:2] == ["Notes", "http://localhost:8000/notes"]
    assert "/api/notes/docs" in lines[2]
    assert "data" in lines[-1]
    assert len(lines) == 4


def test_welcome_shows_sample_accounts_with_their_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ada = SampleEntry("Ada Lovelace", "Owner", "/sign-in", {"who": "ada@example.org"})
    site = SampleEntry("Notes", "As readers see them", "/notes")
    sample = SampleData((ada, site), password="secret words")
    lines = _welcome(capsys, sample, ServeOptions(emails=EmailDelivery(show=print_email)))
    assert "secret words" in lines[3]
    assert lines[4].split() == ["ada@example.org", "Ada", "Lovelace.", "Owner"]
    assert lines[5].split() == ["Notes", "http://localhost:8000/notes"]
    assert "E-mails" in lines[6]


@pytest.mark.parametrize(
    ("server", "is_local", "is_said"),
    [
        (None, False, True),
        (None, True, False),
        (Smtp("mail.example.org", 587, "vote@example.org"), False, False),
    ],
)
def test_welcome_to_a_public_site_says_what_no_mail_server_means(
    capsys: pytest.CaptureFixture[str], server: Smtp | None, is_local: bool, is_said: bool
) -> None:
    options = ServeOptions(emails=EmailDelivery(server=server))
    lines = _welcome(capsys, None, options, is_local=is_local)
    assert any("Without --smtp" in line for line in lines) == is_said


def test_welcome_names_the_address_of_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _welcome(capsys, None, ServeOptions("dynamodb:eu-west-1"))
    assert "dynamodb:eu-west-1" in lines[-2]
    assert "data" in lines[-2]

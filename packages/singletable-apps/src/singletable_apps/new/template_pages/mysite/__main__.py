"""The commands: python -m mysite serve, sample and outbox."""

from __future__ import annotations

from singletable_apps.shared.app_commands import app_commands

commands = app_commands(
    "mysite",
    "Take notes.",
    module="mysite.app",
    serve="Serve the pages and the API. Tables and the secret are created if missing.",
    sample="Create a sample account with notes.",
    emails=True,
)

if __name__ == "__main__":
    commands()

"""The commands: python -m mysite serve, outbox and bounce."""

from __future__ import annotations

from singletable_apps.shared.app_commands import app_commands

commands = app_commands("mysite.app")

if __name__ == "__main__":
    commands()

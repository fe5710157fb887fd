"""Only commands and tests skip confirmations; handlers of requests never do."""

from __future__ import annotations

import re
from pathlib import Path

import singletable_apps

APPS = Path(singletable_apps.__path__[0])
# Calls that change an address or create an account without confirmation.
TRUSTED = re.compile(r"\b(set_email|people\.register)\(|accounts\.set_up\((?![^)]*code)")


def test_handlers_of_requests_make_no_trusted_calls() -> None:
    handlers = [path for kind in ("api", "pages") for path in APPS.glob(f"*/{kind}/**/*.py")]
    assert len(handlers) > 50
    found = {
        f"{path.relative_to(APPS)}: {match[0]}"
        for path in handlers
        for match in TRUSTED.finditer(path.read_text(encoding="utf-8"))
    }
    assert not found


def test_registration_by_request_passes_a_set_up_code() -> None:
    for name in ("api/auth.py", "pages/accounts.py"):
        source = (APPS / "skills" / name).read_text(encoding="utf-8")
        [call] = re.findall(r"accounts\.register\([^)]*\)", source, re.DOTALL)
        assert "setup_code" in call

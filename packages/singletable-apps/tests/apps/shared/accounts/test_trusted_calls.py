"""Only commands and tests skip confirmations; handlers of requests never do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

import singletable_apps
from singletable_apps.portfolio.api.schemas import Setup
from singletable_apps.portfolio.pages.accounts import SetUpForm
from singletable_apps.shared.frame.accounts import RegistrationForm
from singletable_apps.shared.frame.people_api import NewUser

APPS = Path(singletable_apps.__path__[0])
# Calls that change an address or create an account without confirmation.
TRUSTED = re.compile(r"\b(set_email|people\.register)\(|accounts\.set_up\((?![^)]*code|\*\*dict\()")


def test_handlers_of_requests_make_no_trusted_calls() -> None:
    handlers = [path for kind in ("api", "pages") for path in APPS.glob(f"*/{kind}/**/*.py")]
    assert len(handlers) > 50
    found = {
        f"{path.relative_to(APPS)}: {match[0]}"
        for path in handlers
        for match in TRUSTED.finditer(path.read_text(encoding="utf-8"))
    }
    assert not found


@pytest.mark.parametrize(
    "form", [RegistrationForm, NewUser, SetUpForm, Setup], ids=lambda form: form.__name__
)
def test_registration_by_request_passes_a_set_up_code(form: type[BaseModel]) -> None:
    # Without a code, an account is created without confirmation, as commands do.
    assert form.model_fields["setup_code"].annotation is str
    assert form.model_fields["setup_code"].default in ("", PydanticUndefined)

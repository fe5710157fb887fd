"""What roles are called on pages, and what they mean to whoever has one."""

from __future__ import annotations

from collections.abc import Mapping

from singletable_apps.elections.roles import Role

ROLE_NAMES: Mapping[Role, str] = {
    Role.NO_ACCESS: "No access",
    Role.OBSERVER: "Observer",
    Role.VOTER: "Voter",
    Role.USER: "User",
    Role.ADMIN: "Administrator",
    Role.AUDITOR: "Auditor",
    Role.OWNER: "Owner",
}

ROLE_WORDS: Mapping[Role, str] = {
    Role.NO_ACCESS: "Has registered, and waits to be let in.",
    Role.OBSERVER: "Looks at elections and their results.",
    Role.VOTER: "Votes, and looks at results.",
    Role.USER: "Votes, and holds elections of their own.",
    Role.ADMIN: "Also manages people with lesser roles, and moderates elections.",
    Role.AUDITOR: "Also reads the whole log; sealed ballots stay sealed.",
    Role.OWNER: "Does everything here, and is the only one.",
}

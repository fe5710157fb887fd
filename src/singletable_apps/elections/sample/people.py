"""Who is in the sample: at least one of every role, all with the same password."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.roles import Role

PASSWORD = "lantern copper river"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, and what they are here; who comes first owns the application."""

    name: str
    role: Role = Role.USER

    @property
    def email(self) -> str:
        """Where letters to them go."""
        return f"{self.name.lower()}@example.org"


PEOPLE = (
    Person("Ada", Role.OWNER),
    Person("Grace", Role.AUDITOR),
    Person("Alan", Role.ADMIN),
    Person("Barbara"),
    Person("Claude"),
    Person("Donald"),
    Person("Edsger"),
    Person("Frances"),
    Person("Hedy"),
    Person("Katherine"),
    Person("Leslie", Role.VOTER),
    Person("Margaret", Role.VOTER),
    Person("Niklaus", Role.OBSERVER),
    Person("Radia", Role.NO_ACCESS),
)

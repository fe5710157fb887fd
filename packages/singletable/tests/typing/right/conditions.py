"""Conditions on the fields of an entity."""

from __future__ import annotations

from datetime import UTC, datetime

from singletable.schema import Condition, Path
from tests.typing.declared import Ballot, Election, Ranking, Stage

NOW = datetime(2026, 11, 3, tzinfo=UTC)


def ask(condition: Condition[Ballot]) -> Condition[Ballot]:
    """Call functions as a store would be called."""
    return condition


ask(Ballot.when_cast < NOW)
ask(Ballot.when_cast <= NOW)
ask(Ballot.when_cast > NOW)
ask(Ballot.when_cast >= Ballot.made)
ask(Ballot.weight == 1)
ask(Ballot.weight != 1)
ask(Ballot.note == None)
ask(Ballot.note == "late")
ask(Ballot.status == "spoiled")
ask(Ballot.election == Ballot.voter)
ask(Ballot.weight.between(1, 3))
ask(Ballot.voter.in_("alice", "bob"))
ask(Ballot.note.exists() & Ballot.region.missing())
ask((Ballot.weight > 1) | ~(Ballot.voter == "alice"))
ask(Ballot.voter.begins_with("a"))
ask(Ballot.note.begins_with("a"))
ask(Ballot.voter.contains("lic"))
ask(Ballot.tags.contains("x"))
ask(Ballot.colours.contains("blue"))
ask(Ballot.rankings.contains(Ranking("Python", 1)))
ask(Ballot.rankings.size() >= 2)
ask(Ballot.rankings[0].nested(lambda ranking: ranking.rank) == 1)
ask(Ballot.extra["pages"] > 2)
ask(Ballot.place.nested(lambda place: place.street) == "Main Street")
ask(Ballot.place.nested(lambda place: place.floors[0]) < 3)

stage: Condition[Election] = Election.stage == Stage.OPEN
way: Path[Ballot, str] = Ballot.rankings[0].nested(lambda ranking: ranking.name)
made: Path[Ballot, datetime] = Ballot.made

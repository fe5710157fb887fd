"""Invalid conditions, each rejected where it is written."""

from __future__ import annotations

from datetime import UTC, datetime

from singletable.schema import Condition, Path
from tests.typing.declared import Ballot, Election, Ranking, Stage

NOW = datetime(2026, 11, 3, tzinfo=UTC)


def ask(condition: Condition[Ballot]) -> Condition[Ballot]:
    """Call functions as a store would be called."""
    return condition


Ballot.when_cast < "now"  # error: operator | reportOperatorIssue
Ballot.when_cast >= 3  # error: operator | reportOperatorIssue
Ballot.weight > "1"  # error: operator | reportOperatorIssue
Ballot.weight < None  # error: operator | reportOperatorIssue
Ballot.when_cast < Ballot.voter  # error: operator | reportOperatorIssue
Ballot.weight < Election.ballots  # error: arg-type | reportOperatorIssue
ask(Ballot.weight == "1")  # error: arg-type | reportArgumentType
ask(Ballot.weight != "1")  # error: arg-type | reportArgumentType
ask(Ballot.weight == None)  # error: arg-type | reportArgumentType
ask(Ballot.status == "lost")  # error: arg-type | reportArgumentType
ask(Election.name == "L")  # error: arg-type | reportArgumentType
ask(Ballot.weight)  # error: arg-type | reportArgumentType
ask((Ballot.weight > 1) and True)  # error: arg-type | reportArgumentType
ask((Ballot.weight > 1) & (Election.name == "L"))  # error: operator | reportOperatorIssue
ask(Ballot.rankings.size() >= "2")  # error: operator | reportOperatorIssue
ask(Ballot.rankings.size() == "2")  # error: arg-type | reportArgumentType
Ballot.weight.between(1, "3")  # error: arg-type | reportArgumentType
Ballot.voter.in_("alice", 1)  # error: arg-type | reportArgumentType
Ballot.weight.begins_with("1")  # error: misc | reportAttributeAccessIssue
Ballot.rankings.begins_with("1")  # error: misc | reportAttributeAccessIssue
Ballot.voter.begins_with(1)  # error: arg-type | reportArgumentType
Ballot.voter.contains(1)  # error: arg-type | reportArgumentType
Ballot.tags.contains(1)  # error: arg-type | reportArgumentType
Ballot.rankings.contains("Python")  # error: arg-type | reportArgumentType
Ballot.weight.contains(1)  # error: misc, call-overload | reportAttributeAccessIssue
Ballot.rankings[0].nested(lambda ranking: ranking.nope)  # error: attr-defined | reportAttributeAccessIssue
Ballot.rankings["x"]  # error: index | reportArgumentType
Ballot.extra[0]  # error: index | reportArgumentType
Ballot.weight[0]  # error: misc | reportIndexIssue
Ballot.place.nested(lambda place: place.town)  # error: attr-defined | reportAttributeAccessIssue
Ballot.rankings[0].nested(lambda ranking: ranking.rank) < "1"  # error: operator | reportOperatorIssue
Ballot.extra["pages"] > "2"  # error: operator | reportOperatorIssue
stage: Condition[Election] = Election.stage == "open"  # error: assignment | reportAssignmentType
other: Condition[Ballot] = Election.stage == Stage.OPEN  # error: assignment | reportAssignmentType
way: Path[Ballot, str] = Ballot.rankings[0].nested(lambda it: it.rank)  # error: assignment, arg-type, return-value | reportAssignmentType
line: Path[Ballot, Ranking] = Ballot.rankings  # error: assignment | reportAssignmentType
Ballot.weight.between(Election.ballots, 3)  # error: arg-type | reportArgumentType
ask(Ballot.weight == Election.ballots)  # error: arg-type | reportOperatorIssue

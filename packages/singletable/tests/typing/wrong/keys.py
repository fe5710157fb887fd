"""Keys with invalid values: too few, too many, of another type, a range too early."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import UUID

from singletable.schema import ItemKey, Key, Partition, Shards, concat, ordered, padded
from singletable.schema.unique import Unique, UniqueValue
from tests.typing.declared import Ballot, Election, Event, Person, Stage, UserSkill

DAY = date(2026, 11, 3)
NOW = datetime(2026, 11, 3, tzinfo=UTC)

no_value: ItemKey[Election] = Election.key()  # error: assignment | reportAssignmentType
Election.key(1)  # error: call-overload | reportArgumentType
Election.key("L", "METADATA")  # error: call-overload | reportCallIssue
Election.key(None)  # error: call-overload | reportArgumentType
Ballot.key("L")  # error: call-overload | reportCallIssue
Ballot.key("L", 1)  # error: call-overload | reportArgumentType
Ballot.key("L", "alice", "x")  # error: call-overload | reportCallIssue
Ballot.key("L", voter="alice")  # error: call-overload | reportCallIssue
by_name: ItemKey[Election] = Ballot.key(election="L", voter="alice")  # error: assignment | reportAssignmentType
no_election: Partition[Ballot, str] = Ballot.key.partition()  # error: assignment | reportAssignmentType
Ballot.key.partition(1)  # error: call-overload | reportArgumentType
Ballot.key.partition("L", "alice")  # error: call-overload | reportCallIssue
Person.key("7")  # error: call-overload | reportArgumentType
Person.key(7, 7)  # error: call-overload | reportCallIssue
UserSkill.by_level("Python")  # error: call-overload | reportCallIssue
UserSkill.by_level(4, "Python")  # error: call-overload | reportArgumentType
UserSkill.by_level("Python", 4, 3)  # error: call-overload | reportCallIssue
UserSkill.by_level("Python", 4).eq("3")  # error: arg-type | reportArgumentType
UserSkill.by_level("Python", 4).gt(DAY)  # error: arg-type | reportArgumentType
UserSkill.by_level("Python", 4).gt(3).eq(DAY)  # error: attr-defined | reportAttributeAccessIssue
UserSkill.by_level("Python", 4).eq(3).eq(DAY).eq(1)  # error: misc, arg-type | reportAttributeAccessIssue
UserSkill.by_level("Python", 4).eq(3).between(DAY, 4)  # error: arg-type | reportArgumentType
UserSkill.by_level("Python", 4).begins_with("x")  # error: misc | reportAttributeAccessIssue
Ballot.of_voter("alice").eq("L")  # error: arg-type | reportArgumentType
Ballot.of_voter("alice").begins_with("2026")  # error: misc | reportAttributeAccessIssue
Ballot.of_voter("alice").eq(NOW).begins_with(1)  # error: arg-type | reportArgumentType
Ballot.of_region(1)  # error: call-overload | reportArgumentType
Ballot.of_region("north").gt("1")  # error: arg-type | reportArgumentType
Election.key.partition("L").eq("METADATA")  # error: misc, arg-type | reportAttributeAccessIssue
Event.key(NOW, DAY, UUID(int=1))  # error: call-overload | reportArgumentType
Event.by_stage(Stage.OPEN)  # error: call-overload | reportCallIssue
Event.by_stage().eq("open")  # error: arg-type | reportArgumentType
Person.address(1)  # error: call-overload | reportArgumentType
no_email: UniqueValue[Person] = Person.address()  # error: assignment | reportAssignmentType
Person.address("ada", "eve")  # error: call-overload | reportCallIssue
Person.birthday(7, DAY)  # error: call-overload | reportArgumentType
wrong: ItemKey[Election] = Ballot.key("L", "alice")  # error: assignment | reportAssignmentType
open_: Partition[Ballot, str] = Ballot.of_voter("alice")  # error: assignment | reportAssignmentType
Key(pk=("A", 1), sk="B")  # error: arg-type | reportCallIssue, reportArgumentType
Key(pk=concat("A", 1), sk="B")  # error: arg-type | reportCallIssue, reportArgumentType
Key(sk="B")  # error: call-overload | reportCallIssue
Shards("4")  # error: arg-type | reportArgumentType
padded("number", 8)  # error: arg-type | reportArgumentType
ordered(3)  # error: arg-type | reportArgumentType
Unique("email")  # error: call-overload | reportCallIssue, reportArgumentType

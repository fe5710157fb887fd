"""Invalid arguments of constructors, and invalid assignments."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.typing.declared import Ballot, Election, Protest, Ranking

NOW = datetime(2026, 11, 3, tzinfo=UTC)

Ballot(election=1, voter="alice", when_cast=NOW)  # error: arg-type | reportArgumentType
Ballot(election="L", voter=None, when_cast=NOW)  # error: arg-type | reportArgumentType
Ballot(election="L", voter="a", when_cast="now")  # error: arg-type | reportArgumentType
Ballot(voter="alice", when_cast=NOW)  # error: call-arg | reportCallIssue
Ballot(election="L", voter="a", when_cast=NOW, nope=1)  # error: call-arg | reportCallIssue
Ballot("L", "alice", NOW)  # error: call-arg, misc | reportCallIssue
Ballot(election="L", voter="a", when_cast=NOW, version=1)  # error: call-arg | reportCallIssue
Ballot(election="L", voter="a", when_cast=NOW, made=NOW)  # error: call-arg | reportCallIssue
Ballot(election="L", voter="a", when_cast=NOW, changed=NOW)  # error: call-arg | reportCallIssue
Ballot(election="L", voter="a", when_cast=NOW, gone=1)  # error: arg-type | reportArgumentType
Ballot(election="L", voter="a", when_cast=NOW, tags={1})  # error: arg-type | reportArgumentType
Ballot(election="L", voter="a", when_cast=NOW, rankings=["x"])  # error: list-item | reportArgumentType
Ballot(election="L", voter="a", when_cast=NOW, status="lost")  # error: arg-type | reportArgumentType
Election(name="L", stage="open")  # error: arg-type | reportArgumentType
Protest(election="L", text="x", number=1)  # error: call-arg | reportCallIssue

ballot = Ballot(election="L", voter="alice", when_cast=NOW)
number: int = ballot.election  # error: assignment | reportAssignmentType
text: str = ballot.note  # error: assignment | reportAssignmentType
time: datetime = ballot.gone  # error: assignment | reportAssignmentType
words: list[str] = ballot.rankings  # error: assignment | reportAssignmentType
ballot.weight = "heavy"  # error: assignment | reportAttributeAccessIssue
ballot.weight = None  # error: assignment | reportAttributeAccessIssue
ballot.status = "lost"  # error: assignment | reportAttributeAccessIssue
ballot.rankings = [Ranking("x", 1), "y"]  # error: list-item | reportAttributeAccessIssue
ballot.nope  # error: attr-defined | reportAttributeAccessIssue
Ballot.nope  # error: attr-defined | reportAttributeAccessIssue

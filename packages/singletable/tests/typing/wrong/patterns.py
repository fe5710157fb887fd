"""Invalid calls and declarations of patterns, each rejected where it is written."""

from __future__ import annotations

from datetime import datetime

from singletable import PatternCatalog, Selection, Store, connect, creates, per_second
from tests.typing.declared import Ballot, Election, UserSkill, votes

catalog = PatternCatalog("typing", votes)
store = Store(connect("memory:"))
one = catalog.read("AP1", "One ballot", Ballot.key)
all_of = catalog.read("AP2", "Ballots of an election", Ballot.key.partition)
experts = catalog.read("AP3", "Users by skill and level", UserSkill.by_level)
skilled = catalog.lookup("AP4", "Skills of a user", UserSkill, UserSkill.user)


@catalog.read_function("AP5")
def since(voter: str, time: datetime) -> Selection[Ballot]:
    """Return the ballots of a voter since a time."""
    return Ballot.of_voter(voter).ge(time)


one("L")  # error: call-overload | reportCallIssue
one("L", 3)  # error: call-overload | reportArgumentType
all_of("L", "ada")  # error: call-overload | reportCallIssue
all_of("L").gt(3)  # error: arg-type | reportArgumentType
experts("Python", "4")  # error: call-overload | reportArgumentType
skilled(3)  # error: call-overload | reportArgumentType
since("ada", "now")  # error: arg-type | reportArgumentType
since("ada", when=None)  # error: call-arg | reportCallIssue
since(voter="ada", when=None)  # error: call-arg | reportCallIssue
store.run(one, "L")  # error: call-overload | reportCallIssue
store.run(all_of, 3)  # error: call-overload | reportCallIssue, reportArgumentType
store.run(since, "ada", "now")  # error: call-overload | reportCallIssue, reportArgumentType
store.run(catalog.write("W1", "A write", creates(Ballot)))  # error: call-overload | reportCallIssue, reportArgumentType
ballot: Election | None = store.run(one, "L", "ada")  # error: assignment, arg-type, call-overload | reportAssignmentType, reportArgumentType, reportCallIssue
number: int = one(election="L", voter="ada")  # error: assignment | reportAssignmentType
catalog.read("AP6", "A rate", Ballot.key, rate=3)  # error: arg-type, call-overload | reportArgumentType, reportCallIssue
catalog.read("AP7", "Unknown", Ballot.key, often=per_second(3))  # error: call-overload | reportCallIssue
catalog.lookup("AP8", "A field of another", UserSkill, Ballot.voter)  # error: misc | reportArgumentType
catalog.write("AP9", "No effect", Ballot)  # error: arg-type | reportArgumentType
catalog.write("AP10", "A reading", creates(Ballot), consistent="yes")  # error: arg-type | reportArgumentType
catalog.read("AP11", "An entity", Election)  # error: type-var, call-overload | reportArgumentType, reportCallIssue

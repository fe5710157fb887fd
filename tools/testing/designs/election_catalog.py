"""A catalog of access patterns for the entities in packages/singletable/tests/store."""

from __future__ import annotations

from datetime import datetime

from singletable import (
    PatternCatalog,
    Selection,
    checks,
    creates,
    deletes,
    per_day,
    per_second,
    puts,
    updates,
)
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, Election, File, Session, votes

elections = PatternCatalog("elections", votes, members, sizes={Ballot: 600, Member: 300})

one_ballot = elections.read(
    "AP1", "The ballot of a voter", Ballot.key, rate=per_second(20), consistent=True
)
ballots = elections.read("AP2", "Ballots of an election", Ballot.key.partition, items=500)
file = elections.read(
    "AP3", "An election with all that is in it", Election.key.partition, collection=File, items=600
)
by_mail = elections.read("AP4", "The member with an address", Member.one_email)


@elections.read_function("AP5", items=10)
def since(voter: str, when: datetime) -> Selection[Ballot]:
    """Ballots of a voter
    since a time.

    The clock is an argument.
    """
    return Ballot.by_voter(voter).ge(when)


choices = elections.lookup("AP6", "Ballots for a choice", Ballot, Ballot.election, Ballot.choice)
newest = elections.lookup(
    "AP7", "Ballots of a voter, in time", Ballot, Ballot.voter, order=Ballot.when_cast
)
devices = elections.read("AP8", "Sessions on a device", Session.by_device)
fresh = elections.read("AP9", "Current ballots of a voter", Ballot.by_voter, hydrate=True)
voters = elections.read("AP17", "Voters of a choice", Ballot.by_choice, hydrate=False)

cast_ballot = elections.write("AP10", "Cast a ballot", creates(Ballot), checks(Election))
correct = elections.write("AP11", "Correct a ballot", updates(Ballot, Ballot.rank, Ballot.choice))
edit_ballot = elections.write("AP12", "Change anything in a ballot", updates(Ballot))
join = elections.write("AP13", "Join", creates(Member))
move = elections.write("AP14", "Change the address", updates(Member, Member.email))
leave = elections.write("AP15", "Leave", deletes(Member))
nominate = elections.write("AP16", "Nominate", puts(Candidate), items=25)

export = elections.scan(
    "AP20", "All ballots", Ballot, reason="the nightly copy", rate=per_day(1), items=100_000
)
follow = elections.feed("AP21", "What was cast", Ballot)

elections.check()

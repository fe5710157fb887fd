"""A world with elections, ballots, voter lists and a close, and every command on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO

from PIL import Image

from singletable import Driver, Engine
from singletable.testing import StoreClock
from singletable_apps.elections.entities import Electorate, User
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.emails import EmailPurpose, EmailText
from singletable_apps.elections.rules.roll import RollLine
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.elections.service.people import set_email
from singletable_apps.shared.accounts import Registration
from tests.apps.support.elections.world import PASSWORD, World, ballot


@dataclass(frozen=True)
class Scenario:
    """A world, and the people in it."""

    world: World
    engine: Engine
    owner: User
    bob: User
    carol: User


def make_scenario(engine: Engine, elections: int = 2) -> Scenario:
    """Create elections that Bob owns. He and Carol vote in them, and Dave withdraws his ballot."""
    world = World(engine)
    owner, bob, carol, dave = world.register("Ada", "Bob", "Carol", "Dave")
    cast = world.service.voting.cast
    for number in range(elections):
        name = f"Election {number}"
        secret = ElectionSettings(secret_ballot=number % 2 == 1)
        world.launch(bob, name, voters=["Bob", "Carol", "Dave"], terms=secret)
        cast(bob, name, ballot("Red", "Blue"), "first")
        cast(carol, name, ballot("Green"), "first")
        cast(dave, name, ballot("Green"), "first")
        world.service.voting.withdraw(dave, name)
    world.launch(bob, "Closed", voters=["Bob", "Carol"])
    cast(carol, "Closed", ballot("Blue"), "first")
    world.service.lifecycle.close(bob, "Closed")
    world.service.lifecycle.create(bob, "Set up")
    world.service.lifecycle.set_candidates(bob, "Set up", ["Red", "Green"])
    world.service.lifecycle.create(bob, "Roll", ElectionSettings(electorate=Electorate.ROLL))
    world.service.rolls.save(bob, "Roll", _people(0, 8), replaces=True)
    return Scenario(world, engine, owner, bob, carol)


def make_image(color: str = "red") -> bytes:
    """Return a picture as a PNG."""
    file = BytesIO()
    Image.new("RGB", (60, 80), color).save(file, "PNG")
    return file.getvalue()


def _people(start: int, end: int) -> list[RollLine]:
    return [RollLine(1, f"Member {number}") for number in range(start, end)]


Command = Callable[[Elections, Scenario], object]
MANY = [f"Candidate {number}" for number in range(8)]

# All commands, by the type of their event.
COMMANDS: dict[str, Command] = {
    "UserRegistered": lambda s, b: s.people.register("Eve", "eve@example.org", PASSWORD),
    "RegistrationChanged": lambda s, b: s.people.set_registration(b.owner, Registration.CLOSED),
    "UserRoleChanged": lambda s, b: s.people.change_role(b.owner, "Bob", Role.ADMIN),
    "OwnershipTransferred": lambda s, b: s.people.change_role(b.owner, "Bob", Role.OWNER),
    "UserRemoved": lambda s, b: s.people.remove(b.owner, "Carol"),
    "UserPasswordChanged": lambda s, b: s.auth.change_password(
        b.bob, "Bob", PASSWORD, "orchard violet engine"
    ),
    "UserNameChanged": lambda s, b: s.people.rename(b.bob, "Bob", "Robert"),
    "UserEmailChanged": lambda s, b: set_email(s.context, b.bob, "r@example.org"),
    "ElectionCreated": lambda s, b: s.lifecycle.create(b.bob, "New"),
    "ElectionUpdated": lambda s, b: s.lifecycle.edit(b.bob, "Set up", {"secret_ballot": True}),
    "ElectionNameChanged": lambda s, b: s.lifecycle.edit(
        b.bob, "Election 0", {"name": "election 0"}
    ),
    "ElectionOwnerChanged": lambda s, b: s.lifecycle.transfer(b.bob, "Election 0", "Carol"),
    "ElectionLaunched": lambda s, b: s.lifecycle.launch(b.bob, "Set up", allow_edit=True),
    "ElectionFixed": lambda s, b: s.lifecycle.lock(b.bob, "Election 0"),
    "ElectionFinalized": lambda s, b: s.lifecycle.close(b.bob, "Election 1"),
    "ElectionResultShared": lambda s, b: s.lifecycle.share_result(
        b.bob, "Election 1", is_public=True
    ),
    "ElectionDeleted": lambda s, b: s.lifecycle.delete(b.bob, "Election 1"),
    "CandidatesAdded": lambda s, b: s.lifecycle.set_candidates(
        b.bob, "Election 0", ["Red", "Green", "Blue", *MANY]
    ),
    "CandidatesRemoved": lambda s, b: s.lifecycle.set_candidates(b.bob, "Election 0", MANY),
    "CandidatesOrdered": lambda s, b: s.lifecycle.set_candidates(
        b.bob, "Election 0", ["Blue", "Red", "Green"]
    ),
    "CandidateRenamed": lambda s, b: s.lifecycle.edit_candidate(
        b.bob, "Set up", "Red", new_name="Pink"
    ),
    "CandidatesDescribed": lambda s, b: s.lifecycle.edit_candidate(
        b.bob, "Set up", "Red", statement="Warm"
    ),
    "ElectionDescribed": lambda s, b: s.lifecycle.describe(b.bob, "Set up", "Which?", "Choose."),
    "CandidatePictured": lambda s, b: s.lifecycle.edit_candidate(
        b.bob, "Set up", "Red", picture=make_image(), alt="A red square"
    ),
    "ElectionManagersChanged": lambda s, b: s.lifecycle.set_managers(b.bob, "Set up", ["Carol"]),
    "ElectionNoted": lambda s, b: s.lifecycle.set_notes(b.bob, "Set up", "Ask Carol."),
    "VotersAdded": lambda s, b: s.lifecycle.set_voters(
        b.bob, "Election 0", ["Ada", "Bob", "Carol", "Dave"]
    ),
    "RollVotersAdded": lambda s, b: s.rolls.save(b.bob, "Roll", _people(8, 16), replaces=False),
    "RollVotersChanged": lambda s, b: s.rolls.renew_link(b.bob, "Roll", 1),
    "ElectorateChanged": lambda s, b: s.rolls.save(b.bob, "Set up", [], replaces=False),
    "ElectionEmailChanged": lambda s, b: s.rolls.set_email_text(
        b.bob, "Roll", EmailPurpose.REMINDER, EmailText("Vote", "{link}")
    ),
    "VotersRemoved": lambda s, b: s.lifecycle.set_voters(b.bob, "Election 0", []),
    "BallotCast": lambda s, b: s.voting.cast(b.carol, "Election 1", ballot("Red"), "again"),
    "BallotWithdrawn": lambda s, b: s.voting.withdraw(b.carol, "Election 0"),
}


def copy_scenario(
    base: Scenario, around: Callable[[Engine], Driver] = lambda engine: engine
) -> Scenario:
    """Return a copy of the world in memory, with its service on the wrapped engine."""
    engine = base.engine.copy()
    return open_copy(base, engine, around(engine))


def open_copy(base: Scenario, engine: Engine, driver: Driver) -> Scenario:
    """Return the world on a copied engine, which continues separately from this time on."""
    clock = StoreClock(base.world.clock.now, timedelta.resolution)
    return Scenario(World(driver, clock), engine, base.owner, base.bob, base.carol)

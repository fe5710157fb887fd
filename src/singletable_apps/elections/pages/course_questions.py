"""What is asked before each step of an election: what will happen, and what cannot be undone."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.entities import Election
from singletable_apps.elections.rules import state_of
from singletable_apps.elections.states import State

# (value, name, what it means)
LAUNCHES = (
    (
        "fixed",
        "Fixed",
        "Candidates, voters and the name are final from now on, and so is every ballot the moment "
        "it is cast: nobody can change or withdraw it.",
    ),
    (
        "editable",
        "Editable",
        "You may still change candidates, voters and the name, and voters may change or withdraw "
        "their ballots. You can fix it later.",
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its step in the address, what follows from yes, and how yes is said."""

    step: str
    title: str
    words: str
    follows: tuple[str, ...]
    undone: str
    button: str
    kind: str = "primary"
    back: str = ""


def launching(election: Election) -> Question:
    """Before voting begins."""
    who = (
        f"The {election.voter_count:,} on the list of voters"
        if election.voter_count
        else "Everybody whose role lets them vote"
    )
    when = "from its opening on" if election.no_voting_before else "at once"
    return Question(
        "launch",
        f"Launch “{election.name}”?",
        f"{who} can vote {when}, on {election.candidate_count} candidates.",
        (
            f"It stays {'a secret' if election.secret_ballot else 'an open'} ballot, and what is "
            "published at the end stays as it is settled.",
            "A secret that will order ties is chosen now, and its digest published: nobody can "
            "pick it to suit the result.",
        ),
        "It can not go back into preparation.",
        "Launch",
    )


def fixing(election: Election) -> Question:
    """Before edits end."""
    return Question(
        "fix",
        "End all changes?",
        f"“{election.name}” goes on, and accepts votes as before.",
        (
            "Candidates, voters and the name stay as they are now.",
            "Ballots that were cast are final; who has not voted yet casts one, and that is final.",
        ),
        "It can not become editable again.",
        "Fix it",
        back="settings",
    )


def finalizing(election: Election) -> Question:
    """Before the end."""
    return Question(
        "finalize",
        f"Close “{election.name}” for ever?",
        "Voting ends now, for everybody.",
        (
            "All ballots are counted, and the result is there for everybody to see.",
            "How many ballots there are, and a fingerprint of each, is signed: no ballot can be "
            "added, changed or left out afterwards without everybody noticing.",
        ),
        "It can not be opened again.",
        "Close and sign",
        "danger",
    )


def deleting(election: Election) -> Question:
    """Before it is gone."""
    lost = ["Its candidates, its list of voters, and what is settled about it."]
    match state_of(election):
        case State.SETUP:
            pass
        case State.CLOSED:
            lost.append(
                "Its result, its signed end, and every ballot: receipts can not be checked here "
                "any more."
            )
        case State.EDITABLE | State.FIXED:
            lost.append("Every ballot that was cast; people are voting in it right now.")
    return Question(
        "delete",
        f"Delete “{election.name}”?",
        "This will be gone:",
        tuple(lost),
        "It can not be brought back. That it was here stays in the log of events.",
        "Delete it",
        "danger",
        back="settings",
    )

"""The state machine of a game, as a table.

`TRANSITIONS` says which command leads from which phase to which step. `next_step` looks it up and
applies the rules that depend on the question and on the settings. Whether a host or a timer asks,
the service writes the outcome on the condition that the state has not changed since it was read.
"""

from __future__ import annotations

from enum import StrEnum

from singletable_apps.games.errors import WrongPhase


class Phase(StrEnum):
    """The phases of a game."""

    WAITING = "waiting"
    READING = "reading"
    OPEN = "open"
    CHECKING = "checking"
    VOTING = "voting"
    REVEAL = "reveal"
    LEADERBOARD = "leaderboard"
    PAUSED = "paused"
    ENDED = "ended"


# The state in the original system, the name on screens, and what follows “The game is …”.
_WORDS = {
    Phase.WAITING: ("waiting", "Lobby", "waiting for its start"),
    Phase.READING: ("question", "Reading", "showing a question"),
    Phase.OPEN: ("question", "Answers are open", "collecting answers"),
    Phase.CHECKING: ("question", "Checking answers", "waiting for the host to check answers"),
    Phase.VOTING: ("voting", "Voting", "collecting votes"),
    Phase.REVEAL: ("results", "Results", "showing results"),
    Phase.LEADERBOARD: ("results", "Leaderboard", "showing the leaderboard"),
    Phase.PAUSED: ("paused", "Paused", "paused"),
    Phase.ENDED: ("ended", "The game is over", "over"),
}
ORIGINAL_STATES = {phase: words[0] for phase, words in _WORDS.items()}
PHASE_NAMES = {phase: words[1] for phase, words in _WORDS.items()}


class Command(StrEnum):
    """What moves a game on. The last two come from the server only."""

    START = "start"
    NEXT = "next"
    CLOSE = "close"
    SKIP = "skip"
    REOPEN = "reopen"
    PAUSE = "pause"
    RESUME = "resume"
    END = "end"
    TIME_UP = "time-up"
    ALL_DONE = "all-done"


HOST_COMMANDS = frozenset(Command) - {Command.TIME_UP, Command.ALL_DONE}


class Step(StrEnum):
    """The action of a transition."""

    ASK = "ask"  # show the next question, or end the game if there is none
    OPEN = "open"  # accept answers
    CLOSE = "close"  # freeze the answers or count the votes, then check, vote or reveal
    VOID = "void"  # reveal without points
    REOPEN = "reopen"  # accept answers or votes again for some seconds
    CONTINUE = "continue"  # show the leaderboard if it is due, or ask
    PAUSE = "pause"
    RESUME = "resume"
    END = "end"


# A question is being played.
LIVE_PHASES = (Phase.READING, Phase.OPEN, Phase.CHECKING, Phase.VOTING)
# A question was closed, and the next one is not asked yet.
CLOSED_PHASES = (Phase.CHECKING, Phase.VOTING, Phase.REVEAL)

TRANSITIONS: dict[tuple[Phase, Command], Step] = {
    (Phase.WAITING, Command.START): Step.ASK,
    (Phase.WAITING, Command.NEXT): Step.ASK,
    (Phase.READING, Command.NEXT): Step.OPEN,
    (Phase.READING, Command.TIME_UP): Step.OPEN,
    (Phase.CHECKING, Command.NEXT): Step.CLOSE,
    (Phase.CHECKING, Command.CLOSE): Step.CLOSE,
    (Phase.REVEAL, Command.NEXT): Step.CONTINUE,
    (Phase.REVEAL, Command.TIME_UP): Step.CONTINUE,
    (Phase.LEADERBOARD, Command.NEXT): Step.ASK,
    (Phase.LEADERBOARD, Command.TIME_UP): Step.ASK,
    (Phase.PAUSED, Command.RESUME): Step.RESUME,
    (Phase.PAUSED, Command.NEXT): Step.RESUME,
    **{
        (phase, command): Step.CLOSE
        for phase in (Phase.OPEN, Phase.VOTING)
        for command in (Command.NEXT, Command.CLOSE, Command.TIME_UP, Command.ALL_DONE)
    },
    **{(phase, Command.REOPEN): Step.REOPEN for phase in CLOSED_PHASES},
    **{(phase, Command.PAUSE): Step.PAUSE for phase in LIVE_PHASES},
    **{(phase, Command.SKIP): Step.VOID for phase in LIVE_PHASES},
    **{(phase, Command.END): Step.END for phase in Phase if phase is not Phase.ENDED},
}


def next_step(phase: Phase, command: Command) -> Step:
    """Return the step that a command means in a phase, or raise WrongPhase."""
    step = TRANSITIONS.get((phase, command))
    if step is None:
        expected = tuple(sorted(each for each, known in TRANSITIONS if known is command))
        raise WrongPhase(
            f"The game is {describe(phase)}, so “{command}” does nothing now.", phase, expected
        )
    return step


def describe(phase: Phase) -> str:
    """Return a phase in the words of a sentence that begins with “The game is”."""
    return _WORDS[phase][2]


def available_commands(phase: Phase) -> list[Command]:
    """Return the commands that a host can send in a phase."""
    return [each for each in Command if each in HOST_COMMANDS and (phase, each) in TRANSITIONS]

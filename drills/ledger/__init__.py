"""What clients write, what they were told of it, and what must therefore be found again."""

from drills.ledger.actions import ACCOUNTS, INITIAL, TABLE, Action, action_at
from drills.ledger.audit import audit
from drills.ledger.clients import SETTINGS, ledger_client, setup_client
from drills.ledger.marks import REOPENED, Mark, Outcome, Step
from drills.ledger.reopened import faults_in

__all__ = [
    "ACCOUNTS",
    "INITIAL",
    "REOPENED",
    "SETTINGS",
    "TABLE",
    "Action",
    "Mark",
    "Outcome",
    "Step",
    "action_at",
    "audit",
    "faults_in",
    "ledger_client",
    "setup_client",
]

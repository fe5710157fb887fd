"""How work in several steps is carried out, and how often a request is sent again."""

from singletable.patience.ask import ask, is_repeatable
from singletable.patience.patience import Patience
from singletable.patience.patient import Patient, sends_once
from singletable.patience.quota import Quota
from singletable.patience.steps import (
    More,
    Pause,
    Reason,
    Steps,
    Together,
    run,
    run_async,
    together,
)

__all__ = [
    "More",
    "Patience",
    "Patient",
    "Pause",
    "Quota",
    "Reason",
    "Steps",
    "Together",
    "ask",
    "is_repeatable",
    "run",
    "run_async",
    "sends_once",
    "together",
]

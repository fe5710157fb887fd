"""Drivers that fail now and then, as DynamoDB does, around a driver that does not."""

from singletable.faults.decide import Decision, State, decide
from singletable.faults.description import Chance, Faults, Kind, Limit, Next
from singletable.faults.drivers import AsyncFaultyDriver, FaultyDriver
from singletable.faults.scope import Occasion, occasion_of
from singletable.faults.text import faults_from_text, faults_to_text

__all__ = [
    "AsyncFaultyDriver",
    "Chance",
    "Decision",
    "Faults",
    "FaultyDriver",
    "Kind",
    "Limit",
    "Next",
    "Occasion",
    "State",
    "decide",
    "faults_from_text",
    "faults_to_text",
    "occasion_of",
]

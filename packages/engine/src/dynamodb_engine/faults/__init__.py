"""Fault injection: wrap a driver in one that fails the way DynamoDB does."""

from dynamodb_engine.faults.config import Chance as Chance
from dynamodb_engine.faults.config import FaultKind as FaultKind
from dynamodb_engine.faults.config import Faults as Faults
from dynamodb_engine.faults.config import Next as Next
from dynamodb_engine.faults.config import ThrottleLimit as ThrottleLimit
from dynamodb_engine.faults.config import format_faults as format_faults
from dynamodb_engine.faults.config import parse_faults as parse_faults
from dynamodb_engine.faults.drivers import AsyncFaultyDriver as AsyncFaultyDriver
from dynamodb_engine.faults.drivers import FaultyDriver as FaultyDriver
from dynamodb_engine.faults.header import HeaderFaults as HeaderFaults
from dynamodb_engine.faults.injection import FaultDecision as FaultDecision
from dynamodb_engine.faults.injection import FaultState as FaultState
from dynamodb_engine.faults.injection import decide as decide
from dynamodb_engine.faults.targets import FaultTarget as FaultTarget
from dynamodb_engine.faults.targets import describe_target as describe_target

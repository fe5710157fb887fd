"""Fault injection: wrap a driver in one that fails the way DynamoDB does."""

from singletable.faults.config import Chance as Chance
from singletable.faults.config import FaultKind as FaultKind
from singletable.faults.config import Faults as Faults
from singletable.faults.config import Next as Next
from singletable.faults.config import ThrottleLimit as ThrottleLimit
from singletable.faults.config import format_faults as format_faults
from singletable.faults.config import parse_faults as parse_faults
from singletable.faults.drivers import AsyncFaultyDriver as AsyncFaultyDriver
from singletable.faults.drivers import FaultyDriver as FaultyDriver
from singletable.faults.header import HeaderFaults as HeaderFaults
from singletable.faults.injection import FaultDecision as FaultDecision
from singletable.faults.injection import FaultState as FaultState
from singletable.faults.injection import decide as decide
from singletable.faults.targets import FaultTarget as FaultTarget
from singletable.faults.targets import describe_target as describe_target

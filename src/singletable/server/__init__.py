"""Any driver on the wire, for every DynamoDB client."""

from singletable.server.address import check_address
from singletable.server.app import DynamoDBApp
from singletable.server.guard import Guard
from singletable.server.limits import Limits
from singletable.server.listener import Listener
from singletable.server.observe import AccessLog, Metrics, Observer
from singletable.server.run import run_until_stopped

__all__ = [
    "AccessLog",
    "DynamoDBApp",
    "Guard",
    "Limits",
    "Listener",
    "Metrics",
    "Observer",
    "check_address",
    "run_until_stopped",
]

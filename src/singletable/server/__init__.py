"""Any driver on the wire, for every DynamoDB client."""

from singletable.server.app import DynamoDBApp
from singletable.server.listener import Limits, Listener
from singletable.server.run import check_address, run_until_stopped

__all__ = ["DynamoDBApp", "Limits", "Listener", "check_address", "run_until_stopped"]

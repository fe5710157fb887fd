"""Any driver on the wire, for every DynamoDB client."""

from singletable.server.app import DynamoDBApp

__all__ = ["DynamoDBApp"]

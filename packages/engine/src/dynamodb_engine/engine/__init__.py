"""DynamoDB in one process: in memory, on one SQLite file, or on a SQL server that others share."""

from dynamodb_engine.engine.engine import AsyncEngine, Engine
from dynamodb_engine.engine.settings import Delays, Retention, Settings, StreamShards

__all__ = ["AsyncEngine", "Delays", "Engine", "Retention", "Settings", "StreamShards"]

"""DynamoDB in one process, on one SQLite file or in memory."""

from dynamodb_engine.engine.engine import AsyncEngine, Engine
from dynamodb_engine.engine.settings import Delays, Retention, Settings, StreamShards

__all__ = ["AsyncEngine", "Delays", "Engine", "Retention", "Settings", "StreamShards"]

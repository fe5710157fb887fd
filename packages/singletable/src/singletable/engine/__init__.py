"""DynamoDB in one process, on one SQLite file or in memory."""

from singletable.engine.engine import AsyncEngine, Engine
from singletable.engine.settings import Delays, Retention, Settings, StreamShards

__all__ = ["AsyncEngine", "Delays", "Engine", "Retention", "Settings", "StreamShards"]

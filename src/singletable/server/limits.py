"""How much a client may ask of the process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What is too much of each, and what takes too long."""

    body: int = 16 * 1024 * 1024
    headers: int = 64 * 1024
    connections: int = 1000
    waiting: int = 32  # requests on one connection that are read but not answered
    idle: float = 60  # seconds without a byte
    request: float = 60  # seconds that a request may take to arrive

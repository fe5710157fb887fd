"""What goes through a listener's sockets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Traffic:
    """Connections and bytes, counted by the listener that they pass."""

    connections: int = 0
    connected: int = 0
    received: int = 0
    sent: int = 0

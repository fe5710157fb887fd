"""What an endpoint tells of the requests it answers."""

from singletable.server.observe.access_log import AccessLog
from singletable.server.observe.capacity import metered
from singletable.server.observe.exchange import Exchange
from singletable.server.observe.metrics import Metrics
from singletable.server.observe.observer import Observer
from singletable.server.observe.traffic import Traffic

__all__ = ["AccessLog", "Exchange", "Metrics", "Observer", "Traffic", "metered"]

"""Measure and log the requests of an endpoint."""

from singletable.server.observe.access_log import AccessLog as AccessLog
from singletable.server.observe.exchange import Exchange as Exchange
from singletable.server.observe.exchange import execute_metered as execute_metered
from singletable.server.observe.metrics import Metrics as Metrics
from singletable.server.observe.metrics import Traffic as Traffic
from singletable.server.observe.observer import METRICS_PATH as METRICS_PATH
from singletable.server.observe.observer import Observer as Observer

"""Measure and log the requests of an endpoint."""

from dynamodb_engine.server.observe.access_log import AccessLog as AccessLog
from dynamodb_engine.server.observe.exchange import Exchange as Exchange
from dynamodb_engine.server.observe.exchange import execute_metered as execute_metered
from dynamodb_engine.server.observe.metrics import Metrics as Metrics
from dynamodb_engine.server.observe.metrics import Traffic as Traffic
from dynamodb_engine.server.observe.observer import METRICS_PATH as METRICS_PATH
from dynamodb_engine.server.observe.observer import Observer as Observer

"""Handle DescribeEndpoints."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.operations import DescribeEndpoints, DescribeEndpointsOutput, Endpoint

CACHE_MINUTES = 1440


def run(request: DescribeEndpoints, session: Session) -> DescribeEndpointsOutput:
    """Return the AWS endpoint of the region, valid for a day."""
    address = f"dynamodb.{session.settings.region}.amazonaws.com"
    return DescribeEndpointsOutput([Endpoint(address, CACHE_MINUTES)])

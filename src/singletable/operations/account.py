"""Operations on tags and on the account."""

from __future__ import annotations

from singletable.operations.operation import Operation, Shape
from singletable.operations.shapes import Tag


class EmptyOutput(Shape, frozen=True):
    """It was done; there is nothing to tell."""


class TagResource(Operation[EmptyOutput], frozen=True):
    """Put tags on a table."""

    resource_arn: str
    tags: list[Tag]


class UntagResource(Operation[EmptyOutput], frozen=True):
    """Take tags from a table."""

    resource_arn: str
    tag_keys: list[str]


class ListTagsOfResourceOutput(Shape, frozen=True):
    """The tags of a table."""

    tags: list[Tag]
    next_token: str | None = None


class ListTagsOfResource(Operation[ListTagsOfResourceOutput], frozen=True):
    """Ask for the tags of a table."""

    resource_arn: str
    next_token: str | None = None


class DescribeLimitsOutput(Shape, frozen=True):
    """The most that may be provisioned."""

    account_max_read_capacity_units: int
    account_max_write_capacity_units: int
    table_max_read_capacity_units: int
    table_max_write_capacity_units: int


class DescribeLimits(Operation[DescribeLimitsOutput], frozen=True):
    """Ask for the account's limits."""


class Endpoint(Shape, frozen=True):
    """Where to send requests."""

    address: str
    cache_period_in_minutes: int


class DescribeEndpointsOutput(Shape, frozen=True):
    """Where to send requests."""

    endpoints: list[Endpoint]


class DescribeEndpoints(Operation[DescribeEndpointsOutput], frozen=True):
    """Ask where to send requests."""

"""What an operation needs to be allowed: the actions, on which resources, about which items."""

from singletable.server.guard.needs.attributes import attributes_of
from singletable.server.guard.needs.need import Need, Part
from singletable.server.guard.needs.operations import needs_of
from singletable.server.guard.needs.partitions import partition_values
from singletable.server.guard.needs.resources import Place

__all__ = ["Need", "Part", "Place", "attributes_of", "needs_of", "partition_values"]

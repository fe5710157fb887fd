"""The condition keys that a policy may use, as AWS spells them; whose case does not matter."""

from __future__ import annotations

# The values of an item's first, second, third and fourth partition key attribute. Tables have one
# such attribute, and global secondary indexes up to four.
PARTITION_KEYS = {
    "dynamodb:LeadingKeys": 0,
    "dynamodb:FirstPartitionKeyValues": 0,
    "dynamodb:SecondPartitionKeyValues": 1,
    "dynamodb:ThirdPartitionKeyValues": 2,
    "dynamodb:FourthPartitionKeyValues": 3,
}
# Keys with several values: a test of one must say whether it is about all of them or any.
SEVERAL = (*PARTITION_KEYS, "dynamodb:Attributes")
OF_REQUESTS = (
    *SEVERAL,
    "dynamodb:EnclosingOperation",
    "dynamodb:ReturnConsumedCapacity",
    "dynamodb:ReturnValues",
    "dynamodb:Select",
)

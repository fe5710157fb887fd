"""The actions of DynamoDB that a policy may name, as IAM's reference lists them."""

from __future__ import annotations

from singletable.operations.registry import OPERATIONS

# Those that singletable has no operation for are here too: a policy that names them is right.
_DYNAMODB = """
    AssociateTableReplica BatchGetItem BatchWriteItem ConditionCheckItem CreateBackup
    CreateGlobalTable CreateGlobalTableWitness CreateTable CreateTableReplica DeleteBackup
    DeleteGlobalTableWitness DeleteItem DeleteResourcePolicy DeleteTable DeleteTableReplica
    DescribeBackup DescribeContinuousBackups DescribeContributorInsights DescribeEndpoints
    DescribeExport DescribeGlobalTable DescribeGlobalTableSettings DescribeImport
    DescribeKinesisStreamingDestination DescribeLimits DescribeReservedCapacity
    DescribeReservedCapacityOfferings DescribeStream DescribeTable DescribeTableReplicaAutoScaling
    DescribeTimeToLive DisableKinesisStreamingDestination EnableKinesisStreamingDestination
    ExportTableToPointInTime GetAbacStatus GetItem GetRecords GetResourcePolicy GetShardIterator
    ImportTable InjectError ListBackups ListContributorInsights ListExports ListGlobalTables
    ListImports ListStreams ListTables ListTagsOfResource PartiQLDelete PartiQLInsert PartiQLSelect
    PartiQLUpdate PurchaseReservedCapacityOfferings PutItem PutResourcePolicy Query
    ReadDataForReplication ReplicateSettings RestoreTableFromAwsBackup RestoreTableFromBackup
    RestoreTableToPointInTime Scan StartAwsBackupJob TagResource UntagResource UpdateAbacStatus
    UpdateContinuousBackups UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings
    UpdateGlobalTableVersion UpdateItem UpdateKinesisStreamingDestination UpdateTable
    UpdateTableReplicaAutoScaling UpdateTimeToLive WriteDataForReplication
""".split()  # noqa: SIM905 (a page of names reads better than a page of quotes)
ACTIONS = (
    *(f"dynamodb:{name}" for name in _DYNAMODB),
    *(spec.action for spec in OPERATIONS.values() if spec.service == "singletable"),
)
SERVICES = ("dynamodb", "singletable")

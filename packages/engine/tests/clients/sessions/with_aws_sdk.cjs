// A session with the AWS SDK for JavaScript: its client and its document client.
'use strict'

const assert = require('node:assert/strict')
const {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  PutItemCommand,
  ResourceNotFoundException,
  TagResourceCommand,
  TransactionCanceledException,
  UpdateTimeToLiveCommand,
  paginateListTables,
  waitUntilTableExists,
  waitUntilTableNotExists,
} = require('@aws-sdk/client-dynamodb')
const {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} = require('@aws-sdk/lib-dynamodb')

const TableName = 'aws-sdk'
const client = new DynamoDBClient({})
const documents = DynamoDBDocumentClient.from(client)
const waiting = { client, minDelay: 1, maxDelay: 1, maxWaitTime: 30 }

async function main() {
  await checkCreateTable()
  await checkItemOfEveryType()
  await checkDocumentClient()
  await checkConditionalUpdate()
  await checkBatchesAndPages()
  await checkCanceledTransaction()
  await checkTagsAndTtl()
  await checkErrors()
  await client.send(new DeleteTableCommand({ TableName }))
  await waitUntilTableNotExists(waiting, { TableName })
}

async function checkCreateTable() {
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [
        { AttributeName: 'election', AttributeType: 'S' },
        { AttributeName: 'number', AttributeType: 'N' },
        { AttributeName: 'voter', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'election', KeyType: 'HASH' },
        { AttributeName: 'number', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by_voter',
          KeySchema: [{ AttributeName: 'voter', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  )
  assert.ok(TableDescription.CreationDateTime instanceof Date)
  await waitUntilTableExists(waiting, { TableName })
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  assert.equal(Table.GlobalSecondaryIndexes[0].IndexStatus, 'ACTIVE')
  const names = []
  for await (const page of paginateListTables({ client, pageSize: 1 }, {})) names.push(...page.TableNames)
  assert.ok(names.includes(TableName))
}

async function checkItemOfEveryType() {
  const Item = {
    election: { S: 'mayor' },
    number: { N: '1' },
    share: { N: '0.1234567890123456789012345678901234567' },
    seal: { B: new Uint8Array([0, 255]) },
    ranking: { L: [{ S: 'lee' }, { NULL: true }] },
    ward: { M: { name: { S: 'Grünau' }, open: { BOOL: true } } },
    names: { SS: ['ada', 'lovelace'] },
    years: { NS: ['1815', '1852'] },
    marks: { BS: [new Uint8Array([1]), new Uint8Array([2])] },
  }
  await client.send(new PutItemCommand({ TableName, Item }))
  const got = await client.send(
    new GetItemCommand({
      TableName,
      Key: { election: Item.election, number: Item.number },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  assert.deepEqual(got.Item, Item)
  assert.deepEqual(got.ConsumedCapacity, { TableName, CapacityUnits: 0.5 })
  assert.equal(got.$metadata.attempts, 1)
  assert.match(got.$metadata.requestId, /^[A-Z0-9]{52}$/)
}

async function checkDocumentClient() {
  const Item = {
    election: 'mayor',
    number: 2,
    share: 0.5,
    seal: new Uint8Array([0, 255]),
    names: new Set(['ada', 'lovelace']),
    years: new Set([1815, 1852]),
    ranking: ['lee', null, { deep: [true, 1.5, ''] }],
  }
  await documents.send(new PutCommand({ TableName, Item }))
  const Key = { election: 'mayor', number: 2 }
  assert.deepEqual((await documents.send(new GetCommand({ TableName, Key }))).Item, Item)
  const exact = NumberValue.from('12345678901234567890123456789012345678')
  await documents.send(new PutCommand({ TableName, Item: { ...Key, exact } }))
  // A separate client: the options of a document client apply to all that share its client.
  const wide = DynamoDBDocumentClient.from(new DynamoDBClient({}), { unmarshallOptions: { wrapNumbers: true } })
  assert.equal((await wide.send(new GetCommand({ TableName, Key }))).Item.exact.value, exact.value)
  const removed = await documents.send(new DeleteCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }))
  assert.equal(removed.Attributes.number, 2)
}

async function checkConditionalUpdate() {
  const vote = {
    TableName,
    Key: { election: 'mayor', number: 3 },
    UpdateExpression: 'SET voter = :ada ADD #count :one',
    ConditionExpression: 'attribute_not_exists(voter)',
    ExpressionAttributeNames: { '#count': 'count' },
    ExpressionAttributeValues: { ':ada': 'ada', ':one': 1 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
  const made = await documents.send(new UpdateCommand({ ...vote, ReturnValues: 'ALL_NEW' }))
  assert.deepEqual(made.Attributes, { ...vote.Key, voter: 'ada', count: 1 })
  await assert.rejects(documents.send(new UpdateCommand(vote)), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException)
    assert.equal(error.message, 'The conditional request failed')
    assert.deepEqual(error.Item.voter, { S: 'ada' })
    return true
  })
}

async function checkBatchesAndPages() {
  for (const start of [0, 25]) {
    const numbers = Array.from({ length: 25 }, (_, index) => start + index)
    const items = numbers.map((number) => ({ election: 'council', number, voter: `voter ${number % 2}` }))
    const written = await documents.send(
      new BatchWriteCommand({ RequestItems: { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) } }),
    )
    assert.deepEqual(written.UnprocessedItems, {})
  }
  const Keys = [1, 2, 404].map((number) => ({ election: 'council', number }))
  const read = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }))
  assert.deepEqual(read.Responses[TableName].map((item) => item.number).sort(), [1, 2])

  const pages = []
  const byVoter = {
    TableName,
    IndexName: 'by_voter',
    KeyConditionExpression: 'voter = :voter',
    ExpressionAttributeValues: { ':voter': 'voter 1' },
  }
  for await (const page of paginateQuery({ client: documents, pageSize: 10 }, byVoter)) pages.push(page.Count)
  assert.deepEqual(pages, [10, 10, 5])
  const last = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'election = :council AND #number BETWEEN :low AND :high',
      ExpressionAttributeNames: { '#number': 'number' },
      ExpressionAttributeValues: { ':council': 'council', ':low': 10, ':high': 19 },
      ScanIndexForward: false,
      Limit: 2,
    }),
  )
  assert.deepEqual(last.Items.map((item) => item.number), [19, 18])
  assert.deepEqual(last.LastEvaluatedKey, { election: 'council', number: 18 })

  let scanned = 0
  for await (const page of paginateScan({ client: documents, pageSize: 20 }, { TableName })) scanned += page.Count
  assert.equal(scanned, 52)
}

async function checkCanceledTransaction() {
  const Key = { election: 'referendum', number: 1 }
  const create = { Put: { TableName, Item: Key, ConditionExpression: 'attribute_not_exists(election)' } }
  const add = {
    Update: { TableName, Key: { ...Key, number: 2 }, UpdateExpression: 'ADD yes :one', ExpressionAttributeValues: { ':one': 1 } },
  }
  const token = { ClientRequestToken: TableName }
  await documents.send(new TransactWriteCommand({ TransactItems: [add, create], ...token }))
  await documents.send(new TransactWriteCommand({ TransactItems: [add, create], ...token }))
  await assert.rejects(documents.send(new TransactWriteCommand({ TransactItems: [add, create] })), (error) => {
    assert.ok(error instanceof TransactionCanceledException)
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['None', 'ConditionalCheckFailed'])
    return true
  })
  const Gets = [2, 404].map((number) => ({ Get: { TableName, Key: { ...Key, number } } }))
  const read = await documents.send(new TransactGetCommand({ TransactItems: Gets }))
  assert.deepEqual(read.Responses, [{ Item: { ...Key, number: 2, yes: 1 } }, {}])
}

async function checkTagsAndTtl() {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const ResourceArn = Table.TableArn
  const Tags = [{ Key: 'team', Value: 'votes' }]
  await client.send(new TagResourceCommand({ ResourceArn, Tags }))
  assert.deepEqual((await client.send(new ListTagsOfResourceCommand({ ResourceArn }))).Tags, Tags)
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'expires' }
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
  assert.equal(TimeToLiveDescription.AttributeName, 'expires')
}

async function checkErrors() {
  const Key = { election: 'mayor', number: 1 }
  await assert.rejects(documents.send(new GetCommand({ TableName: 'nowhere', Key })), (error) => {
    assert.ok(error instanceof ResourceNotFoundException)
    assert.equal(error.$metadata.httpStatusCode, 400)
    return true
  })
  await assert.rejects(documents.send(new GetCommand({ TableName, Key: { election: 'mayor' } })), (error) => {
    assert.ok(error instanceof DynamoDBServiceException)
    assert.equal(error.name, 'ValidationException')
    assert.equal(error.message, 'The provided key element does not match the schema')
    return true
  })
  const writes = { RequestItems: { [TableName]: [] } }
  await assert.rejects(client.send(new BatchWriteItemCommand(writes)), { name: 'ValidationException' })
  await assert.rejects(client.send(new ListTablesCommand({ Limit: 101 })), { name: 'ValidationException' })
}

main()

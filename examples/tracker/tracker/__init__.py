"""An issue tracker on one DynamoDB table: entities, access patterns and a web API."""

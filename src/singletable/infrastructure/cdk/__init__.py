"""A construct of the AWS CDK, in Python, for declared tables."""

from singletable.infrastructure.cdk.module import cdk

__all__ = ["cdk"]

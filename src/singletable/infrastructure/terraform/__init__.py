"""Terraform configuration for declared tables."""

from singletable.infrastructure.terraform.document import terraform

__all__ = ["terraform"]

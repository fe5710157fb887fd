"""A CloudFormation template for declared tables."""

from singletable.infrastructure.cloudformation.template import cloudformation, template_of

__all__ = ["cloudformation", "template_of"]

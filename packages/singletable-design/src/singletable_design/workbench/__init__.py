"""Import and export models of NoSQL Workbench for DynamoDB."""

from singletable_design.workbench.exporter import ExportedModel, export_model
from singletable_design.workbench.importer import Facet, ModelTable, read_model

__all__ = ["ExportedModel", "Facet", "ModelTable", "export_model", "read_model"]

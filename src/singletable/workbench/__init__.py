"""NoSQL Workbench models in and out."""

from singletable.workbench.exporting import Exported, export_model
from singletable.workbench.importing import Facet, ModelTable, read_model

__all__ = ["Exported", "Facet", "ModelTable", "export_model", "read_model"]

"""A design as a person reads it."""

from singletable.documents.document import text_alone
from singletable.documents.kept import check_documents, write_documents

__all__ = ["check_documents", "text_alone", "write_documents"]

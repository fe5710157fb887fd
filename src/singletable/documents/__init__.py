"""A design as a person reads it."""

from singletable.documents.document import text_alone
from singletable.documents.kept import check_docs, write_documents

__all__ = ["check_docs", "text_alone", "write_documents"]

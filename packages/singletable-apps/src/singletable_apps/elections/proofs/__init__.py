"""Proofs that voters can check on their own: receipts, signatures and inclusion in the count."""

"""Cast vote records in JSON, as NIST SP 1500-103 has them."""

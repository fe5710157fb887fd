"""Cut the power, on paper: what was written but not synced may be there, gone or torn."""

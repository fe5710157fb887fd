"""Elections: registered voters rank candidates, and everybody can see how it was counted."""

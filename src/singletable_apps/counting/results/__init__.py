"""What each method gives beside places: one file a method."""

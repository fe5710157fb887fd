"""Events and the bookings of their seats, on one table."""

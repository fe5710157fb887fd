"""Let many clients write and read at once, and judge whether it was as if they took turns."""

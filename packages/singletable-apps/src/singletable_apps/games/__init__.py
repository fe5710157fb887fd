"""Live audience games: call-and-answer, trivia, polls and surveys, with phones as controllers."""

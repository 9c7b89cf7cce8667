"""What tools/lab/reproduce does."""

"""What tools/lab/measure-gpu takes and shows: cases, logs, figures, checks, tables."""

"""What tools/measure-gpu takes and shows: cases, logs, figures, checks, tables, plots."""

"""The parts of tools/lab/measure-vectors-gpu."""

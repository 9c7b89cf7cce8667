"""The parts of tools/lab/measure-several-gpus."""

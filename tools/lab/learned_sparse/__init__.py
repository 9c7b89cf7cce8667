"""Parts of tools/lab/measure-sparse."""

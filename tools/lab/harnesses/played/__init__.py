"""Runs harnesses of other projects with our adapters."""

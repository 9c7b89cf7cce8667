"""A cluster over HTTP: searches by the addresses, parameters and answers of `warpdex serve`
(docs/server.md), from the cluster's broker."""

from __future__ import annotations

from .server import HttpServer, HttpSettings

__all__ = ["HttpServer", "HttpSettings"]

"""Progress bars, where tqdm is installed and standard error is a terminal."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any


class Bar:
    """A bar of tqdm, or nothing."""

    def __init__(self, wanted: bool, unit: str, total: int | None = None) -> None:
        self._bar: Any = None
        self._stage = ""
        if not wanted:
            return
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            return
        self._bar = tqdm(total=total, unit=" " + unit, disable=None)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def on_added(self) -> Callable[[int], None] | None:
        """What is called when so many more are done; None where nothing is shown."""
        return None if self._bar is None or self._bar.disable else self.add

    def add(self, count: int) -> None:
        """So many more are done."""
        if self._bar is not None:
            self._bar.update(count)

    def show_part(self, stage: str, done: int, total: int) -> None:
        """A stage of work, and how much of it is done."""
        if self._bar is None:
            return
        if self._stage != stage:
            self._stage = stage
            self._bar.reset(total)
            self._bar.set_description(stage)
        self._bar.update(done - self._bar.n)

    def show(self, stage: str, done: int, total: int) -> None:
        """What a build is at."""
        if self._bar is None:
            return
        if stage == "writing":
            self._bar.set_postfix_str(f"writing {done:,} of {total:,} postings")
        else:
            self._bar.update(done - self._bar.n)

"""What all harnesses' runs share."""
import contextlib
import os
import queue
import shutil
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def install(adapter, target):
    """Copies an adapter's folder to its place in a checkout."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(adapter, target, ignore=shutil.ignore_patterns("__pycache__"))


class InThisProcess:
    """In the place of a harness's multiprocessing: its worker runs here, once its queue is filled. Of
    the harness's own, a worker that starts before that finds nothing to do, and ends."""
    Queue = queue.Queue
    cpu_count = staticmethod(os.cpu_count)

    class Process:
        def __init__(self, target, args):
            self._target, self._args = target, args

        def start(self):
            """Goes on with the next of the queue where one fails."""
            waiting = next(each for each in self._args if isinstance(each, queue.Queue))
            while not waiting.empty():
                try:
                    self._target(*self._args)
                except Exception:
                    traceback.print_exc()

        def join(self):
            pass

        def terminate(self):
            pass


@contextlib.contextmanager
def working_in(folder, *paths):
    """In a folder, with these paths importable, as the harness expects."""
    before, argv = Path.cwd(), sys.argv
    os.chdir(folder)
    sys.path[:0] = map(str, paths)
    try:
        yield
    finally:
        os.chdir(before)
        del sys.path[:len(paths)]
        sys.argv = argv

"""A load of searches, of which each answer is compared with one index's."""
import random
import threading
import time

import numpy as np

LATE = 0.1  # seconds behind the deadline
BATCH = 20


class Expected:
    """What one index answers to each query."""

    def __init__(self, searcher, queries, k):
        self.queries = queries
        self.k = k
        self._answers = {}
        for query in queries:
            hits = searcher.search(query, k)
            self._answers[query] = (hits.ids, [np.float32(hit.score) for hit in hits])

    def is_right(self, query, answer):
        ids, scores = self._answers[query]
        return answer.ids == ids and list(answer.scores) == scores and answer.is_complete


class Load:
    """Asks all the time, single queries and batches in turn, by several threads."""

    def __init__(self, clients, expected, deadline):
        self._expected = expected
        self._deadline = deadline
        self._is_over = threading.Event()
        self._lock = threading.Lock()
        self.seconds = []
        self.wrong = []
        self.failed = []
        self._began = time.monotonic()
        self._stall = 0.0
        self._threads = [threading.Thread(target=self._watch, daemon=True)]
        self._threads += [threading.Thread(target=self._run, args=(client, number), daemon=True)
                         for number, client in enumerate(clients)]
        for each in self._threads:
            each.start()

    def _watch(self):
        """How long this process waits for a processor, at most: no answer can be sooner."""
        while not self._is_over.is_set():
            begin = time.monotonic()
            time.sleep(0.01)
            self._stall = max(self._stall, time.monotonic() - begin - 0.01)

    def _run(self, client, number):
        generator = random.Random(number)
        while not self._is_over.wait(0.005):
            size = generator.choice([1, BATCH])
            queries = generator.sample(self._expected.queries, size)
            begin = time.monotonic()
            try:
                if size == 1:
                    answers = [client.search(queries[0], self._expected.k, deadline=self._deadline)]
                else:
                    answers = client.search_batch(queries, self._expected.k,
                                                  deadline=self._deadline)
            except Exception as error:
                answers = []
                with self._lock:
                    at = time.monotonic() - self._began
                    self.failed.append(f"at {at:.1f} s: {type(error).__name__}: {error}")
            seconds = time.monotonic() - begin
            wrong = [query for query, answer in zip(queries, answers)
                     if not self._expected.is_right(query, answer)]
            with self._lock:
                self.seconds.append(seconds)
                self.wrong += wrong

    def stop(self):
        """What came of it, as values for JSON: times in milliseconds, of requests."""
        self._is_over.set()
        for each in self._threads:
            each.join()
        times = sorted(self.seconds)
        late = sum(each > self._deadline + LATE for each in times)
        at = {f"p{share:g}": round(1000 * times[min(len(times) - 1, int(share / 100 * len(times)))], 1)
              for share in (50, 99, 99.9)}
        return {"requests": len(times), "wrong": len(self.wrong), "failed": len(self.failed),
                "late": late, **at, "longest": round(1000 * times[-1], 1),
                "stall": round(1000 * self._stall, 1), "failures": self.failed[:3] + self.failed[3:][-3:]}

"""A commit every second while clients search: no request fails, and each answer is of one commit.
Run as: rolling_test.py SOURCE_FOLDER WARPDEX. 10 seconds; 5 minutes with WARPDEX_FULL_TESTS=1."""

import json
import os
import sys
import threading
import time
import unittest

import serving

COMMITS = 300 if os.environ.get("WARPDEX_FULL_TESTS") else 10
DOCUMENTS = 20
NDJSON = {"Content-Type": "application/x-ndjson"}


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


class Reader(threading.Thread):
    """Searches by one way until told to end. `told` has (commit, marks) of each answer."""

    def __init__(self, server, ends, ask):
        super().__init__()
        self.server, self.ends, self.ask_once = server, ends, ask
        self.told = []
        self.failures = []

    def run(self):
        self.connection = self.server.connect()
        try:
            while not self.ends.is_set():
                self.told += self.ask_once(self)
                time.sleep(0.005)
        except Exception as error:  # told by the test, since this is a thread
            self.failures.append(repr(error))
        self.connection.close()

    def ask(self, method, target, body=None, headers=None):
        answer = self.server.ask(method, target, body, headers, self.connection)
        if answer.status != 200:
            raise AssertionError(f"{target}: {answer.status} {answer.body}")
        return answer


def marks(answer):
    return answer["commit"], [hit["fields"]["mark"] for hit in answer["hits"]]


def by_address(reader):
    return [marks(reader.ask("GET", "/v1/rolling/search?q=all&k=100&fields=mark").json())]


def by_words_and_vector(reader):
    asked = {"q": "all", "vector": [1, 0], "k": 100, "fields": ["mark"], "fusion_depth": 100}
    return [marks(reader.ask("POST", "/v1/rolling/search", asked).json())]


def by_batch(reader):
    asked = [{"q": "all", "k": 100, "fields": ["mark"]}] * 5
    body = reader.ask("POST", "/v1/rolling/search/batch", lines(asked), NDJSON).body
    return [marks(json.loads(line)) for line in body.splitlines()]


def by_opensearch(reader):
    asked = {"query": {"match": {"text": "all"}}, "size": 100}
    told = reader.ask("POST", "/rolling/_search", asked).json()["hits"]
    if told["total"] != {"value": DOCUMENTS, "relation": "eq"}:
        raise AssertionError(told["total"])
    return [(None, [hit["_source"]["mark"] for hit in told["hits"]])]


class Rolling(serving.ServerTest):
    """Each commit changes all documents, which then have its number as their mark, and puts one
    in the place of another."""

    def test_each_answer_is_of_one_commit(self):
        answer = self.ask("PUT", "/v1/rolling", {"analyzer": "whitespace", "store": ["mark"],
                                                 "vectors": {"dimension": 2}})
        self.assertEqual(201, answer.status, answer.body)
        self.commits = {}  # a commit's number -> its mark
        self.write(0)
        ends = threading.Event()
        readers = [Reader(self.server, ends, ask)
                   for ask in (by_address, by_words_and_vector, by_batch, by_opensearch)]
        for reader in readers:
            reader.start()
        try:
            for number in range(1, COMMITS + 1):
                time.sleep(1)
                self.write(number)
        finally:
            ends.set()
            for reader in readers:
                reader.join()
        for reader in readers:
            self.check(reader)
        print(f"Rolling: {len(self.commits)} commits, answers: "
              f"{[len(reader.told) for reader in readers]}", file=sys.stderr)

    def change(self, items):
        answer = self.ask("POST", "/v1/rolling/bulk", lines(items), headers=NDJSON)
        self.assertEqual((200, 0), (answer.status, answer.json()["failed"]), answer.body)

    def commit(self, target, number):
        answer = self.ask("POST", target)
        self.assertEqual(200, answer.status, answer.body)
        self.commits[answer.json()["commit"]] = str(number)

    def write(self, number):
        """Several requests, of which searches see nothing before the commit."""
        names = [f"r{i}" for i in range(number, number + DOCUMENTS)]
        put = [{"put": {"id": name, "text": f"all {name}", "fields": {"mark": str(number)},
                        "vector": [1, i]}} for i, name in enumerate(names)]
        half = self.random.randrange(1, DOCUMENTS)
        self.change(put[:half])
        if number > 0:
            self.change([{"delete": {"id": f"r{number - 1}"}}])
        self.change(put[half:])
        self.commit("/v1/rolling/commit", number)
        if number % 7 == 6:
            self.commit("/v1/rolling/merge?all=true", number)

    def check(self, reader):
        self.assertEqual([], reader.failures)
        self.assertGreater(len(reader.told), COMMITS)
        last = 0
        for commit, marks_told in reader.told:
            self.assertEqual([marks_told[0]] * DOCUMENTS, marks_told)
            if commit is not None:
                self.assertEqual(self.commits[commit], marks_told[0])
            self.assertLessEqual(last, int(marks_told[0]))
            last = int(marks_told[0])
        self.assertGreater(len({marks_told[0] for _, marks_told in reader.told}), COMMITS // 2)


if __name__ == "__main__":
    serving.run()

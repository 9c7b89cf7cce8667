"""kill -9 at random moments while several clients change an index, by both faces. After each
restart the documents are those that were acknowledged: none is missing, none is there twice,
none came back. A change without an answer may have happened or not, but not in part.
Run as: kills_test.py SOURCE_FOLDER WARPDEX. 200 kills with WARPDEX_FULL_TESTS=1."""

import http.client
import json
import os
import random
import signal
import sys
import tempfile
import threading
import unittest
from urllib.parse import quote

import serving

KILLS = 200 if os.environ.get("WARPDEX_FULL_TESTS") else 8
CLIENTS = 4
IDS = 150  # of each client, which alone changes them
MAPPING = {"mappings": {"properties": {"body": {"type": "text", "analyzer": "whitespace"},
                                       "note": {"type": "keyword", "index": False}}}}
NDJSON = {"Content-Type": "application/x-ndjson"}
GONE = (OSError, http.client.HTTPException)


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


class Client:
    """Changes documents one request after another until the server is gone. `kept` has what is
    acknowledged: an id's fields. `unsure` has, after the end, what the last request may have made
    of its ids: all that each of them may be now; None is no document."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(seed)
        self.kept = {}
        self.unsure = {}
        self.versions = 0
        self.requests = 0
        self.items = 0
        self.failures = []

    def run(self, server):
        self.server = server
        self.connection = server.connect()
        try:
            while not self.failures:
                self.change()
        except GONE:
            pass
        except Exception as error:  # told by the test, since this is a thread
            self.failures.append(repr(error))
        self.connection.close()

    def change(self):
        chosen = self.random.random()
        if chosen < 0.40:
            self.bulk()
        elif chosen < 0.80:
            self.opensearch_bulk()
        elif chosen < 0.96:
            self.single()
        elif chosen < 0.99:
            self.ask("POST", self.random.choice(["/v1/k/commit", "/k/_refresh"]))
        else:
            self.ask("POST", "/v1/k/merge?all=true")

    def ask(self, method, target, body=None, headers=None, wanted=(200,)):
        answer = self.server.ask(method, target, body, headers, self.connection)
        self.requests += 1
        if answer.status not in wanted:
            self.failures.append((method, target, answer.status, answer.body))
        return answer.json()

    def new_fields(self):
        """Of a version of its own, which both say. The text has 3 to 502 words."""
        self.versions += 1
        version = f"v{self.number}x{self.versions}"
        count = self.random.choice([1, 1, 1, 5, 50, 500])
        return {"body": f"all {version} " + " ".join([version[::-1]] * count), "note": version}

    def chosen_ids(self, most):
        return [f"c{self.number}/{self.random.randrange(IDS)}"
                for _ in range(self.random.randint(1, most))]

    def plan(self, steps):
        """What steps (id, action, fields) make of the ids, and their statuses. Until the answer,
        each id is unsure."""
        after, wanted = dict(self.kept), []
        self.unsure = {name: [self.kept.get(name)] for name, _, _ in steps}
        for name, action, fields in steps:
            there = after.get(name)
            if action == "delete":
                wanted.append(200 if there else 404)
                after.pop(name, None)
            elif (action == "add" and there) or (action == "update" and not there):
                wanted.append(409 if there else 404)
            else:
                wanted.append(200 if there else 201)
                after[name] = {**there, **fields} if action == "update" else fields
            self.unsure[name].append(after.get(name))
        return after, wanted

    def acknowledge(self, after, wanted, told):
        if told != wanted:
            self.failures.append((wanted, told))
        self.kept, self.unsure = after, {}
        self.items += len(wanted)

    def steps(self, actions):
        for name in self.chosen_ids(12):
            action = self.random.choice(actions)
            fields = None if action == "delete" else self.new_fields()
            if action == "update" and self.random.random() < 0.5:
                del fields["body"]
            yield name, action, fields

    def bulk(self):
        steps = list(self.steps(["put", "put", "add", "delete"]))
        after, wanted = self.plan(steps)
        items = [{action: {"id": name} if fields is None else
                  {"id": name, "text": fields["body"], "fields": fields}}
                 for name, action, fields in steps]
        query = "?commit=true" if self.random.random() < 0.05 else ""
        told = self.ask("POST", "/v1/k/bulk" + query, lines(items), NDJSON)
        self.acknowledge(after, wanted, [item["status"] for item in told["items"]])

    def opensearch_bulk(self):
        actions = ["put", "put", "add", "delete"]
        if self.random.random() < 0.1:
            actions.append("update")  # which commits
        steps = list(self.steps(actions))
        after, wanted = self.plan(steps)
        items = []
        for name, action, fields in steps:
            items.append({{"put": "index", "add": "create"}.get(action, action): {"_id": name}})
            if fields is not None:
                items.append({"doc": fields} if action == "update" else fields)
        query = "?refresh=wait_for" if self.random.random() < 0.05 else ""
        told = self.ask("POST", "/k/_bulk" + query, lines(items), NDJSON)
        self.acknowledge(after, wanted,
                         [part["status"] for item in told["items"] for part in item.values()])

    def single(self):
        name = self.chosen_ids(1)[0]
        action = self.random.choice(["put", "put", "delete"])
        fields = None if action == "delete" else self.new_fields()
        after, wanted = self.plan([(name, action, fields)])
        if self.random.random() < 0.5:
            target, body = "/v1/k/documents/", fields and {"text": fields["body"], "fields": fields}
        else:
            target, body = "/k/_doc/", fields
        self.ask("DELETE" if fields is None else "PUT", target + quote(name, safe=""), body,
                 wanted=wanted)
        self.acknowledge(after, wanted, wanted)


class Kills(unittest.TestCase):
    def test_acknowledged_changes_outlive_the_process(self):
        seed = random.SystemRandom().randrange(2**32)
        print(f"Kills: seed {seed}", file=sys.stderr)
        self.random = random.Random(seed)
        self.clients = [Client(number, self.random.random()) for number in range(CLIENTS)]
        self.survivors = 0
        with tempfile.TemporaryDirectory() as folder:
            server = serving.Served(folder)
            self.assertEqual(200, server.ask("PUT", "/k", MAPPING).status)
            for number in range(KILLS):
                self.load_and_kill(server)
                if number % 4 == 3:
                    self.kill_at_opening(folder)
                server = serving.Served(folder)
                self.check(server)
            self.assertEqual(0, server.end())
        requests = sum(client.requests for client in self.clients)
        items = sum(client.items for client in self.clients)
        self.assertGreater(items, requests)
        print(f"Kills: {KILLS}, and {KILLS // 4} at opening; acknowledged: {items} changes, by "
              f"{requests} requests; {self.survivors} not acknowledged yet there", file=sys.stderr)

    def load_and_kill(self, server):
        threads = [threading.Thread(target=client.run, args=(server,)) for client in self.clients]
        for thread in threads:
            thread.start()
        timer = threading.Timer(self.random.uniform(0.02, 0.5),
                                lambda: server.raise_signal(signal.SIGKILL))
        timer.start()
        for thread in threads + [timer]:
            thread.join()
        self.assertEqual([], [client.failures for client in self.clients if client.failures])
        self.assertEqual(-signal.SIGKILL, server.end())

    def kill_at_opening(self, folder):
        """Another kill, while the journal is read and what was in it is committed."""
        server = serving.Served(folder)
        timer = threading.Timer(self.random.uniform(0, 0.05),
                                lambda: server.raise_signal(signal.SIGKILL))
        timer.start()
        try:
            server.ask("POST", "/v1/k/commit")
        except GONE:
            pass
        timer.join()
        self.assertEqual(-signal.SIGKILL, server.end())

    def check(self, server):
        commit = self.random.choice(["/v1/k/commit", "/k/_refresh"])
        self.assertEqual(200, server.ask("POST", commit).status)
        answer = server.get("/v1/k/search?q=all&k=10000&fields=body,note&snippets=false")
        hits = answer.json()["hits"]
        found = {hit["document"]: hit["fields"] for hit in hits}
        self.assertEqual(len(hits), len(found))
        self.assertEqual(len(hits), server.get("/v1/k").json()["documents"])
        self.assertEqual(len(hits), server.get("/k/_count").json()["count"])
        for client in self.clients:
            self.check_client(client, found)
        for name in self.random.sample(sorted(found), min(5, len(found))):
            self.check_document(server, name, found[name])

    def check_client(self, client, found):
        mine = {name: fields for name, fields in found.items()
                if name.startswith(f"c{client.number}/")}
        for name, possible in client.unsure.items():
            self.assertIn(mine.get(name), possible, name)
            self.survivors += mine.get(name) != possible[0]
        known = {name: fields for name, fields in client.kept.items() if name not in client.unsure}
        self.assertEqual(known, {name: fields for name, fields in mine.items()
                                 if name not in client.unsure})
        client.kept, client.unsure = mine, {}

    def check_document(self, server, name, fields):
        """It is found by its version's word, and alone; and it is as long as its text."""
        words = fields["body"].split()
        hits = server.get(f"/v1/k/search?q={words[1]}").json()["hits"]
        self.assertEqual([name], [hit["document"] for hit in hits])
        told = server.get("/v1/k/documents/" + quote(name, safe="")).json()
        self.assertEqual((fields, len(words)), (told["fields"], told["length"]))


if __name__ == "__main__":
    serving.run()

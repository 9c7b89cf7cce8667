"""Keys and their roles, hosts and origins, limits, logs, metrics, the ways a server ends.
Run as: guards_test.py SOURCE_FOLDER WARPDEX"""

import json
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import serving

READ, WRITE, ADMIN = "reading-key-0123456789", "writing-key-0123456789", "admin-key-0123456789ab"


class Keys(serving.ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.keys = Path(cls.place.name) / "keys"
        cls.keys.write_text(f"# keys\n\nread {READ}\nwrite\t{WRITE}\r\nadmin {ADMIN}\n")
        cls.access = Path(cls.place.name) / "access"
        cls.slow = Path(cls.place.name) / "slow"
        cls.options = ("--keys", cls.keys, "--host", "search.example", "--origin",
                       "https://page.example", "--access-log", cls.access, "--slow-log", cls.slow,
                       "--slow", "0")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.place.cleanup()

    def status(self, method, target, key=None, body=None, **headers):
        if key is not None:
            headers["Authorization"] = "Bearer " + key
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(method, target, body, headers=headers).status

    def test_each_role_may_do_what_it_may(self):
        document = ("PUT", "/v1/texts/documents/x")
        for key, search, change, make in ((None, 401, 401, 401), ("wrong-key-0123456789", 401, 401, 401),
                                          (READ, 200, 403, 403), (WRITE, 200, (200, 201), 403),
                                          (ADMIN, 200, (200, 201), (201, 409))):
            self.assertEqual(search, self.status("GET", "/v1/texts/search?q=w1", key))
            told = self.status(*document, key, {"text": "w1"})
            self.assertIn(told, change if isinstance(change, tuple) else (change,))
            told = self.status("PUT", "/v1/made", key, {})
            self.assertIn(told, make if isinstance(make, tuple) else (make,))

    def test_each_route_wants_a_key_but_health(self):
        described = json.loads(self.get("/openapi.json").body)
        count = 0
        for path, operations in described["paths"].items():
            for method in set(operations) - {"parameters"}:
                target = path.replace("{index}", "texts").replace("{id}", "d1")
                wanted = operations[method].get("security") == []
                told = self.status(method.upper(), target)
                self.assertEqual(wanted, told != 401, (method, path, told))
                count += 1
        self.assertGreater(count, 15)
        self.assertEqual(401, self.status("GET", "/nothing"))
        self.assertEqual(404, self.status("GET", "/nothing", READ))

    def test_forms_of_keys(self):
        self.assertEqual(200, self.status("GET", "/v1", X_API_Key=READ))
        self.assertEqual(200, self.status("GET", "/v1", Authorization="bearer " + READ))
        for header in ("Basic " + READ, READ, "Bearer", "Bearer ", "Bearer  " + READ,
                       "Bearer " + READ + "x", "Bearer " + READ[:-1], "Bearer " + "a" * 5000):
            self.assertEqual(401, self.status("GET", "/v1", Authorization=header), header)
        answer = self.get("/v1")
        self.assertEqual("Bearer", answer.headers["WWW-Authenticate"])

    def test_keys_are_read_again(self):
        before = self.keys.read_text()
        new = "another-key-0123456789"
        try:
            self.keys.write_text(f"read {new}\n")
            self.server.raise_signal(signal.SIGHUP)
            self.wait_for(lambda: self.status("GET", "/v1", new) == 200)
            self.assertEqual(401, self.status("GET", "/v1", READ))
            self.keys.write_text("nonsense\n")
            self.server.raise_signal(signal.SIGHUP)
            time.sleep(0.3)
            self.assertEqual(200, self.status("GET", "/v1", new))
        finally:
            self.keys.write_text(before)
            self.server.raise_signal(signal.SIGHUP)
        self.wait_for(lambda: self.status("GET", "/v1", READ) == 200)

    def wait_for(self, holds):
        for _ in range(100):
            if holds():
                return
            time.sleep(0.05)
        self.fail("it did not come about within 5 seconds")

    def test_hosts_and_origins(self):
        for host, wanted in (("search.example", 200), ("search.example:7700", 200),
                             ("localhost:1", 200), ("10.1.2.3", 200), ("[::1]:9", 200),
                             ("SEARCH.example", 200), ("evil.example", 403),
                             ("search.example.evil.example", 403), ("localhost.evil", 403),
                             ("1.2.3", 403), ("", 403)):
            self.assertEqual(wanted, self.status("GET", "/healthz", Host=host), host)
        for origin, wanted in (("https://page.example", 200), ("https://page.example.evil", 403),
                               ("http://page.example", 403), ("null", 403), ("http://h:1", 403),
                               (f"http://127.0.0.1:{self.server.port}", 200)):
            self.assertEqual(wanted, self.status("GET", "/healthz", Origin=origin), origin)
        answer = self.get("/healthz", headers={"Origin": "https://page.example"})
        self.assertEqual("https://page.example", answer.headers["Access-Control-Allow-Origin"])
        answer = self.ask("OPTIONS", "/v1/texts/search", headers={"Origin": "https://page.example"})
        self.assertEqual(204, answer.status)
        self.assertIn("POST", answer.headers["Access-Control-Allow-Methods"])
        self.assertIsNone(self.get("/healthz").headers["Access-Control-Allow-Origin"])
        self.assertEqual(401, self.status("OPTIONS", "/v1/texts/search"))

    def test_logs_are_json_without_secrets(self):
        secret = "w1 secretword"
        self.ask("POST", "/v1/texts/search", {"q": secret},
                 headers={"Authorization": "Bearer " + READ, "X-Request-ID": "logged-1"})
        self.get("/v1/texts/search?q=secretword", headers={"X-API-Key": READ})
        self.get("/v1/texts/search?q=secretword", headers={"X-API-Key": "wrong-secretword-key"})

        def lines(file):
            return [json.loads(line) for line in file.read_text().splitlines()]
        self.wait_for(lambda: any(line["request_id"] == "logged-1" for line in lines(self.access))
                      and any(line["request_id"] == "logged-1" for line in lines(self.slow)))
        line = next(line for line in lines(self.access) if line["request_id"] == "logged-1")
        self.assertEqual(("POST", "/v1/texts/search", "/v1/{index}/search", 200, "read"),
                         tuple(line[name] for name in ("method", "path", "route", "status", "role")))
        self.ask("POST", "/v1/texts/search/batch", '{"q": "secretword"}\n' * 3,
                 headers={"Authorization": "Bearer " + READ, "X-Request-ID": "logged-2",
                          "Content-Type": "application/x-ndjson"})
        self.wait_for(lambda: sum(line["request_id"] == "logged-2" for line in lines(self.slow))
                      == 3)
        for file in (self.access, self.slow):
            text = file.read_text()
            for hidden in ("secretword", READ, WRITE, ADMIN):
                self.assertNotIn(hidden, text)
        self.access.rename(str(self.access) + ".1")
        self.server.raise_signal(signal.SIGHUP)
        self.wait_for(self.access.exists)

    def test_metrics_are_in_the_form_of_prometheus(self):
        self.get("/v1/texts/search?q=w1", headers={"X-API-Key": READ})
        text = self.get("/metrics", headers={"X-API-Key": READ}).body.decode()
        kinds, values = {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split()
                self.assertNotIn(name, kinds, "each name has one TYPE")
                kinds[name] = kind
            elif not line.startswith("# HELP "):
                name, labels, value = re.fullmatch(
                    r'([a-z_]+)(\{(?:[a-z]+="[^"\\\n]*",?)*\})? (\S+)', line).groups()
                self.assertNotIn((name, labels), values, "each line is there once")
                values[name, labels or ""] = float(value)
                base = re.sub("_(bucket|sum|count)$", "", name)
                self.assertIn(kinds.get(name) or kinds.get(base), ("counter", "gauge", "histogram"))
        for name, kind in kinds.items():
            self.assertEqual(kind == "counter", name.endswith("_total"), name)
        self.check_histograms(kinds, values)
        self.assertEqual(400, values['warpdex_index_documents', '{index="texts"}'])

    def check_histograms(self, kinds, values):
        checked = 0
        for (name, labels), count in values.items():
            base = name.removesuffix("_count")
            if kinds.get(base) != "histogram" or base == name:
                continue
            inner = labels.strip("{}")
            buckets = [value for (other, its), value in values.items()
                       if other == base + "_bucket" and its.startswith("{" + inner + ",le=")]
            self.assertEqual(sorted(buckets), buckets)
            self.assertEqual(count, buckets[-1])
            checked += 1
        self.assertGreater(checked, 2)


class Limits(serving.ServerTest):
    options = ("--threads", "1", "--max-queue", "2", "--max-k", "50", "--max-words", "4",
               "--max-connections", "60")

    def test_a_full_queue_is_told(self):
        """More searches at once than may wait: some get 429 with Retry-After, at once."""
        slow = "/v1/texts/search?k=50&explain&fields=title,body&q=w0+w1+w2+w3"
        told = []

        def ask():
            client = self.server.connect()
            for _ in range(60):
                answer = self.server.get(slow, connection=client)
                told.append((answer.status, answer.headers["Retry-After"]))
            client.close()
        clients = [threading.Thread(target=ask) for _ in range(12)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual({(200, None), (429, "1")}, set(told))
        refused = re.search(r"^warpdex_searches_refused_total (\d+)",
                            self.get("/metrics").body.decode(), re.M)
        self.assertEqual(sum(status == 429 for status, _ in told), int(refused.group(1)))

    def test_limits_of_a_search(self):
        for query, wanted in (("q=a+b+c+d&k=50", 200), ("q=a+b+c+d+e", 400), ("q=a&k=51", 400),
                              ("q=a&k=20&from=31", 400), ("q=a&k=20&from=30", 200),
                              ("q=" + "a" * 70_000, 431)):
            self.assertEqual(wanted, self.get("/v1/texts/search?" + query).status, query[:40])
        self.assertEqual(400, self.ask("POST", "/v1/texts/search", {"q": "a" * 70_000}).status)

    def test_too_many_connections(self):
        clients = [self.server.open_socket() for _ in range(90)]
        time.sleep(0.2)
        closed = 0
        for client in clients:
            client.settimeout(0.01)
            try:
                closed += client.recv(1) == b""
            except TimeoutError:
                pass
            except ConnectionResetError:
                closed += 1
            client.close()
        self.assertGreaterEqual(closed, 30)
        time.sleep(0.2)
        self.assertEqual(200, self.get("/healthz").status)


class SlowSearches(serving.ServerTest):
    options = ("--threads", "1", "--max-p99", "1")

    def test_searches_are_refused_while_they_take_too_long(self):
        """Those of many clients take longer than a millisecond; those of one alone are answered."""
        slow = "/v1/texts/search?k=400&explain&fields=title,body&q=w0+w1+w2+w3"
        told = []

        def ask():
            client = self.server.connect()
            for _ in range(40):
                answer = self.server.get(slow, connection=client)
                told.append((answer.status, b"take too long" in answer.body))
            client.close()
        clients = [threading.Thread(target=ask) for _ in range(12)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual({(200, False), (429, True)}, set(told))
        self.assertEqual(200, self.get(slow).status)


class Ends(serving.ServerTest):
    def test_requests_under_way_are_answered_when_it_ends(self):
        server = serving.Served(self.root)
        lines = b'{"q": "w0 w1 w2", "k": 400, "fields": ["title", "body"]}\n' * 300
        with server.open_socket() as client, server.open_socket() as idle:
            client.sendall(b"POST /v1/texts/search/batch HTTP/1.1\r\nHost: localhost\r\n"
                           b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n"
                           % len(lines) + lines)
            received = client.recv(1000)
            server.raise_signal(signal.SIGTERM)
            while part := client.recv(1 << 20):
                received += part
            self.assertEqual(b"", idle.recv(10))
        self.assertTrue(received.endswith(b"\r\n0\r\n\r\n"), received[-100:])
        self.assertEqual(300, received.count(b'"took_us"'))
        self.assertEqual(0, server.end())

    def test_what_cannot_be_served(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "short").write_text("read short\n")
            for options, named in ((["/nothing"], "nothing"), ([], "folders"),
                                   ([self.root, "--listen", "0.0.0.0:0"], "--keys"),
                                   ([self.root, "--listen", "a"], "--listen"),
                                   ([self.root, "--listen", f"127.0.0.1:{self.server.port}"],
                                    "cannot be listened at"),
                                   ([self.root, "--keys", folder + "/short"], "line 1"),
                                   ([self.root, "--keys", folder + "/none"], "none"),
                                   ([self.root, self.root / "texts"], "two folders"),
                                   ([self.root, "--max-k", "0"], "--max-k")):
                run = subprocess.run([serving.PROGRAM, "serve", *map(str, options)],
                                     capture_output=True, text=True, timeout=60)
                self.assertIn(run.returncode, (1, 2), options)
                self.assertIn(named, run.stderr, options)

    def test_options_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "serve.json"
            config.write_text(json.dumps({"max-k": 7, "read-only": True, "host": ["a.example"],
                                          "threads": 1}))
            server = serving.Served(self.root, options=["--config", config, "--max-words", "3"])
            self.assertEqual(400, server.get("/v1/texts/search?q=w1&k=8").status)
            self.assertEqual(400, server.get("/v1/texts/search?q=a+b+c+d").status)
            self.assertEqual(200, server.get("/healthz", headers={"Host": "a.example"}).status)
            self.assertEqual(403, server.ask("PUT", "/v1/texts/documents/a", {}).status)
            self.assertEqual(403, server.ask("PUT", "/v1/b", {}).status)
            self.assertEqual(0, server.end())

    def test_a_damaged_index_does_not_end_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bad").mkdir()
            (Path(folder) / "bad" / "manifest.json").write_text("{")
            serving.build_index(Path(folder) / "good", self.texts[:5])
            server = serving.Served(folder)
            self.assertIn("'bad' is not served", server.said)
            self.assertEqual(503, server.get("/v1/bad").status)
            self.assertEqual(200, server.get("/v1/good").status)
            self.assertEqual(["bad"], server.get("/v1").json()["not_open"])
            self.assertEqual(0, server.end())


if __name__ == "__main__":
    serving.run()

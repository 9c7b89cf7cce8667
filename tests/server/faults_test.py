"""Clients that do not behave: malformed requests, tricks with paths, slow and broken connections,
too much of everything. Each gets a clear status, and the server goes on.
Run as: faults_test.py SOURCE_FOLDER WARPDEX"""

import gzip
import json
import os
import re
import socket
import struct
import time
import unittest

import serving

MALFORMED = 10_000 if os.environ.get("WARPDEX_FULL_TESTS") else 1_000
IDLE = 5_000 if os.environ.get("WARPDEX_FULL_TESTS") else 500
HOST = b"Host: localhost\r\n"
SEARCH = b"GET /v1/texts/search?q=w1&k=1 HTTP/1.1\r\n" + HOST + b"\r\n"


def statuses(received):
    return [int(number) for number in re.findall(rb"^HTTP/1\.[01] (\d{3}) ", received, re.M)]


class Faults(serving.ServerTest):
    options = ("--read-timeout", "1500", "--idle-timeout", "60000", "--send-timeout", "1500",
               "--max-body", "1M")

    def tearDown(self):
        self.assertEqual(200, self.get("/v1/texts/search?q=w1").status)

    def status_of(self, data):
        received = self.server.send(data)
        found = statuses(received)
        return found[0] if found else None

    def test_random_bytes_and_changed_requests(self):
        body = json.dumps({"q": "w1 w2", "k": 3, "fields": ["title"], "mode": "or"}).encode()
        whole = [SEARCH,
                 b"POST /v1/texts/search HTTP/1.1\r\n" + HOST +
                 b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body,
                 b"POST /v1/texts/search/batch HTTP/1.1\r\n" + HOST +
                 b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
                 b"c\r\n{\"q\": \"w1\"}\n\r\n0\r\n\r\n"]
        for _ in range(MALFORMED):
            data = bytearray(self.random.choice(whole))
            for _ in range(self.random.randint(1, 6)):
                place = self.random.randrange(len(data) + 1)
                action = self.random.randrange(4)
                if action == 0 and place < len(data):
                    data[place] = self.random.randrange(256)
                elif action == 1:
                    data[place:place] = self.random.randbytes(self.random.randint(1, 20))
                elif action == 2:
                    del data[place:place + self.random.randint(1, 20)]
                else:
                    data[place:place] = data[self.random.randrange(len(data) + 1):][:30]
            for status in statuses(self.server.send(bytes(data))):
                self.assertNotEqual(5, status // 100 if status not in (501, 505) else 4,
                                    bytes(data))

    def test_heads_that_are_refused(self):
        for data, wanted in ((b"GET /healthz HTTP/1.1\r\n\r\n", 400),
                             (b"GET /healthz HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
                             (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
                             (b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n", 505),
                             (b"GET healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
                             (b"GET http://localhost/healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
                             (b"PATCH /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405),
                             (b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 40000 + b"\r\n\r\n", 431),
                             (b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 431),
                             (b"GET /healthz HTTP/1.1\r\n" + HOST + b"Expect: cake\r\n\r\n", 417),
                             (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST +
                              b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
                             (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST +
                              b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400),
                             (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST +
                              b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
                             (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST +
                              b"Content-Length: -1\r\n\r\n", 400),
                             (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST + b"Content-Type: "
                              b"application/json\r\nContent-Length: 99999999999\r\n\r\n", 413),
                             (b"\x16\x03\x01\x02\x00\x01", 400)):
            received = self.server.send(data)
            self.assertEqual([wanted], statuses(received), data[:80])
            told = re.search(rb'"request_id":"([0-9a-f]+)"', received)
            self.assertIn(b"X-Request-ID: " + told[1] + b"\r\n", received, data[:80])

    def test_tricks_with_paths(self):
        for path, wanted in (("/v1/../texts", 404), ("/v1/..%2f..%2fetc", 404), ("/v1/%00", 400),
                             ("/v1/texts%00", 400), ("/v1/%2e%2e/search?q=a", 404),
                             ("/v1/" + "x" * 10000, 404), ("//v1/texts", 404), ("/v1/", 404),
                             ("/v1/texts/", 404), ("/v1/%ff%fe", 400), ("/v1/%2", 400),
                             ("/v1/texts/documents/..%2f..%2fmanifest.json", 404),
                             ("/v1/texts/documents/%2e%2e", 404), ("/v1/texts/search/../..", 404),
                             ("/v1/.", 404), ("/V1", 404)):
            data = b"GET " + path.encode() + b" HTTP/1.1\r\n" + HOST + b"\r\n"
            self.assertEqual(wanted, self.status_of(data), path)

    def test_requests_one_behind_the_other_are_answered_in_their_order(self):
        ids = [f"r{number}" for number in range(200)]
        data = b"".join(
            b"GET /v1/texts/search?q=w%d+w1&k=%d&id=%s HTTP/1.1\r\n" %
            (number % 50, 1 + number % 20, name.encode()) + HOST + b"\r\n"
            if number % 3 else b"GET /healthz HTTP/1.1\r\n" + HOST +
            b"X-Request-ID: %s\r\n\r\n" % name.encode()
            for number, name in enumerate(ids))
        received = self.server.send(data).decode()
        told = [next(filter(None, pair)) for pair in
                re.findall(r'"id":"(r\d+)"|X-Request-ID: (r\d+)', received)]
        self.assertEqual(ids, told)

    def test_requests_that_come_in_pieces(self):
        data = SEARCH * 3
        with self.server.open_socket() as client:
            for begin in range(0, len(data), 7):
                client.sendall(data[begin:begin + 7])
            client.shutdown(socket.SHUT_WR)
            received = b""
            while part := client.recv(65536):
                received += part
        self.assertEqual([200] * 3, statuses(received))

    def test_a_half_closed_connection_is_answered(self):
        self.assertEqual([200], statuses(self.server.send(SEARCH)))

    def test_connections_that_are_reset(self):
        for _ in range(200):
            client = self.server.open_socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(SEARCH * self.random.randint(0, 3) +
                           SEARCH[:self.random.randrange(len(SEARCH))])
            client.close()

    def test_searches_whose_clients_are_gone_are_stopped(self):
        """More than one thread answers before it is seen that nobody waits for them."""
        server = serving.Served(self.root, options=["--threads", "1"])
        search = (b"GET /v1/texts/search?k=400&explain&matches_position&fields=title,body&q=" +
                  "+".join(serving.WORDS).encode() + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        clients = [server.open_socket() for _ in range(500)]
        for client in clients:
            client.sendall(search)
        for client in clients:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        self.assertEqual(200, server.get("/v1/texts/search?q=w1").status)
        told = re.search(r"^warpdex_searches_stopped_total (\d+)$",
                         server.get("/metrics").body.decode(), re.M)
        self.assertGreater(int(told.group(1)), 0)
        self.assertEqual(0, server.end())

    def test_a_request_that_comes_too_slowly(self):
        with self.server.open_socket() as client:
            began = time.monotonic()
            received = b""
            client.settimeout(0.1)
            for byte in SEARCH * 10:
                try:
                    client.sendall(bytes([byte]))
                    received += client.recv(65536)
                except TimeoutError:
                    continue
                except OSError:
                    break
                if received:
                    break
            self.assertLess(time.monotonic() - began, 10)
        self.assertEqual([408], statuses(received))

    def test_a_client_that_reads_nothing(self):
        """Its connection ends; others are answered meanwhile."""
        lines = b'{"q": "w0 w1 w2", "k": 1000, "fields": ["title", "body"]}\n' * 2000
        with self.server.open_socket() as client:
            client.sendall(b"POST /v1/texts/search/batch HTTP/1.1\r\n" + HOST + b"Content-Type: "
                           b"application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(lines)
                           + lines)
            for _ in range(20):
                self.assertEqual(200, self.get("/v1/texts/search?q=w1").status)
                time.sleep(0.15)
            client.settimeout(20)
            received = b""
            try:
                while part := client.recv(1 << 20):
                    received += part
            except OSError:
                pass
        self.assertNotIn(b"\r\n0\r\n\r\n", received)  # it is not whole, and does not seem to be

    def test_many_idle_connections(self):
        idle = [self.server.open_socket() for _ in range(IDLE)]
        self.assertEqual(200, self.get("/v1/texts/search?q=w1").status)
        for client in self.random.sample(idle, 20):
            client.sendall(SEARCH)
            self.assertEqual([200], statuses(client.recv(65536)))
        for client in idle:
            client.close()

    def test_bodies_that_are_too_large(self):
        headers = {"Content-Type": "application/json"}
        answer = self.ask("POST", "/v1/texts/search", "x" * (1 << 20), headers=headers)
        self.assertEqual(400, answer.status)
        with self.server.open_socket() as client:
            client.sendall(b"POST /v1/texts/search HTTP/1.1\r\n" + HOST + b"Content-Type: "
                           b"application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
            try:
                for _ in range(40):
                    client.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            except OSError:
                pass
            self.assertEqual([413], statuses(client.recv(65536)))
        bomb = gzip.compress(b" " * (8 << 20))
        answer = self.ask("POST", "/v1/texts/search", bomb,
                          headers={**headers, "Content-Encoding": "gzip"})
        self.assertEqual(413, answer.status)

    def test_packed_bodies(self):
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        body = json.dumps({"q": "w1", "k": 2}).encode()
        packed = gzip.compress(body)
        plain = self.ask("POST", "/v1/texts/search", body).json()["hits"]
        self.assertEqual(plain, self.ask("POST", "/v1/texts/search", packed,
                                         headers=headers).json()["hits"])
        for bad in (packed[:-4], packed + b"x", b"", b"\x1f\x8b", body):
            self.assertEqual(400, self.ask("POST", "/v1/texts/search", bad,
                                           headers=headers).status, bad)
        headers["Content-Encoding"] = "br"
        self.assertEqual(415, self.ask("POST", "/v1/texts/search", body, headers=headers).status)

    def test_kinds_of_bodies(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            answer = self.ask("POST", "/v1/texts/search", '{"q": "w1"}',
                              headers={"Content-Type": kind})
            self.assertEqual(415, answer.status, kind)
        answer = self.ask("POST", "/v1/texts/search", '{"q": "w1"}',
                          headers={"Content-Type": "application/json; charset=utf-8"})
        self.assertEqual(200, answer.status)
        self.assertEqual(400, self.ask("POST", "/v1/texts/commit", "{}").status)

    def test_a_body_that_waits_for_leave(self):
        body = b'{"q": "w1"}'
        head = (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
                b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        with self.server.open_socket() as client:
            client.sendall(head)
            self.assertEqual(b"HTTP/1.1 100 Continue\r\n\r\n", client.recv(1000))
            client.sendall(body)
            self.assertEqual([200], statuses(client.recv(65536)))
        refused = head.replace(b"/search", b"/nothing")
        self.assertEqual(404, self.status_of(refused))

    def test_heads_of_answers_without_bodies(self):
        received = self.server.send(b"HEAD /v1/texts/search?q=w1 HTTP/1.1\r\n" + HOST + b"\r\n")
        head, _, body = received.partition(b"\r\n\r\n")
        self.assertEqual(b"", body)
        self.assertGreater(int(re.search(rb"Content-Length: (\d+)", head).group(1)), 50)

    def test_http_1_0(self):
        received = self.server.send(b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertTrue(received.startswith(b"HTTP/1.0 200 "))
        self.assertIn(b"Connection: close", received)
        lines = b'{"q": "w1"}\n' * 3
        received = self.server.send(
            b"POST /v1/texts/search/batch HTTP/1.0\r\nContent-Type: application/x-ndjson\r\n"
            b"Content-Length: %d\r\n\r\n" % len(lines) + lines)
        self.assertEqual(3, len(received.partition(b"\r\n\r\n")[2].splitlines()))


if __name__ == "__main__":
    serving.run()

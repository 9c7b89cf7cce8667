"""A server of the program for tests: indexes that it builds, the process, and a client."""

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""  # set by run()
SOURCE = Path()
WORDS = [f"w{i}" for i in range(80)]


def words(generator, count):
    """Words of which few are frequent and many are rare."""
    return " ".join(generator.choice(WORDS[: 1 + int(80 * generator.random() ** 2)])
                    for _ in range(count))


def documents(generator, count, first=0):
    return [{"id": f"d{i}", "title": words(generator, 3), "body": words(generator, 1 + i % 40)}
            for i in range(first, first + count)]


def program(*arguments, **options):
    """What the program writes to standard output."""
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                          text=True, **options).stdout


def build_index(folder, texts, *options):
    """An index of documents, with the fields title and body, both stored."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    program("index", "--input", "-", "--format", "jsonl", "--fields", "title,body", "--store",
            "title,body", "--analyzer", "whitespace", "--output", folder, "--quiet", *options,
            input=lines)


class Answer:
    """A response that is read whole."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def reason(self):
        return self.json()["error"]["reason"]


class Served:
    """A server of folders, from its start to its end. `said` is its standard error."""

    def __init__(self, *folders, options=()):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *map(str, folders), "--listen", "127.0.0.1:0", *map(str, options)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.output = ""
        self.said = ""
        while not (found := re.search(r"http://[^:]+:(\d+)/", self.said)):
            line = self.process.stderr.readline()
            if not line:
                raise AssertionError(f"the server ended at once: {self.said}")
            self.said += line
        self.port = int(found.group(1))
        self.connection = None

    def ask(self, method, target, body=None, headers=None, connection=None):
        """An answer over a connection that stays open, or over one of the caller's."""
        if connection is None:
            if self.connection is None:
                self.connection = self.connect()
            connection = self.connection
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        connection.request(method, target, body, headers)
        return Answer(connection.getresponse())

    def get(self, target, **options):
        return self.ask("GET", target, **options)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def open_socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def send(self, data):
        """All that the server sends on a connection of its own, until it closes."""
        with self.open_socket() as client:
            try:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            received = b""
            try:
                while part := client.recv(65536):
                    received += part
            except ConnectionResetError:
                pass
            return received

    def raise_signal(self, number):
        os.kill(self.process.pid, number)

    def end(self, number=signal.SIGTERM):
        """The exit status, after a signal."""
        if self.connection is not None:
            self.connection.close()
        if self.process.poll() is None:
            self.raise_signal(number)
        output, errors = self.process.communicate(timeout=60)
        self.said += errors
        self.output = output
        return self.process.returncode


class ServerTest(unittest.TestCase):
    """Tests over one server of two indexes, `texts` and `vectors`; each class has its own."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.seed = random.SystemRandom().randrange(2**32)
        print(f"{cls.__name__}: seed {cls.seed}", file=sys.stderr)
        cls.random = random.Random(cls.seed)
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "indexes"
        cls.root.mkdir()
        cls.texts = documents(cls.random, 400)
        cls.build()
        cls.server = Served(cls.root, options=cls.options)

    @classmethod
    def build(cls):
        build_index(cls.root / "texts", cls.texts)

    @classmethod
    def tearDownClass(cls):
        status = cls.server.end()
        cls.folder.cleanup()
        assert status == 0, f"the server ended with {status}: {cls.server.said}"

    def get(self, target, **options):
        return self.server.get(target, **options)

    def ask(self, method, target, body=None, **options):
        return self.server.ask(method, target, body, **options)


def run():
    """Runs the tests of a file that is called as FILE SOURCE_FOLDER PROGRAM."""
    global PROGRAM, SOURCE
    here = sys.modules["serving"]
    here.PROGRAM = sys.argv.pop(2)
    here.SOURCE = Path(sys.argv.pop(1))
    unittest.main(module="__main__")

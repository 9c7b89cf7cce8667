"""Answers that go out packed. Packed bodies of requests are in faults_test.py.
Run as: packing_test.py SOURCE_FOLDER WARPDEX"""

import gzip
import json
import re
import zlib

import serving

PACKED = {"Accept-Encoding": "gzip"}
LINES = {"Content-Type": "application/x-ndjson"}


def without_times(text):
    return re.sub(rb'"(took|took_us)":\d+', b"", text)


class Packing(serving.ServerTest):
    def check_same(self, method, target, body=None, **headers):
        plain = self.ask(method, target, body, headers=headers)
        packed = self.ask(method, target, body, headers={**headers, **PACKED})
        self.assertEqual((200, None), (plain.status, plain.headers["Content-Encoding"]))
        self.assertEqual((200, "gzip"), (packed.status, packed.headers["Content-Encoding"]))
        for answer in (plain, packed):
            self.assertIn("Accept-Encoding", answer.headers.get_all("Vary"), target)
        self.assertLess(len(packed.body), len(plain.body))
        self.assertEqual(without_times(plain.body), without_times(gzip.decompress(packed.body)))

    def test_both_faces_and_the_page(self):
        asked = {"q": "w0 w1", "k": 200, "fields": ["title", "body"]}
        self.check_same("POST", "/v1/texts/search", asked)
        self.check_same("POST", "/texts/_search", {"query": {"match_all": {}}, "size": 99})
        self.check_same("POST", "/v1/texts/search/batch", json.dumps(asked) + "\n", **LINES)
        self.check_same("POST", "/_msearch", "{}\n{\"size\": 99}\n", **LINES)
        self.check_same("GET", "/openapi.json")
        self.check_same("GET", "/_page/page.js")

    def test_small_answers_go_out_as_they_are(self):
        answer = self.get("/healthz", headers=PACKED)
        self.assertEqual((None, None), (answer.headers["Content-Encoding"], answer.headers["Vary"]))
        self.assertEqual({"status": "ok"}, answer.json())

    def test_codings_that_clients_name(self):
        for value, wanted in (("gzip", True), ("GZip", True), ("deflate, gzip;q=0.5", True),
                              ("*", True), ("br, *;q=0.1", True), (" ,gzip ; q=1.0 , br", True),
                              ("", False), ("br", False), ("gzip;q=0", False), ("xgzip", False),
                              ("*, gzip; Q=0.000", False), ("*;q=0", False), ("gzi", False)):
            answer = self.get("/openapi.json", headers={"Accept-Encoding": value})
            self.assertEqual(wanted, answer.headers["Content-Encoding"] == "gzip", value)

    def test_a_head_tells_the_length_of_its_get(self):
        whole = self.get("/openapi.json", headers=PACKED)
        head = self.ask("HEAD", "/openapi.json", headers=PACKED)
        self.assertEqual(b"", head.body)
        self.assertEqual(str(len(whole.body)), head.headers["Content-Length"])
        self.assertEqual("gzip", head.headers["Content-Encoding"])

    def test_each_answer_of_a_batch_can_be_read_as_it_comes(self):
        """Also over HTTP/1.0, which has no chunks."""
        line = b'{"q": "w0", "k": 400, "fields": ["title", "body"]}\n'
        head = (b"POST /v1/texts/search/batch HTTP/1.0\r\nAccept-Encoding: gzip\r\nContent-Type: "
                b"application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % (5 * len(line)))
        received = self.server.send(head + 5 * line).partition(b"\r\n\r\n")[2]
        self.assertEqual(5, len(gzip.decompress(received).splitlines()))
        with self.server.open_socket() as client:
            body = line * 2000
            client.sendall(head.replace(b"%d" % (5 * len(line)), b"%d" % len(body)) + body)
            unpacker, text, received = zlib.decompressobj(31), b"", b""
            while b"\r\n\r\n" not in received:
                received += client.recv(100)
            text += unpacker.decompress(received.partition(b"\r\n\r\n")[2])
            while b"\n" not in text:
                text += unpacker.decompress(client.recv(100))
            self.assertFalse(unpacker.eof)  # the first answer is there before the last
            self.assertLess(100, len(json.loads(text.splitlines()[0])["hits"]))


if __name__ == "__main__":
    serving.run()

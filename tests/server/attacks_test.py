"""Requests that two programs might read in two ways, or that cost more than they should.
faults_test.py has clients that do not behave.
Run as: attacks_test.py SOURCE_FOLDER WARPDEX"""

import json
import re
import urllib.parse

import serving

HOST = b"Host: localhost\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-Request-ID: the-next-one\r\n\r\n"
BODY = b'{"q": "w1", "k": 1}'
HEAD = (b"POST /v1/texts/search HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n")


def statuses(received):
    return [int(number) for number in re.findall(rb"^HTTP/1\.[01] (\d{3}) ", received, re.M)]


class Attacks(serving.ServerTest):
    def told(self, first):
        """Statuses of a request with one behind it, and whether the latter was answered."""
        received = self.server.send(first + NEXT)
        return statuses(received), b"X-Request-ID: the-next-one" in received

    def check(self, first, wanted, goes_on):
        self.assertEqual(([wanted, 200] if goes_on else [wanted], goes_on), self.told(first), first)

    def chunked(self, size=None, trailers=b"", line=b"Transfer-Encoding: chunked\r\n", head=HEAD):
        size = b"%x" % len(BODY) if size is None else size
        return head + line + b"\r\n" + size + b"\r\n" + BODY + b"\r\n0\r\n" + trailers + b"\r\n"

    def test_lengths_that_could_be_read_in_two_ways(self):
        size = b"%d" % len(BODY)
        for length, wanted in ((size, 200), (b" " + size + b"\t", 200), (size + b", " + size, 200),
                               (b"+" + size, 400), (b"0x13", 400), (b"19e0", 400), (b"", 400),
                               (b"-0", 400), (b"18446744073709551635", 400),
                               (size + b", 20", 400), (size + b"\r\nContent-Length: 20", 400),
                               (size + b"\r\nTransfer-Encoding: chunked", 400)):
            self.check(HEAD + b"Content-Length: " + length + b"\r\n\r\n" + BODY, wanted,
                       wanted == 200)

    def test_codings_that_could_be_read_in_two_ways(self):
        for coding, wanted in ((b"chunked", 200), (b"CHUNKED", 200), (b"chunked, chunked", 501),
                               (b"identity", 501), (b"xchunked", 501), (b"chunked;x", 501),
                               (b"\x0bchunked", 400), (b"chunked\r\nTransfer-Encoding: x", 400),
                               (b"chunked\r\nTransfer-Encoding: chunked", 400)):
            line = b"Transfer-Encoding: " + coding + b"\r\n"
            self.check(self.chunked(line=line), wanted, wanted == 200)
        self.check(self.chunked(line=b"Transfer-Encoding : chunked\r\n"), 400, False)
        old = HEAD.replace(b"/1.1", b"/1.0") + b"Connection: keep-alive\r\n"
        self.check(self.chunked(head=old), 400, False)

    def test_chunks_that_could_be_read_in_two_ways(self):
        for size, wanted in ((b"13", 200), (b"0000013", 200), (b"13;name=value", 200),
                             (b"0x13", 400), (b"-13", 400), (b" 13", 400), (b"", 400),
                             (b"13;a=\"\n\"", 400), (b"13\r", 400), (b"f" * 16, 400),
                             (b"1" + b"0" * 15 + b"13", 400)):
            self.check(self.chunked(size), wanted, wanted == 200)
        self.check(self.chunked().replace(b"\r\n13\r\n", b"\r\n13\n"), 400, False)

    def test_trailers_change_nothing(self):
        for trailers in (b"X-Sum: 1\r\n", b"Host: evil.example\r\n", b"Content-Length: 500\r\n",
                         b"Transfer-Encoding: chunked\r\nContent-Type: text/plain\r\n"):
            self.check(self.chunked(trailers=trailers), 200, True)
        self.check(self.chunked(trailers=b"X: " + b"a" * 9000 + b"\r\n"), 400, False)

    def test_lines_of_headers(self):
        for lines in (b"X: a\r\n b\r\n", b"X: a\r\n\tb\r\n", b"X:\r\n \r\n", b"X: a\nY: b\r\n",
                      b"X: a\rY: b\r\n", b"X : a\r\n", b": a\r\n", b"X\r\n", b"X: a\0b\r\n"):
            self.check(b"GET /healthz HTTP/1.1\r\n" + HOST + lines + b"\r\n", 400, False)
        for first in (b"GET /healthz HTTP/1.1\r\nHost:\r\n localhost\r\n\r\n",
                      b"GET /healthz HTTP/1.1\r\n X: a\r\n" + HOST + b"\r\n",
                      self.chunked(line=b"Transfer-Encoding:\r\n chunked\r\n")):
            self.check(first, 400, False)
        self.check(b"GET /healthz HTTP/1.1\r\n" + HOST + b"a:\r\n" * 3000 + b"\r\n", 200, True)

    def test_forms_of_targets(self):
        for target in (b"*", b"http://localhost/healthz", b"HTTP://evil.example/healthz",
                       b"localhost:80", b"healthz", b"?q=w1"):
            for method in (b"GET", b"OPTIONS", b"CONNECT", b"DELETE"):
                self.check(method + b" " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", 400, True)
        for target, wanted in ((b"//localhost/healthz", 404), (b"/healthz#x", 404),
                               (b"/healthz;x", 404), (b"/healthz?", 200), (b"/%68ealthz", 200),
                               (b"/healthz%3F", 404), (b"/healthz\\", 404)):
            self.check(b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", wanted, True)

    def test_very_many_parameters(self):
        """They are refused before each is compared with each."""
        for count, wanted in ((257, "more than 256"), (2000, "more than 256"),
                              (256, "not known here")):
            answer = self.get("/v1/texts/search?" + "&".join(f"p{i}" for i in range(count)))
            self.assertEqual(400, answer.status)
            self.assertIn(wanted, answer.reason())
        answer = self.get("/texts/_search?" + "&".join(f"p{i}" for i in range(300)))
        self.assertEqual("illegal_argument_exception", answer.json()["error"]["type"])
        self.assertEqual(200, self.get("/healthz?" + "&" * 15000).status)
        self.assertEqual(404, self.get("/a" * 7000).status)

    def test_bodies_that_wait_for_leave(self):
        wait = b"Expect: 100-continue\r\n"
        self.check(HEAD + wait + b"Content-Length: 999999999\r\n\r\n", 413, False)
        self.check(HEAD.replace(b"json", b"xml") + wait + b"Content-Length: 19\r\n\r\n", 415, False)
        self.check(b"GET /healthz HTTP/1.1\r\n" + HOST + wait + b"\r\n", 200, True)
        # A body that is there already needs no leave.
        self.check(HEAD + wait + b"Content-Length: 19\r\n\r\n" + BODY, 200, True)
        with self.server.open_socket() as client:
            client.sendall(HEAD + wait + b"Transfer-Encoding: chunked\r\n\r\n")
            self.assertEqual(b"HTTP/1.1 100 Continue\r\n\r\n", client.recv(1000))
            client.sendall(b"13\r\n" + BODY)
            client.sendall(b"\r\n0\r\n\r\n")
            self.assertEqual([200], statuses(client.recv(65536)))

    def test_changes_and_searches_one_behind_the_other(self):
        """What comes behind a commit sees it, whatever was sent ahead."""
        self.assertEqual(201, self.ask("PUT", "/v1/behind", {}).status)

        def request(method, target, body=b"", kind=b"x-ndjson"):
            return (f"{method} {target} HTTP/1.1\r\n".encode() + HOST + b"Content-Length: %d\r\n"
                    b"Content-Type: application/%s\r\n\r\n" % (len(body), kind) + body)
        data, wanted = b"", []
        for number in range(1, 21):
            lines = b'{"put": {"id": "d%d", "text": "alpha"}}\n' % number
            data += request("POST", "/v1/behind/bulk?commit=true", lines)
            data += request("POST", "/v1/behind/search", b'{"q": "alpha", "k": 100}', b"json")
            wanted.append(number)
        received = self.server.send(data)
        self.assertEqual([200] * 40, statuses(received))
        self.assertEqual(wanted, [line.count(b'"score":')
                                  for line in received.split(b'"took_us"')[1:]])

    def test_ids_that_look_like_paths(self):
        self.assertEqual(201, self.ask("PUT", "/v1/ids", {}).status)
        names = ["a/b", "/", "../..", "a%2Fb", "a%252Fb", "a+b", "a?b#c", "\u00e9/\u20ac", "_doc",
                 "."]
        for name in names:
            told = self.ask("PUT", "/v1/ids/documents/" + urllib.parse.quote(name, safe=""),
                            {"text": "alpha"})
            self.assertEqual((201, name), (told.status, told.json()["document"]))
        self.assertEqual(200, self.ask("POST", "/v1/ids/commit").status)
        found = self.get("/v1/ids/search?q=alpha&k=100").json()["hits"]
        self.assertEqual(names, [hit["document"] for hit in found])
        for name in names:
            quoted = urllib.parse.quote(name, safe="")
            self.assertEqual(name, self.get("/v1/ids/documents/" + quoted).json()["document"])
            self.assertEqual(name, self.get("/ids/_doc/" + quoted).json()["_id"])
        self.assertEqual(404, self.get("/v1/ids/documents/a/b").status)
        self.assertEqual(200, self.ask("DELETE", "/ids/_doc/a%2Fb?refresh=true").status)
        found = self.get("/v1/ids/search?q=alpha&k=100").json()["hits"]
        self.assertEqual(names[1:], [hit["document"] for hit in found])

    def test_heads_of_all_routes(self):
        """They are those of GET, without a body; where there is no GET, they are refused so."""
        described = json.loads(self.get("/openapi.json").body)["paths"]
        paths = {path: "get" in operations for path, operations in described.items()}
        paths |= dict.fromkeys(["/", "/{index}", "/{index}/_search?q=w1", "/{index}/_doc/{id}",
                                "/_cat/indices", "/_cluster/health", "/{index}/_mapping",
                                "/_page/page.js"], True)
        for path, has_get in paths.items():
            target = path.replace("{index}", "texts").replace("{id}", "d1")
            target += {"/v1/texts/search": "?q=w1",
                       "/v1/texts/similar": "?words=w1"}.get(target, "")
            received = self.server.send(f"HEAD {target} HTTP/1.1\r\n".encode() + HOST + b"\r\n" +
                                        NEXT)
            head, _, rest = received.partition(b"\r\n\r\n")
            self.assertTrue(rest.startswith(b"HTTP/1.1 200 OK"), (target, rest[:200]))
            whole = self.get(target)
            self.assertEqual([whole.status], statuses(head), target)
            self.assertEqual(has_get, whole.status == 200, (target, whole.body))
            if target == "/metrics" or b"took" in whole.body:
                continue  # no two are alike
            told = re.search(rb"Content-Length: (\d+)", head)
            self.assertEqual(len(whole.body), int(told.group(1)), target)


if __name__ == "__main__":
    serving.run()

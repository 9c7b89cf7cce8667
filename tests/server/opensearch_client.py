"""OpenSearch's own client for tests of the server. Where it is not installed, the test that imports
this says so and ends with 77, which is skipped."""

import json
import struct
import sys

import serving

try:
    import opensearchpy
except ImportError:
    print("skipped: there is no opensearch-py; pip install opensearch-py", file=sys.stderr)
    sys.exit(77)

BOTH = ["title", "body"]
MAPPING = {"mappings": {"properties": {"body": {"type": "text", "analyzer": "whitespace"},
                                       "url": {"type": "keyword", "index": False}}}}


def as_float(number):
    """The float that a number stands for."""
    return struct.unpack("f", struct.pack("f", number))[0]


def told_by_program(folder, query, *options):
    """Ids and scores of the program's own answer."""
    text = serving.program("search", folder, "--output-format", "json", *options, "--",
                           *query.split())
    return [(hit["document"], as_float(hit["score"]))
            for hit in json.loads(text)["queries"][0]["hits"]]


def told_by_client(answer):
    return [(hit["_id"], as_float(hit["_score"])) for hit in answer["hits"]["hits"]]


class ClientTest(serving.ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = cls.connect()

    @classmethod
    def connect(cls, **options):
        return opensearchpy.OpenSearch([{"host": "127.0.0.1", "port": cls.server.port}],
                                       timeout=60, max_retries=0, **options)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        super().tearDownClass()

    def make(self, name, body=None):
        answer = self.client.indices.create(index=name, body=body or MAPPING)
        self.assertEqual({"acknowledged": True, "shards_acknowledged": True, "index": name}, answer)

    def search(self, query, index="texts", **members):
        return self.client.search(index=index, body={"query": query, **members})

    def ids(self, query, index):
        return {hit["_id"] for hit in self.search(query, index, size=10000)["hits"]["hits"]}

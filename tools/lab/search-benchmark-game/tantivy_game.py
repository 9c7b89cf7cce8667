"""tantivy in the search-benchmark-game: "build FOLDER" indexes lines of {"id", "text", "part", "topic"},
"serve FOLDER" answers lines of a command (as do_query.cpp has them), a tab and a query. "TIMES", a blank and
a command with the name of a file answers each line of it and says the microseconds of each. One thread."""
import json
import os
import re
import sys
import time

import tantivy

COMMAND = re.compile(r"(?:(FACETS)|(COUNT)|TOP_(\d+)(_COUNT)?)(?:_FILTER_(\d+))?")


def build(folder):
    os.makedirs(folder)
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    schema.add_text_field("text", tokenizer_name="default", index_option="position")
    schema.add_integer_field("part", indexed=True, fast=True)
    schema.add_text_field("topic", fast=True, tokenizer_name="raw", index_option="basic")
    index = tantivy.Index(schema.build(), path=folder)
    writer = index.writer(1_000_000_000, 1)
    for line in sys.stdin:
        document = json.loads(line)
        writer.add_document(tantivy.Document(**document))
    writer.commit()
    writer.wait_merging_threads()


class Game:
    def __init__(self, folder):
        self.index = tantivy.Index.open(folder)
        self.searcher = self.index.searcher()
        self.filters = {}
        self.logs = {}

    def filter(self, end):
        if end not in self.filters:
            within = tantivy.Query.range_query(self.index.schema, "part", tantivy.FieldType.Integer, 0, end,
                                               include_upper=False)
            self.filters[end] = tantivy.Query.const_score_query(within, 0.0)
        return self.filters[end]

    def times(self, command, file):
        if file not in self.logs:
            with open(file, encoding="utf-8") as lines:
                self.logs[file] = [self.index.parse_query(line, ["text"]) for line in lines]
        found = COMMAND.fullmatch(command)
        if not found:
            return "UNSUPPORTED"
        times = []
        for query in self.logs[file]:
            start = time.perf_counter_ns()
            self.answer_parsed(found, query)
            times.append((time.perf_counter_ns() - start) / 1000)
        return " ".join(map(str, times))

    def answer(self, command, text):
        if command.startswith("TIMES "):
            return self.times(command.removeprefix("TIMES "), text)
        found = COMMAND.fullmatch(command)
        if not found:
            return "UNSUPPORTED"
        return self.answer_parsed(found, self.index.parse_query(text, ["text"]))

    def answer_parsed(self, found, query):
        facets, count, k, counts, end = found.groups()
        if end:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query),
                                                 (tantivy.Occur.Must, self.filter(int(end)))])
        if facets:
            topics = self.searcher.aggregate(query, {"topic": {"terms": {"field": "topic", "size": 10}},
                                                     "all": {"value_count": {"field": "topic"}}})
            tops = [f"{each['key']}:{each['doc_count']}" for each in topics["topic"]["buckets"]]
            return " ".join([str(int(topics["all"]["value"])), *tops])
        if count:
            return self.searcher.search(query, 1, count=True).count
        answer = self.searcher.search(query, int(k), count=counts is not None)
        return answer.count if counts else 1


def serve(folder):
    game = Game(folder)
    for line in sys.stdin:
        command, text = line.rstrip("\n").split("\t", 1)
        print(game.answer(command, text), flush=True)


{"build": build, "serve": serve}[sys.argv[1]](sys.argv[2])

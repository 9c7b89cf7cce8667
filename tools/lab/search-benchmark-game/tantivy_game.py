"""tantivy in the search-benchmark-game: "build FOLDER" indexes lines of {"id", "text"}, "serve FOLDER"
answers lines of a command, a tab and a query. One thread."""
import json
import os
import sys

import tantivy


def build(folder):
    os.makedirs(folder)
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    schema.add_text_field("text", tokenizer_name="default", index_option="position")
    index = tantivy.Index(schema.build(), path=folder)
    writer = index.writer(1_000_000_000, 1)
    for line in sys.stdin:
        document = json.loads(line)
        writer.add_document(tantivy.Document(id=document["id"], text=document["text"]))
    writer.commit()
    writer.wait_merging_threads()


def answer(searcher, command, query):
    """None for an unknown command."""
    if command == "COUNT":
        return searcher.search(query, 1, count=True).count
    parts = command.split("_")
    if parts[0] != "TOP" or len(parts) > 3 or parts[2:] not in ([], ["COUNT"]):
        return None
    counts = len(parts) == 3
    found = searcher.search(query, int(parts[1]), count=counts)
    return found.count if counts else 1


def serve(folder):
    index = tantivy.Index.open(folder)
    searcher = index.searcher()
    for line in sys.stdin:
        command, text = line.rstrip("\n").split("\t", 1)
        count = answer(searcher, command, index.parse_query(text, ["text"]))
        print("UNSUPPORTED" if count is None else count, flush=True)


{"build": build, "serve": serve}[sys.argv[1]](sys.argv[2])

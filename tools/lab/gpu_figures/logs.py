"""Query logs made of a collection's own: those that AND leaves to OR, the one with the most matches
of OR and of AND, some others without it and with it, and long ones."""
import json
import os
import random

LONG = (9, 12, 16, 32, 64, 128, 256, 512, 1024)  # terms
MIXED = 64  # terms of the longest that join the log
LONG_QUERIES = 60
OTHERS = 63  # few, so that what one query more takes is more than a batch's times differ by
SEED = 5
OF_AND = " of AND"  # logs that are for AND alone


def read(path):
    """Lines of `id<TAB>text`."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t", 1) for line in file if "\t" in line]


def write(path, queries):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{text}\n" for name, text in queries)


def long_queries(queries, terms):
    """Of so many terms, drawn as often as the log has them; none if it has not so many."""
    every = [term for _, text in queries for term in text.split()]
    if len(set(every)) < terms:
        return []
    draw = random.Random(SEED)
    made = []
    for i in range(LONG_QUERIES):
        chosen = []
        while len(chosen) < terms:
            term = draw.choice(every)
            if term not in chosen:
                chosen.append(term)
        made.append((f"long{terms}-{i}", " ".join(chosen)))
    return made


def with_most_matches(queries, answers):
    """That query, some others, and all of these; none if nothing matches any."""
    matches = {answer["id"]: answer["matches"] for answer in answers}
    huge = max((query[0] for query in queries), key=lambda name: matches.get(name, 0), default=None)
    if not matches.get(huge, 0):
        return {"the huge": [], "others": [], "others and the huge": []}
    the_huge = [query for query in queries if query[0] == huge]
    others = [query for query in queries if query[0] != huge][:OTHERS]
    return {"the huge": the_huge, "others": others, "others and the huge": others + the_huge}


def of_answers(queries, answers):
    """Logs by name, from the answers to `--mode and-or`, and to `--mode or` and `--mode and` with
    `--count`. One term alone is nothing to AND, and the query with the most matches of OR may have
    an unknown one, so that AND has nothing to do for it."""
    fell_back = {answer["id"] for answer in answers["and-or"] if answer["fell_back_to_or"]}
    several = [query for query in queries if len(query[1].split()) > 1]
    of_and = with_most_matches(several, answers["and"])
    return {"fallen back": [query for query in queries if query[0] in fell_back],
            **with_most_matches(queries, answers["or"]),
            **{name + OF_AND: made for name, made in of_and.items()}}


def make_long(queries, folder):
    """Those of each length, as make()."""
    return write_all([("long", f"{terms} terms", long_queries(queries, terms)) for terms in LONG],
                     folder)


def make(queries, answers, folder):
    """Writes the logs. Returns (name, case's prefix, path, queries) of each that has some."""
    logs = [(name, name.removesuffix(OF_AND), made)
            for name, made in of_answers(queries, answers).items()]
    # One of each length among those of the log: none may hold the others up for long.
    long = [made[0] for made in (long_queries(queries, terms) for terms in LONG if terms <= MIXED)
            if made]
    return (write_all(logs, folder) + make_long(queries, folder)
            + write_all([("mixed", "mixed", queries + long)], folder))


def write_all(logs, folder):
    written = []
    for name, prefix, made in logs:
        if not made:
            continue
        file = name if name.startswith(prefix) else prefix
        path = os.path.join(folder, file.replace(" ", "-") + ".tsv")
        write(path, made)
        written.append((name, prefix, path, len(made)))
    return written


def read_answers(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["queries"]

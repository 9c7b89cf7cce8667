"""Runs, recall, and the table."""
import json

RECALLS = (0.9, 0.95, 0.97, 0.99)


def read_run(path):
    """By query, the ids in order."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            query, _, document = line.split()[:3]
            found.setdefault(query, []).append(document)
    return found


def write_truth(found, path):
    path.write_text(json.dumps(found), encoding="utf-8")


def recall(truth, found):
    hits = sum(len(set(ids) & set(found.get(query, []))) for query, ids in truth.items())
    return hits / sum(len(ids) for ids in truth.values())


def fastest(points):
    """For each of RECALLS, the fastest point that reaches it, each point once."""
    chosen = []
    for wanted in RECALLS:
        reach = [point for point in points if point["recall"] >= wanted]
        if reach:
            best = min(reach, key=lambda point: point["us"])
            if best not in chosen:
                chosen.append(best)
    return chosen


def print_table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")

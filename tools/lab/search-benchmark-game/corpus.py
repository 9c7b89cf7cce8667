"""The documents and queries of the game, and what is added to them: columns, trees of words."""
import hashlib
import json
import lzma
import random
import re

WORD = re.compile("[a-z0-9]{1,40}")
LONG = re.compile("[a-z0-9]{41,}")
KINDS = ["term", "intersection", "union", "phrase", "intersection_union", "negated", "two-phase-critic"]
TREES = {"tree of ors": "+({} {}) +({} {})", "tree of ands": "(+{} +{}) (+{} +{})",
         "mixed tree": "+{} +({} (+{} +{})) -{}"}
TREES_OF_A_KIND = 100


def words_of(text):
    """Runs of lower-case ASCII letters and digits: all engines cut them alike. Longer ones than 40, which
    tantivy leaves out, are left out."""
    return WORD.findall(LONG.sub(" ", text.lower()))


def columns_of(name):
    """A number from 0 to 999, all as frequent, and one of 999 topics, of which topic r has a share of
    about 1 / r: the same for a name in every run."""
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    part, place = int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little")
    return {"part": part % 1000, "topic": f"t{int(1000 ** (place / 2**32))}"}


def write_corpus(files, as_words, corpus):
    """Writes lines of "id", "text" and columns, unless they are there."""
    if corpus.exists():
        return
    with open(corpus, "w", encoding="utf-8") as out:
        for file in files:
            with (lzma.open if file.endswith(".xz") else open)(file, "rt", encoding="utf-8") as lines:
                for line in lines:
                    document = json.loads(line)
                    name, text = str(document["id"]), document["contents"]
                    text = " ".join(words_of(text)) if as_words else text
                    json.dump({"id": name, "text": text, **columns_of(name)}, out)
                    out.write("\n")


def read_queries(file):
    """A dict from queries to their kinds."""
    kinds = {}
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            query = json.loads(line)
            kinds[query["query"]] = next((tag for tag in query["tags"] if tag in KINDS), "other")
    return kinds


def draw_trees(kinds, seed):
    """A dict from trees to their kinds: the words of two unions, and of a third one where a word is
    excluded."""
    rng = random.Random(seed)
    unions = [words for words in (list(dict.fromkeys(words_of(query))) for query, kind in kinds.items()
                                  if kind == "union") if len(words) > 1]
    trees = {}
    for kind, shape in TREES.items():
        wanted = len(trees) + TREES_OF_A_KIND
        while len(trees) < wanted:
            words = [word for query in rng.sample(unions, 3) for word in rng.sample(query, 2)]
            if len(set(words)) == len(words):
                trees[shape.format(*words)] = kind
    return trees

"""Prints random documents over few words, and random phrases, of which many match: for the file
lucene_phrases.tsv, which has the documents, an empty line, and the phrases with what Lucene finds:

random_phrases.py documents > documents; random_phrases.py phrases > phrases
java -cp LUCENE_JARS LucenePhrases.java documents phrases > found
(cat documents; echo; cat found) > lucene_phrases.tsv

Documents have at most 40 words, since Lucene rounds longer lengths."""

import random
import sys

RANDOM = random.Random(f"phrases {sys.argv[1]}")
WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
DOCUMENTS, PHRASES = 40, 500


def words(count, known):
    return RANDOM.choices(WORDS[:known], [1 / (i + 1) for i in range(known)], k=count)


def phrase():
    some = words(RANDOM.choice((2, 2, 2, 3, 3, 4, 5)), RANDOM.choice((2, 4, 8)))
    for i in range(len(some) - 1, 0, -1):
        if RANDOM.random() < 0.15:
            some[i:i] = ["_"] * RANDOM.choice((1, 1, 2))
    slop = RANDOM.choice((0, 0, 0, 1, 1, 2, 3, 5, 10, 50))
    return f"{slop}\t{' '.join(some)}"


def main():
    if sys.argv[1] == "documents":
        for i in range(DOCUMENTS):
            print(" ".join(words(RANDOM.randint(1, 40), RANDOM.choice((2, 3, 5, 8)))))
    else:
        for _ in range(PHRASES):
            print(phrase())


main()

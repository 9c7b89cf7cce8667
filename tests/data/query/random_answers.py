"""Prints random documents over few words, and random queries, of which many match: for the file
lucene_answers.tsv, which has the documents, an empty line, and the queries with what Lucene finds:

random_answers.py documents > documents; random_answers.py queries > queries
java -cp LUCENE_JARS LuceneAnswers.java documents queries 10 > found
(cat documents; echo; cat found) > lucene_answers.tsv

Half of the documents have more than 40 words, so Lucene rounds their lengths."""

import itertools
import random
import sys

RANDOM = random.Random(f"answers {sys.argv[1]}")
WORDS = ["a", "b", *("".join(letters) for size in (2, 3, 4) for letters in
                     itertools.islice(itertools.product("abcd", repeat=size), size, None, 3 ** (size - 1)))]
DOCUMENTS, QUERIES = 60, 700


def words(count, known=len(WORDS)):
    return RANDOM.choices(WORDS[:known], [1 / (i + 1) for i in range(known)], k=count)


def signed(clauses):
    signs = [RANDOM.choice(("", "", "+", "-")) for _ in clauses]
    signs[0] = signs[0].strip("-")
    return " ".join(map("".join, zip(signs, clauses)))


def boosted(clause):
    return clause + RANDOM.choice(("", "", "", "", "^2", "^0.5"))


def phrase():
    some = words(RANDOM.choice((2, 2, 2, 3, 3, 4)), RANDOM.choice((2, 4, 8)))
    for i in range(len(some) - 1, 0, -1):
        if RANDOM.random() < 0.15:
            some[i:i] = ["_"] * RANDOM.choice((1, 1, 2))
    return f"\"{' '.join(some)}\"~{RANDOM.choice((0, 0, 0, 1, 1, 2, 3, 5, 10, 50))}"


def prefix():
    return words(1)[0][:2] + "*"


def pattern():
    word = RANDOM.choice(WORDS[2:])
    at = RANDOM.randrange(len(word))
    return word[:at] + RANDOM.choice("?*") + word[at + 1:]


def near():
    """Required beside words: of optional clauses, Lucene makes a word and an equal near one the same."""
    one = f"{words(1)[0]}{RANDOM.choice('abce')}~{RANDOM.choice((1, 2))}"
    return RANDOM.choice((one, f"+{one} {words(1)[0]}"))


def range_():
    low, high = sorted(words(2))
    return f"{RANDOM.choice('[{')}{low} TO {high}{RANDOM.choice(']}')}"


def tree(depth):
    if depth == 0 or RANDOM.random() < 0.3:
        return boosted(RANDOM.choice((lambda: words(1)[0], lambda: words(1)[0], phrase, prefix))())
    return boosted(f"({signed([tree(depth - 1) for _ in range(RANDOM.choice((2, 2, 3)))])})")


def beside_words(clause):
    return RANDOM.choice((clause, signed([clause, *words(2)])))


def query():
    draws = (phrase, phrase, lambda: signed(words(3)), lambda: tree(3), lambda: tree(2),
             lambda: beside_words(prefix()), lambda: beside_words(pattern()),
             near, lambda: beside_words(range_()))
    return RANDOM.choice(draws)()


def main():
    if sys.argv[1] == "documents":
        for i in range(DOCUMENTS):
            longest = 40 if i % 2 == 0 else 300
            print(" ".join(words(RANDOM.randint(1, longest), RANDOM.choice((2, 3, 5, 8, len(WORDS))))))
    else:
        for _ in range(QUERIES):
            print(query())


main()

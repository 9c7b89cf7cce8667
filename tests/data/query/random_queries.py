"""Prints 700 random queries in Lucene's syntax, some of them broken. lucene_parser.tsv is every second
of them, without words between ~ and a letter, each with the two trees that LucenePrinter prints:

python3 random_queries.py > queries
java -cp LUCENE_JARS LucenePrinter.java < queries > or.tsv
java -cp LUCENE_JARS LucenePrinter.java and < queries > and.tsv
"""
import random

WORDS = ["a", "b", "cd", "efg"]
random.seed(20261129)


def word():
    text = random.choice(WORDS)
    draw = random.random()
    if draw < .08:
        return text + "*"
    if draw < .12:
        return random.choice(["?" + text, f"{text}?{text}", f"{text}*{text}"])
    if draw < .18:
        return text + "~" + random.choice(["", "1", "2"])
    if draw < .22:
        return text + "\\" + random.choice("*?:+-()") + text
    return text


def clause(depth):
    draw = random.random()
    if depth and draw < .25:
        text = "(" + query(depth - 1) + ")"
    elif draw < .33:
        words = (random.choice(WORDS) for _ in range(random.randint(1, 3)))
        text = '"' + " ".join(words) + '"' + random.choice(["", "~1", "~3"])
    elif draw < .40:
        text = (random.choice("[{") + random.choice(WORDS + ["*"]) + " TO "
                + random.choice(WORDS + ["*"]) + random.choice("]}"))
    elif draw < .42:
        text = "*:*"
    else:
        text = word()
    if random.random() < .12:
        text += "^" + random.choice(["2", "0.5", "3.25"])
    return random.choice(["", "", "", "", "+", "-", "!", "NOT "]) + text


def query(depth):
    clauses = random.randint(1, 4)
    text = clause(depth)
    for _ in range(clauses - 1):
        text += random.choice([" ", " ", " AND ", " OR ", " && ", " || "]) + clause(depth)
    return text


def main():
    queries = set()
    while len(queries) < 700:
        text = query(random.randint(0, 2))
        if random.random() < .08:
            at = random.randrange(len(text))
            text = text[:at] + random.choice('()"[]{}^~:+-! ') + text[at + 1:]
        if len(text) <= 70:
            queries.add(text)
    print("\n".join(sorted(queries)))


if __name__ == "__main__":
    main()

"""The outcome of a run as a table for people."""


def difference(ours, published):
    """Of the figures as they are shown."""
    return "–" if published is None else f"{round(ours, 4) - published:+.4f}".replace("-0.0000", "+0.0000")


def table(outcome):
    """Anserini's figures beside ours."""
    lines = [f"{outcome.collection}, {outcome.model}: {outcome.documents:,} documents, "
             f"{outcome.queries:,} queries",
             f"  {'':12}{'Anserini':>10}{'Warpdex':>10}{'difference':>12}"]
    for name, ours in outcome.measures.items():
        published = outcome.published.get(name)
        theirs = "–" if published is None else f"{published:.4f}"
        lines.append(f"  {name:12}{theirs:>10}{ours:>10.4f}{difference(ours, published):>12}")
    built = f"built in {outcome.build_seconds:,.1f} s, " if outcome.build_seconds else ""
    lines.append(f"  {built}{outcome.queries_per_second:,.0f} queries a second (1,000 documents each, "
                 f"one batch, {outcome.device}, threads: {outcome.threads})")
    return "\n".join(lines)

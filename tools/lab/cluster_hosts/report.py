"""Tables of what was measured, and whether it is good."""

HEAD = (f"{'under load; milliseconds':34} {'requests':>8} {'wrong':>6} {'failed':>6} {'late':>5} "
        f"{'p50':>7} {'p99':>7} {'p99.9':>7} {'longest':>8} {'stall':>6}  ready")


def line(drill):
    ready = "no" if drill["ready"] is None else f"{drill['ready']:.1f} s"
    text = (f"{drill['drill']:34} {drill['requests']:8d} {drill['wrong']:6d} {drill['failed']:6d} "
            f"{drill['late']:5d} {drill['p50']:7.1f} {drill['p99']:7.1f} {drill['p99.9']:7.1f} "
            f"{drill['longest']:8.1f} {drill['stall']:6.1f}  {ready}")
    return "\n".join([text, *(f"    {each}" for each in drill["failures"])]
                     + ([f"    on hosts {drill['hosts']}"] if drill["failures"] else []))


def times(found):
    """Each way of asking beside one process; times in milliseconds."""
    lines = []
    for each in found:
        base = next(other for other in found
                    if other["k"] == each["k"] and other["asked"] == "one process")
        cells = [f"{name} {each[name]:.2f} ({each[name] - base[name]:+.2f})"
                 for name in each if name not in ("asked", "k")]
        lines.append(f"k {each['k']:4d}  {each['asked']:12}  " + ", ".join(cells) + " ms")
    return "\n".join(lines)


def status(drills):
    """Of the program: 0 where all is as it should be."""
    is_good = all(not each["wrong"] and not each["failed"] and each["ready"] is not None
                  and 1000 * each["late"] <= each["requests"] for each in drills)
    return 0 if is_good else 1

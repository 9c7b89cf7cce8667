"""What Ray and the broker cost beside the same parts in one process."""
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from warpdex import _core, cluster
from warpdex.cluster import part_actor, pieces

THREADS = 2  # that ask the parts in one process, as there are processors in the targets


def milliseconds(work, times):
    """Of each call; the first is not counted."""
    work(0)
    taken = []
    for number in range(times):
        begin = time.perf_counter()
        work(number)
        taken.append(1000 * (time.perf_counter() - begin))
    return taken


def in_one_process(store, folder):
    """The search over all parts, by messages that are function calls."""
    opened = cluster.Store(store)
    manifest = cluster.read_version(opened)
    replica = cluster.Replica(opened, folder)
    servers = [_core.PartServer(str(replica.pull(manifest, part).folder), 1, [])
               for part in range(len(manifest.parts))]
    threads = ThreadPoolExecutor(THREADS)

    def ask(messages):
        return list(threads.map(lambda each: (servers[each[0]].answer(each[1]), ""), messages))

    return _core.PartedSearcher(len(servers), ask)


def measure(search, queries, k):
    """Medians: one query after the other, and all of them at once."""
    search(queries, k)  # statistics of all terms are known then
    single = milliseconds(lambda i: search([queries[i % len(queries)]], k), 300)
    batch = milliseconds(lambda _: search(queries, k), 15)
    return {"k": k, "one query": statistics.median(single),
            "one query, p99": sorted(single)[int(0.99 * len(single))],
            f"batch of {len(queries)}": statistics.median(batch)}


class Echo:
    """An actor that does nothing: what Ray itself takes."""

    def answer(self, size, count, *message):
        return pieces.cut(bytes(size), count)


def bare(ray, queries):
    """Medians of a call to such an actor on each host, side by side, with messages and answers as
    long as those of a search at k 10."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    actors = [ray.remote(concurrency_groups=part_actor.GROUPS)(Echo).options(
        num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
    ).remote() for node in ray.nodes() if node["Alive"]]

    def ask(size, message):
        asked = [pieces.ask(each.answer, size, message, concurrency_group="search")
                 for each in actors]
        for each in asked:
            each.result()

    single = milliseconds(lambda _: ask(300, bytes(400)), 300)
    batch = milliseconds(lambda _: ask(268 * len(queries), bytes(173 * len(queries))), 15)
    for each in actors:
        ray.kill(each)
    return {"asked": "bare actors", "k": 10, "one query": statistics.median(single),
            "one query, p99": sorted(single)[int(0.99 * len(single))],
            f"batch of {len(queries)}": statistics.median(batch)}


def compare(ray, store, folder, clients, queries):
    """For each way of asking its medians in milliseconds; `clients`: by their names."""
    local = in_one_process(store, folder)
    found = [bare(ray, queries)]
    for k in (10, 1000):
        ways = {"one process": lambda texts, k: local.search(texts, k, False, None, {})}
        for name, client in clients.items():
            ways[name] = lambda texts, k, client=client: client.search_batch(texts, k, deadline=60)
        found += [{"asked": name, **measure(search, queries, k)} for name, search in ways.items()]
    return found

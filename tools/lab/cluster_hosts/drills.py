"""What goes wrong, one thing after the other, under load."""
import os
import signal
import time

from warpdex.cluster.broker_actor import broker_name
from warpdex.cluster.part_actor import NAMESPACE, actor_name, control

from cluster_hosts import network
from cluster_hosts.load import Load

HERE = 1  # the host of the clients


class Drills:
    """Of a cluster that is served. `clients`: each asks by a thread of its own."""

    def __init__(self, ray, served, name, sizes, clients, expected, deadline, holders, head):
        self._ray = ray
        self._served = served
        self._name = name
        self._parts, self._replicas, self._brokers = sizes
        self._clients = clients
        self._expected = expected
        self._deadline = deadline
        self._names = [network.name(holder) for holder in holders]
        self._head = head

    # Where things are

    def _pid(self, actor):
        return self._ray.get(actor.pid.remote(), timeout=30)

    def replica_pids(self):
        """Of all replicas: (part, replica) to process."""
        found = {}
        for part in range(self._parts):
            for replica in range(self._replicas):
                actor = self._ray.get_actor(actor_name(self._name, part, replica), NAMESPACE)
                found[part, replica] = self._ray.get(control(actor.pid).remote(), timeout=30)
        return found

    def _broker_pid(self, number):
        return self._pid(self._ray.get_actor(broker_name(self._name, number), NAMESPACE))

    def host_of(self, pid):
        return self._names.index(network.name(pid))

    def hosts(self):
        """Of the replicas of each part, and of the brokers."""
        found = {}
        for (part, _), pid in self.replica_pids().items():
            found.setdefault(f"part {part}", []).append(self.host_of(pid))
        found["brokers"] = [self.host_of(self._broker_pid(i)) for i in range(self._brokers)]
        return found

    def _is_ready(self):
        try:
            status = self._served.status()
            hosts = sum(node["Alive"] for node in self._ray.nodes())
        except Exception:
            return False
        return (hosts == network.HOSTS and status["version"] and not status["problem"]
                and all(each["versions"] and not each["problem"] for each in status["replicas"])
                and all(each["version"] and not each["problem"] for each in status["brokers"]))

    def wait_until_ready(self, seconds=120):
        begin = time.monotonic()
        while not self._is_ready():
            if time.monotonic() - begin > seconds:
                return None
            time.sleep(0.2)
        return round(time.monotonic() - begin, 1)

    # What happens

    def calm(self):
        time.sleep(5)

    def replica_killed(self):
        os.kill(self.replica_pids()[0, 0], signal.SIGKILL)
        time.sleep(2)

    def replica_stopped(self):
        self._stop_and_go_on(self.replica_pids()[1 % self._parts, 0])

    def _stop_and_go_on(self, pid):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(5)
        os.kill(pid, signal.SIGCONT)

    def broker_killed(self):
        os.kill(self._broker_pid(0), signal.SIGKILL)
        time.sleep(2)

    def broker_stopped(self):
        self._stop_and_go_on(self._broker_pid(1 % self._brokers))

    def coordinator_killed(self):
        os.kill(self._pid(self._ray.get_actor(self._name, NAMESPACE)), signal.SIGKILL)
        time.sleep(2)

    def _host_of_replicas(self):
        """One with replicas, but neither the head's nor the clients'."""
        counts = [0] * network.HOSTS
        for pid in self.replica_pids().values():
            counts[self.host_of(pid)] += 1
        return max(range(HERE + 1, network.HOSTS), key=lambda host: counts[host])

    def host_cut_off(self, seconds):
        host = self._host_of_replicas()
        network.cut(host)
        time.sleep(seconds)
        network.mend(host)
        time.sleep(1)

    def head_killed(self):
        self._head.kill()
        time.sleep(15)
        self._head.start()
        time.sleep(2)

    def all(self, has_redis):
        """The names and actions, in order."""
        drills = [("nothing", self.calm), ("a replica is killed", self.replica_killed),
                  ("a replica stands still for 5 s", self.replica_stopped),
                  ("the coordinator is killed", self.coordinator_killed)]
        if self._brokers:
            drills += [("a broker is killed", self.broker_killed),
                       ("a broker stands still for 5 s", self.broker_stopped)]
        drills += [("a host is cut off for 1.5 s", lambda: self.host_cut_off(1.5)),
                   ("a host is cut off for 20 s", lambda: self.host_cut_off(20))]
        if has_redis:
            drills.append(("the head and its host, for 15 s", self.head_killed))
        return drills

    def run(self, what, action):
        """What came of one, as values for JSON; `ready`: seconds until all was as before, None: it
        is not."""
        hosts = self.hosts()
        load = Load(self._clients, self._expected, self._deadline)
        time.sleep(1)
        action()
        ready = self.wait_until_ready()
        time.sleep(1)
        return {"drill": what, "ready": ready, "hosts": hosts, **load.stop()}

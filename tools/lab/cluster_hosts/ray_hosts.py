"""Ray on the hosts: each looked after by a loop that starts it again, as a service manager does. Host 0
has the head, whose state a Redis keeps where there is one."""
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

from cluster_hosts import network

PORT, REDIS_PORT = 6379, 6380
HEAD = f"{network.address(0)}:{PORT}"
# A host is taken for dead after about five seconds.
HEALTH = {"RAY_health_check_period_ms": "1000", "RAY_health_check_timeout_ms": "2000",
          "RAY_health_check_failure_threshold": "3", "RAY_health_check_initial_delay_ms": "2000"}
# All that speak with each other need the same.
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
COMMON = ["--num-cpus", "2", "--object-store-memory", "100000000", "--disable-usage-stats",
          "--include-log-monitor", "false"]
KEEP_ALIVE = 'while :; do "$@" >>"$0" 2>&1; sleep 0.5; done'
RAY = str(pathlib.Path(sys.executable).parent / "ray")


def start(holders, folder):
    """Starts Ray on all hosts; whether a Redis keeps the head's state."""
    environment = {**os.environ, **HEALTH}
    has_redis = shutil.which("redis-server") is not None
    if has_redis:
        network.start(holders[0], [
            "redis-server", "--port", str(REDIS_PORT), "--bind", network.address(0), "--save", "",
            "--protected-mode", "no"], stdout=subprocess.DEVNULL)
        environment["RAY_REDIS_ADDRESS"] = f"{network.address(0)}:{REDIS_PORT}"
    network.start(holders[0], [
        RAY, "start", "--head", "--port", str(PORT), "--include-dashboard", "false",
        "--node-ip-address", network.address(0), *COMMON], stdout=subprocess.DEVNULL,
        env=environment).wait()
    for host in range(1, network.HOSTS):
        keep_alive(holders, host, folder)
    return has_redis


def keep_alive(holders, host, folder):
    """Starts Ray on a host that is not the head, and again where it ends."""
    return network.start(holders[host], [
        "bash", "-c", KEEP_ALIVE, str(folder / f"host-{host}.log"), RAY, "start", "--address", HEAD,
        "--node-ip-address", network.address(host), *COMMON, "--block"],
        env={**os.environ, **HEALTH})


class Head:
    """The process that keeps the state of Ray, and all else of Ray on its host."""

    def __init__(self, holders, folder):
        self._holders = holders
        self._folder = folder
        [(pid, self._command)] = [each for each in network.processes(holders[0])
                                  if each[1] and b"gcs_server" in each[1][0]]
        variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        self._environment = dict(each.split(b"=", 1) for each in variables if b"=" in each)

    def kill(self):
        for pid, command in network.processes(self._holders[0]):
            if pid != self._holders[0] and command and b"redis-server" not in command[0]:
                os.kill(pid, signal.SIGKILL)

    def start(self):
        """As Ray starts it; its host joins as others do."""
        network.start(self._holders[0], self._command, env=self._environment,
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        keep_alive(self._holders, 0, self._folder)


def connect():
    """Ray, from a host on which this process runs."""
    import logging

    import ray

    here = socket.gethostbyname(os.environ["WARPDEX_HOST"])
    end = time.monotonic() + 120
    while True:
        try:
            ray.init(HEAD, _node_ip_address=here, log_to_driver=False, logging_level=logging.ERROR)
            if sum(node["Alive"] for node in ray.nodes()) == network.HOSTS:
                return ray
            ray.shutdown()
        except Exception:  # it is still starting
            if time.monotonic() > end:
                raise
        time.sleep(1)

"""Hosts on one machine: each a network namespace behind a bridge, with a /tmp/ray and a /dev/shm of
its own. All are below this process, in a namespace of processes, and end with it."""
import os
import pathlib
import shutil
import subprocess
import sys

HOSTS = 4
NETWORK = "10.77.0"
INSIDE = "WARPDEX_INSIDE_NAMESPACES"


def why_not():
    """Why hosts cannot be imitated here; None: they can."""
    if os.geteuid() != 0:
        return "it needs root"
    for program in ("ip", "unshare", "nsenter"):
        if not shutil.which(program):
            return f"there is no program {program}"
    tried = subprocess.run(
        ["unshare", "--net", "--mount", "ip", "link", "add", "tried", "type", "bridge"],
        capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"no bridge can be made: {tried.stderr.strip()}"


def enter(environment):
    """Runs this program again in namespaces of its own, once, with more in its environment."""
    if os.environ.get(INSIDE):
        return
    os.execvpe("unshare", ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child",
                           "--mount-proc", sys.executable, *sys.argv],
               {**os.environ, **environment, INSIDE: "1"})


def ip(*arguments):
    """In the namespace of the bridge, from whatever host."""
    subprocess.run(["nsenter", "--target", "1", "--net", "ip", *arguments], check=True)


def address(host):
    return f"{NETWORK}.{host + 1}"


def cut(host):
    """Nothing comes from it or reaches it any more."""
    ip("link", "set", f"port{host}", "down")


def mend(host):
    ip("link", "set", f"port{host}", "up")


class Network:
    """Of HOSTS hosts, whose files lie in a folder. Process 1 is this one."""

    def __init__(self, folder):
        ip("link", "set", "lo", "up")
        ip("link", "add", "bridge", "type", "bridge")
        ip("link", "set", "bridge", "up")
        pathlib.Path("/tmp/ray").mkdir(exist_ok=True)
        # Of each host a process that keeps its namespaces.
        self.holders = [self._add(host, folder / f"host-{host}").pid for host in range(HOSTS)]

    def _add(self, host, folder):
        (folder / "ray").mkdir(parents=True)
        holder = subprocess.Popen(["unshare", "--net", "--mount", "sleep", "infinity"])
        while name(holder.pid) == name(1):
            pass
        ip("link", "add", f"port{host}", "type", "veth", "peer", "name", "eth0", "netns",
           str(holder.pid))
        ip("link", "set", f"port{host}", "master", "bridge")
        ip("link", "set", f"port{host}", "up")
        start(holder.pid, ["bash", "-ec", "ip link set lo up; ip link set eth0 up; "
                           f"ip address add {address(host)}/24 dev eth0; "
                           f"mount --bind {folder / 'ray'} /tmp/ray; "
                           "mount -t tmpfs -o size=512m shm /dev/shm"]).wait()
        return holder


def start(holder, command, **options):
    """Starts a command on a host, from whatever host."""
    return subprocess.Popen(["nsenter", "--target", str(holder), "--net", "--mount",
                             f"--wd={os.getcwd()}", *command], **options)


def name(pid):
    """Of a process' network, which is its host's."""
    return os.readlink(f"/proc/{pid}/ns/net")


def processes(holder):
    """Those of a host, and their command lines."""
    for each in pathlib.Path("/proc").iterdir():
        try:
            if each.name.isdecimal() and name(each.name) == name(holder):
                yield int(each.name), (each / "cmdline").read_bytes().split(b"\0")[:-1]
        except OSError:
            continue  # it has ended

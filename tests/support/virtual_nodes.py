# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Several nodes on one machine: host names and networks of their own, and Slurm's daemons. As root."""

import contextlib
import os
import signal
import socket
import subprocess

from wait_until import wait_until

NAMED = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"']


def named(node: str, *argv: str) -> list:
    """argv on a machine of that name."""
    return [*NAMED, node, *argv]


def remote_shell(folder) -> str:
    """A stand-in of ssh: the command gets the node's name and nothing of the caller's environment."""
    path = os.path.join(folder, "remote-shell")
    with open(path, "w") as file:
        file.write(
            "#!/bin/sh\n"
            "while getopts 2axqtTnvl:o:p:i: _; do :; done\nshift $((OPTIND - 1))\n"
            "node=$1\nshift\n"
            'exec env -i PATH=/usr/bin:/bin HOME="$HOME" unshare --uts '
            """sh -c 'hostname "$0" && exec sh -c "$*"' "$node" "$@"\n"""
        )
    os.chmod(path, 0o755)
    return path


def end(process) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Networks:
    """Two nodes, each in a network namespace of its own, joined by one cable."""

    ADDRESSES = ("10.213.7.1", "10.213.7.2")

    def __init__(self, names):
        self.names = names
        self.holders = []

    def __enter__(self):
        for name in self.names:
            argv = ["unshare", "--net", *named(name, "sh", "-c", "echo ready; exec sleep infinity")]
            holder = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
            self.holders.append(holder)
            assert holder.stdout.readline() == "ready\n"
        pids = [str(holder.pid) for holder in self.holders]
        cable = ["ip", "link", "add", "cable", "type", "veth", "peer", "cable", "netns", pids[1]]
        subprocess.run(self.on(0, *cable), check=True)
        for number, address in enumerate(self.ADDRESSES):
            for argv in (
                ["address", "add", f"{address}/24", "dev", "cable"],
                ["link", "set", "cable", "up"],
                ["link", "set", "lo", "up"],
            ):
                subprocess.run(self.on(number, "ip", *argv), check=True)
        return self

    def __exit__(self, *_):
        for holder in self.holders:
            end(holder)
            holder.stdout.close()

    def on(self, number: int, *argv: str) -> list:
        """argv on that node."""
        return ["nsenter", "--target", str(self.holders[number].pid), "--net", "--uts", *argv]


SLURM = """ClusterName=test
SlurmctldHost={host}
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
"""


def free_ports(count: int) -> list:
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(count):
            found.append(stack.enter_context(socket.socket()))
            found[-1].bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


class Slurm:
    """munged, slurmctld, and a slurmd for each node with that host name."""

    def __init__(self, folder, nodes):
        self.folder = str(folder)
        self.nodes = nodes
        self.daemons = []
        self.env = {"SLURM_CONF": os.path.join(self.folder, "slurm.conf")}

    def start(self, *argv):
        with open(os.path.join(self.folder, "daemons.log"), "ab") as log:
            env = dict(os.environ, **self.env)
            process = subprocess.Popen(argv, stdout=log, stderr=log, env=env)
            self.daemons.append(process)

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        munge = os.path.join(self.folder, "munge")
        os.makedirs(munge, mode=0o755)
        os.mkdir(os.path.join(self.folder, "state"))
        key = os.open(os.path.join(munge, "key"), os.O_CREAT | os.O_WRONLY, 0o600)
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        files = {
            "--key-file": "key", "--socket": "socket", "--pid-file": "pid",
            "--log-file": "log", "--seed-file": "seed",
        }  # fmt: skip
        options = [f"{option}={munge}/{name}" for option, name in files.items()]
        self.start("munged", "--foreground", "--force", *options)
        wait_until(lambda: os.path.exists(f"{munge}/socket"), 30, "munged listens")
        head, *ports = free_ports(1 + len(self.nodes))
        host = os.uname().nodename
        text = SLURM.format(folder=self.folder, host=f"{host}(127.0.0.1)", port=head)
        for node, port in zip(self.nodes, ports):
            text += f"NodeName={node} NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=1\n"
        text += f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES State=UP\n"
        with open(self.env["SLURM_CONF"], "w") as file:
            file.write(text)
        self.start("slurmctld", "-D", "-c")
        for node in self.nodes:
            self.start(*named(node, "slurmd", "-D", "-N", node))
        ready = f"nodes are idle: {self.folder}"
        wait_until(lambda: len(self.idle()) == len(self.nodes), 60, ready)

    def idle(self):
        done = subprocess.run(
            ["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=dict(os.environ, **self.env),
        )  # fmt: skip
        return done.stdout.split()

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            end(daemon)

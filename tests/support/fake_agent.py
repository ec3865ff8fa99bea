#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A node agent for tests of the injector alone.

fake_agent.py [options] -- COMMAND...   runs COMMAND with the injector and writes what arrives
    --library PATH      libflopsprof_inject.so
    --out FILE          one JSON object a line (default: stdout): {"pid", "slot", "type", ...}
    --slots N, --records N   size of the segment
    --cupti 0|1, --modules 0|1   what the welcome asks for
    --delay-ms N        answer a Hello only so late
    --refuse            answer every Hello with a refusal
    --vanish-after N    close the socket after N records, once
    --vanish-every N    close it after each N records of a session, which is read no more then; who
                        comes again finds a new agent
    --vanish-at N       close it when a product of N columns was read, once; the next one is new too
    --next-records N    records of all segments but the first
    --scribble          write nonsense into the header of a segment as its agent goes
    --leave             no other agent comes after the first: its socket goes too
    --refuse-next N     refuse so many Hellos after the first session
    --strange-next N    answer so many of them in another version
    --no-drain          never read a ring before the process has ended

The exit code is the command's. At the end of each process: {"type": "end", counters ...}.
"""
import argparse
import array
import fcntl
import json
import mmap
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

RECORD = 64
HEADER = 4096
SLOT_HEADER = 256
SEGMENT_MAGIC = 0x31304D4853504C46
HELLO_MAGIC = 0x313048454C464C46
WELCOME_MAGIC = 0x31304C4557464C46
VERSION = 3
NO_STEP = 0xFFFFFFFF
LOSS = {}  # index -> name, read from the header file

# type -> (name, struct of what follows the header, field names)
LAYOUTS = {
    3: ("scope", "<IIIIIBBHQ24x", "scope parent name class_name domain kind known depth object"),
    4: ("module", "<IIIIQQQQ8x",
        "root_scope path class_name order object own_params total_params trainable_params"),
    5: ("scope_enter", "<IIQIB3xQQI12x",
        "scope category_name payload category payload_type mono_ns range frame"),
    6: ("gemm", "<IIHBBBBBBqqqqQ",
        "call scope api type_a type_b type_c compute_type math_mode epilogue m n k batch mono_ns"),
    7: ("cudnn", "<IIHHI40x", "call scope api reserved plan"),
    8: ("collective", "<IIHBBiQQQiiQ",
        "call scope api kind data_type rank_count count bytes group peer rank sequence"),
    9: ("launch", "<IIIHBBIIQ24x",
        "correlation scope call cbid domain reserved stack stack_launches mono_ns"),
    10: ("activity", "<IIBBHIQQQQII",
         "correlation name kind copy_kind device stream start_gpu_ns end_gpu_ns bytes graph_node "
         "graph context"),
    11: ("step", "<BB2xIQI36x", "event helped number mono_ns first_label"),
    12: ("device", "<HBBIIIQ16s16x",
         "ordinal major minor name sm_count clock_khz memory_bytes uuid"),
    13: ("clock", "<QQQ32x", "mono_ns gpu_ns gap_ns"),
    14: ("note", "<II48x", "key value"),
    15: ("goodbye", "<B7xQ40x", "reason mono_ns"),
    16: ("call_end", "<IiHHI40x", "call status api reserved scope"),
    17: ("graph_launch", "<IIQ40x", "correlation scope executable"),
    18: ("graph_event", "<B7xQQQQQII",
         "kind order capture graph source executable graph_id other_id"),
    19: ("graph_call", "<IIQQ32x", "call scope capture graph"),
    21: ("library", "<IIHBBBBBxqqqqq",
         "call scope api data_type compute_type math_mode variant reason "
         "size0 size1 size2 size3 size4"),
    24: ("operation", "<IIHbBB3x10I",
         "call scope operation scalar_type variant reason s0 s1 s2 s3 s4 s5 s6 s7 s8 s9"),
    25: ("named_work", "<IIHbBIIIQ24x",
         "call scope reserved scalar_type known name shape reason flops"),
    26: ("module_sizes", "<IIQQQQQI4x",
         "root_scope path local_params buffers expert_params active_params param_bytes weights"),
    27: ("mark", "<IIIIQIB27x",
         "scope name domain category_name payload category payload_type"),
    28: ("module_alias", "<III44x", "root_scope alias path"),
    29: ("scope_exit", "<IIQQB31x", "scope frame mono_ns range kind"),
}
STRING_FIELDS = ("name", "class_name", "domain", "path", "key", "value", "category_name", "alias")


def read_loss_names():
    path = os.path.join(os.path.dirname(__file__), "../../proto/shm/loss_counters.h")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip().startswith("X(k"):
                parts = line.strip()[2:].split(",")
                LOSS[int(parts[1])] = parts[2].strip().strip('"')


class Segment:
    def __init__(self, options, records):
        self.slots, self.records = options.slots, records
        self.stride = SLOT_HEADER + self.records * RECORD
        self.bytes = HEADER + self.slots * self.stride
        self.fd = os.memfd_create("flopsprof", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, self.bytes)
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS,
                    fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        self.map = mmap.mmap(self.fd, self.bytes)
        struct.pack_into("<QIIIIQQ", self.map, 0, SEGMENT_MAGIC, 2, RECORD, self.slots,
                         self.records, self.stride, HEADER)
        struct.pack_into("<I", self.map, 40, 1 if options.host_clock else 0)
        struct.pack_into("<I", self.map, 64, 3 if options.host_clock else 1)  # recording
        self.generation = [0] * self.slots

    def base(self, slot):
        return HEADER + slot * self.stride

    def drain(self):
        """Yields (slot, generation, record bytes)."""
        for slot in range(self.slots):
            base = self.base(slot)
            state, generation = struct.unpack_from("<II", self.map, base)
            head, = struct.unpack_from("<Q", self.map, base + 64)
            tail, = struct.unpack_from("<Q", self.map, base + 128)
            while tail < head:
                at = base + SLOT_HEADER + (tail % self.records) * RECORD
                yield slot, generation, bytes(self.map[at:at + RECORD])
                tail += 1
                struct.pack_into("<Q", self.map, base + 128, tail)
            if state == 2 and struct.unpack_from("<Q", self.map, base + 64)[0] == tail:
                struct.pack_into("<I", self.map, base, 0)

    def counters(self):
        before = struct.unpack_from("<5Q", self.map, 832)
        names = ("launches", "activities", "hook_calls", "module_calls", "nodes", "own_cpu_ns",
                 "cupti_overhead_ns")
        result = dict(zip(names, struct.unpack_from("<7Q", self.map, 136)))
        result["process_state"], = struct.unpack_from("<I", self.map, 128)
        loss = struct.unpack_from("<64Q", self.map, 192)
        result["loss"] = {LOSS.get(i, str(i)): n for i, n in enumerate(loss) if n}
        result["slots_used"] = sum(
            struct.unpack_from("<I", self.map, self.base(s) + 4)[0] for s in range(self.slots))
        result["slots_owned"] = sum(
            struct.unpack_from("<I", self.map, self.base(s))[0] == 1 for s in range(self.slots))
        result.update(zip(("calls_before", "calls_dropped", "calls_away", "launches_away",
                           "activities_unwritten"), before))
        result["calls_written"] = sum(
            struct.unpack_from("<Q", self.map, self.base(s) + 80)[0] for s in range(self.slots))
        return result


class Process:
    """One injected process: decodes its records and writes them down."""

    def __init__(self, agent, connection, hello):
        self.agent, self.connection = agent, connection
        self.pid = hello["pid"]
        self.session = hello["session"]
        self.records = 0
        self.segment = Segment(agent.options, agent.records_of_next())
        self.vanishes = False  # --vanish-at
        self.blobs, self.strings, self.plans = {}, {}, {}
        self.rows = []
        self.write({"type": "hello", **hello})

    def write(self, row):
        self.rows.append({"pid": self.pid, **row})

    def drain(self):
        for slot, generation, record in self.segment.drain():
            kind, phase, flags, step = struct.unpack_from("<HBBI", record)
            self.agent.records += 1
            self.records += 1
            if kind in (1, 2):
                self.blob(slot, record, kind)
                continue
            if kind not in LAYOUTS:
                self.write({"type": f"unknown {kind}"})
                continue
            name, layout, fields = LAYOUTS[kind]
            values = dict(zip(fields.split(), struct.unpack_from(layout, record, 8)))
            values.pop("reserved", None)
            if "uuid" in values:
                values["uuid"] = values["uuid"].hex()
            if name == "gemm" and values["n"] == self.agent.options.vanish_at:
                self.vanishes = True
            self.write({"slot": slot, "generation": generation, "type": name, "phase": phase,
                        "flags": flags, "step": None if step == NO_STEP else step, **values})

    def blob(self, slot, record, kind):
        if kind == 1:
            what, _, number, total, inline = struct.unpack_from("<HHIII", record, 8)
            self.blobs[slot] = (what, number, total, bytearray(record[24:24 + inline]))
        else:
            number, offset = struct.unpack_from("<II", record, 8)
            what, begun, total, data = self.blobs[slot]
            assert begun == number and len(data) == offset, "blob with a hole"
            data += record[16:16 + min(48, total - offset)]
        what, number, total, data = self.blobs[slot]
        if len(data) == total:
            table = self.strings if what == 1 else self.plans
            table[number] = data.decode("utf-8", "replace")

    def finish(self, read=True):
        if read:
            self.drain()
        for row in self.rows:
            for field in STRING_FIELDS:
                if isinstance(row.get(field), int):
                    row[field] = self.strings.get(row[field], "") if row[field] else ""
            if row["type"] == "cudnn":
                plan = self.plans.get(row["plan"])
                row["graph"] = json.loads(plan) if plan else None
            self.agent.emit(row)
        self.agent.emit({"pid": self.pid, "type": "end", "session": self.session,
                         **self.segment.counters()})
        if self.agent.options.scribble and not read:
            self.segment.map[16:56] = b"\x7f" * 40
        self.connection.close()
        self.segment.map.close()
        os.close(self.segment.fd)


class Agent:
    def __init__(self, options):
        self.options = options
        self.records = 0
        self.folder = tempfile.mkdtemp(prefix="fpagent")
        self.path = os.path.join(self.folder, "agent.sock")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(self.path)
        self.socket.listen(128)
        self.out = open(options.out, "w", encoding="utf-8") if options.out else sys.stdout
        self.processes = {}
        self.epoch = 0
        self.strange_answers = options.refuse_next + options.strange_next
        self.abandoned = []  # by --vanish-after; read again when the command has ended
        self.stop = False

    def records_of_next(self):
        options = self.options
        return options.next_records if options.next_records and self.epoch else options.records

    def emit(self, row):
        print(json.dumps(row), file=self.out)

    def accept(self):
        connection, _ = self.socket.accept()
        data = connection.recv(256)
        if len(data) != 120:
            connection.close()
            return
        keys = ("magic version record_bytes pid parent_pid rank local_rank world_size node_rank "
                "restart identity_source start_mono_ns image session").split()
        hello = dict(zip(keys, struct.unpack_from("<QIIiiiiiiiIQQI", data)))
        assert hello.pop("magic") == HELLO_MAGIC
        options = self.options
        if options.delay_ms:
            time.sleep(options.delay_ms / 1000)
        wants = options.cupti | options.modules << 1
        if options.refuse or (self.epoch > 0 and self.strange_answers > 0):
            self.strange_answers -= 1
            strange = options.strange_next > 0
            connection.send(struct.pack("<QIIQII96sQ", WELCOME_MAGIC, VERSION + strange, strange, 0, 0,
                                        0, b"no", 0))
            connection.close()
            return
        process = Process(self, connection, hello)
        self.epoch += 1
        welcome = struct.pack("<QIIQII96xQ", WELCOME_MAGIC, VERSION, 1, process.segment.bytes,
                              wants, 0, self.epoch)
        try:
            connection.sendmsg([welcome], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                            array.array("i", [process.segment.fd]))])
        except BrokenPipeError:  # it has gone meanwhile
            connection.close()
            return
        self.processes[connection.fileno()] = process

    def run(self):
        while True:
            for process in self.processes.values():
                if not self.options.no_drain:
                    process.drain()
            if self.options.vanish_after and self.records >= self.options.vanish_after:
                for process in self.processes.values():
                    process.connection.shutdown(socket.SHUT_RDWR)
                    self.abandoned.append(process)
                self.processes = {}
            for key, process in list(self.processes.items()):
                many = self.options.vanish_every
                if process.vanishes or (many and process.records >= many):
                    del self.processes[key]
                    if self.options.leave:
                        self.leave()
                    self.options.vanish_at = None
                    process.finish(read=False)
            listening = [self.socket] if self.socket else []
            ready, _, _ = select.select([*listening, *self.processes], [], [], 0.002)
            for item in ready:
                if item is self.socket:
                    self.accept()
                    continue
                process = self.processes[item]
                if process.connection.recv(1) == b"":
                    del self.processes[item]
                    process.finish()
            if self.stop and not self.processes and not ready:
                for process in self.abandoned:
                    process.finish()
                return

    def leave(self):
        if self.socket:
            self.socket.close()
            self.socket = None
            os.unlink(self.path)

    def close(self):
        self.out.flush()
        self.leave()
        os.rmdir(self.folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default=os.environ.get("FLOPSPROF_INJECT"))
    parser.add_argument("--out")
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--host-clock", action="store_true")
    parser.add_argument("--records", type=int, default=16384)
    parser.add_argument("--cupti", type=int, default=1)
    parser.add_argument("--modules", type=int, default=1)
    parser.add_argument("--delay-ms", type=int, default=0)
    parser.add_argument("--refuse", action="store_true")
    parser.add_argument("--vanish-after", type=int, default=0)
    parser.add_argument("--vanish-every", type=int, default=0)
    parser.add_argument("--vanish-at", type=int)
    parser.add_argument("--next-records", type=int, default=0)
    parser.add_argument("--scribble", action="store_true")
    parser.add_argument("--leave", action="store_true")
    parser.add_argument("--refuse-next", type=int, default=0)
    parser.add_argument("--strange-next", type=int, default=0)
    parser.add_argument("--no-drain", action="store_true")
    parser.add_argument("--no-preload", action="store_true", help="CUDA_INJECTION64_PATH only")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    read_loss_names()
    agent = Agent(options)
    thread = threading.Thread(target=agent.run, daemon=True)
    thread.start()
    library = os.path.abspath(options.library)
    environment = dict(os.environ, FLOPSPROF_SOCKET=agent.path, CUDA_INJECTION64_PATH=library)
    if not options.no_preload:
        others = environment.get("LD_PRELOAD", "")
        environment["LD_PRELOAD"] = library + (":" + others if others else "")
    status = subprocess.call(command, env=environment)
    agent.stop = True
    thread.join()
    agent.close()
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()

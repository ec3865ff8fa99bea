// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

#include "faults.h"
#include "switches.h"
#include "thread_state.h"

namespace simgpu {
namespace {

std::atomic<uint64_t> g_ordinals{0};
std::atomic<int> g_file{-1};

struct Start {
  // A child process has a ledger of its own.
  Start() {
    pthread_atfork(nullptr, nullptr, [] { g_file = -1; });
  }
} g_start;

// The file of this process, or -1.
int File() {
  const std::string& dir = GetSwitches().ledger_dir;
  if (dir.empty()) return -1;
  int file = g_file.load();
  if (file >= 0) return file;
  const std::string path = dir + "/ledger." + std::to_string(getpid()) + ".jsonl";
  file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    // Tests that asked for a ledger must not run without one.
    fprintf(stderr, "simgpu: SIMGPU_LEDGER: cannot write %s\n", path.c_str());
    _exit(99);
  }
  int expected = -1;
  if (!g_file.compare_exchange_strong(expected, file)) {
    close(file);
    return expected;
  }
  return file;
}

const char* KindName(int kind) {
  switch (kind) {
    case OP_KERNEL:
      return "kernel";
    case OP_MEMCPY:
      return "memcpy";
    case OP_MEMSET:
      return "memset";
    case OP_FAULT:
      return "fault";
    default:
      return "other";
  }
}

const char* CopyName(const SimOp& op) {
  if (op.kind == OP_MEMSET) return "memset";
  switch (op.copyKind) {
    case 1:
      return "HtoD";
    case 2:
      return "DtoH";
    case 8:
      return "DtoD";
    case 9:
      return "HtoH";
    case 10:
      return "PtoP";
    default:
      return "memcpy";
  }
}

// One flat JSON object.
class Line {
 public:
  Line() { text_.reserve(768); }
  void Text(const char* key, const char* value) {
    Key(key);
    text_ += '"';
    for (const char* c = value ? value : ""; *c; ++c) {
      const auto byte = static_cast<unsigned char>(*c);
      if (*c == '"' || *c == '\\') {
        text_ += '\\';
        text_ += *c;
      } else if (byte < 0x20) {
        char escaped[8];
        snprintf(escaped, sizeof escaped, "\\u%04x", byte);
        text_ += escaped;
      } else {
        text_ += *c;
      }
    }
    text_ += '"';
  }
  void Number(const char* key, uint64_t value) {
    Key(key);
    text_ += std::to_string(value);
  }
  void Numbers(const char* key, const unsigned (&values)[3]) {
    Key(key);
    text_ += '[' + std::to_string(values[0]) + ',' + std::to_string(values[1]) + ',' +
             std::to_string(values[2]) + ']';
  }
  void Flag(const char* key, bool value) {
    Key(key);
    text_ += value ? "true" : "false";
  }
  // One write: lines of different threads do not mix, and a killed process has lost none.
  void Write(int file) {
    text_ += "}\n";
    size_t done = 0;
    while (done < text_.size()) {
      const ssize_t n = write(file, text_.data() + done, text_.size() - done);
      if (n <= 0) return;
      done += static_cast<size_t>(n);
    }
  }

 private:
  void Key(const char* key) {
    text_ += text_.empty() ? '{' : ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
  }
  std::string text_;
};

void WriteLine(const SimOp& op, bool captured, const CaptureOrigin* origin) {
  const int file = File();
  if (file < 0) return;
  const ThreadState& thread = Thread();
  const SimFrame* frame = thread.outer;
  Line line;
  line.Number("ordinal", op.ordinal);
  line.Text("kind", KindName(op.kind));
  line.Text("name", op.kind == OP_KERNEL || op.kind == OP_FAULT ? op.name : CopyName(op));
  line.Number("device", static_cast<uint64_t>(op.dev));
  line.Number("context", static_cast<uint64_t>(op.dev) + 1);
  line.Number("stream", op.stream);
  line.Number("correlation_id", sim_cur_corr());
  line.Text("domain", !frame ? "" : frame->dom == SIM_DRIVER ? "driver" : "runtime");
  line.Number("cbid", frame ? frame->cbid : 0);
  line.Text("api", frame ? frame->fname : "");
  line.Number("start_ns", op.start);
  line.Number("end_ns", op.end);
  line.Number("graph_id", op.graphId);
  line.Number("graph_node_id", op.nodeId);
  line.Number("thread", ThreadId());
  line.Number("bytes", op.bytes);
  line.Numbers("grid", op.g);
  line.Numbers("block", op.b);
  line.Flag("captured", captured);
  line.Text("tag", thread.tag);
  line.Text("call", sim_call_name());
  line.Number("call_id", thread.call_id);
  line.Text("shape", thread.call ? thread.shape : "");
  if (origin) {
    line.Text("node_tag", origin->tag.c_str());
    line.Text("node_call", origin->call.c_str());
    line.Text("node_shape", origin->shape.c_str());
  }
  line.Write(file);
}

}  // namespace

uint64_t NextOrdinal() { return ++g_ordinals; }
uint64_t OrdinalsSoFar() { return g_ordinals; }

void WriteExecuted(const SimOp& op, const CaptureOrigin* origin) { WriteLine(op, false, origin); }

void WriteCaptured(const SimOp& op) { WriteLine(op, true, nullptr); }

void NoteStruck(const char* name) {
  if (GetSwitches().ledger_dir.empty()) return;
  static std::mutex& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::string>;
  std::lock_guard<std::mutex> lock(mutex);
  if (!seen.insert(name).second) return;
  SimOp op;
  op.kind = OP_FAULT;
  op.name = name;
  WriteLine(op, false, nullptr);
}

}  // namespace simgpu

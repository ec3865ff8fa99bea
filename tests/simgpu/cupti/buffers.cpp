// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "buffers.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "faults.h"
#include "state.h"

namespace simgpu {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The worker gathers records for so long before it looks again: one wake-up per record
// would cost the profiled program more than the records do.
constexpr milliseconds kWorkerTick{4};
constexpr milliseconds kFlushPatience{5000};

struct Buffer {
  uint8_t* memory = nullptr;
  size_t size = 0, used = 0;
  size_t max_records = 0;  // 0: as many as fit
  std::vector<uint32_t> offsets;
  std::vector<int> devices;  // of these records
  std::vector<char*> recycled_names;
};

// Latest completion on top of the heap's far end: std::push_heap with this makes the
// earliest the first.
struct ReadyLater {
  bool operator()(const std::unique_ptr<Record>& a, const std::unique_ptr<Record>& b) const {
    return a->ready_ns != b->ready_ns ? a->ready_ns > b->ready_ns : a->sequence > b->sequence;
  }
};

class Delivery {
 public:
  // Leaked: its threads run until the process ends.
  static Delivery& Get() {
    static Delivery& delivery = *new Delivery;
    return delivery;
  }

  CUptiResult Register(CUpti_BuffersCallbackRequestFunc request,
                       CUpti_BuffersCallbackCompleteFunc complete);
  void Put(Record record);
  CUptiResult Flush(bool forced);
  void SetPeriod(uint32_t period_ms);
  void ForgetUndelivered(int device);
  size_t LeaveProcess();
  size_t TakeDropped();
  CUptiResult Next(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record);

 private:
  Delivery() {
    pthread_atfork(nullptr, nullptr, [] { Get().worker_pid_ = 0; });
  }

  // What the worker does, in turns.
  void RunWorker();
  void MoveReady(uint64_t until_ns);
  void MoveIncomplete();
  void Append(const Record& record);
  void CutAll(bool forced);
  void Queue(Buffer buffer);
  void WaitDelivered();
  void RunDeliverer();
  void Deliver(Buffer buffer);
  bool Request(Buffer* buffer);

  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete_{nullptr};
  std::atomic<pid_t> worker_pid_{0};

  std::mutex mutex_;
  std::condition_variable work_, flushed_, queued_, delivered_;
  std::vector<std::unique_ptr<Record>> pending_;  // a heap; by ready time
  std::map<uint32_t, Buffer> current_;            // by thread; one per thread
  std::vector<Buffer> spare_;                     // given by the client, not in use yet
  std::deque<Buffer> full_;                       // held back until the next period
  std::deque<Buffer> queue_;                      // for the deliverers
  size_t delivering_ = 0;
  uint64_t sequence_ = 0;
  uint64_t buffers_ = 0;
  size_t dropped_ = 0;
  bool dropped_by_script_ = false;
  uint64_t flush_wanted_ = 0, flush_done_ = 0;
  bool flush_forced_ = false;
  milliseconds period_{0};
  Clock::time_point next_period_;

  // Offsets of the records in delivered buffers, kept when the fault script makes records
  // that their kind does not tell the size of.
  std::mutex layout_mutex_;
  std::unordered_map<uint8_t*, std::vector<uint32_t>> layouts_;
};

thread_local bool t_is_delivery_thread = false;

bool OddRecords() {
  const Faults& faults = GetFaults();
  return faults.moved_fields.Any() || faults.unknown_kind.Any() || faults.longer_record.Any() ||
         faults.shorter_record.Any();
}

// Up to 5 ms more or less, by the seed.
uint64_t Jitter(uint64_t sequence) {
  const uint64_t seed = GetFaults().shuffle_seed;
  if (seed == 0) return 0;
  NoteStruck("shuffle");
  uint64_t x = sequence * 0x9E3779B97F4A7C15u + seed;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 32;
  return x % 5000000;
}

CUptiResult Delivery::Register(CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete) {
  if (!request || !complete) return CUPTI_ERROR_INVALID_PARAMETER;
  request_ = request;
  complete_ = complete;
  std::lock_guard<std::mutex> lock(mutex_);
  if (worker_pid_ != 0) return CUPTI_SUCCESS;
  worker_pid_ = getpid();
  std::thread([this] { RunWorker(); }).detach();
  if (GetFaults().callback_threads > 1) NoteStruck("callback_threads");
  for (unsigned i = 0; i < GetFaults().callback_threads; ++i) {
    std::thread([this] { RunDeliverer(); }).detach();
  }
  return CUPTI_SUCCESS;
}

// Asks the client for a buffer, with no lock held. False: it gave none.
bool Delivery::Request(Buffer* buffer) {
  const auto request = request_.load();
  if (!request) return false;
  request(&buffer->memory, &buffer->size, &buffer->max_records);
  return buffer->memory != nullptr;
}

void Delivery::Put(Record record) {
  record.thread = static_cast<uint32_t>(syscall(SYS_gettid));
  const bool timed = record.end_ns != 0 && sim_realtime();
  std::unique_lock<std::mutex> lock(mutex_);
  if (!complete_.load()) {
    ++dropped_;
    return;
  }
  if (GetFaults().late_ms != 0) NoteStruck("late_ms");
  record.sequence = ++sequence_;
  record.ready_ns =
      (timed ? record.end_ns : sim_now()) + GetFaults().late_ms * 1000000 + Jitter(record.sequence);
  const uint32_t key = record.thread;
  pending_.push_back(std::make_unique<Record>(record));
  std::push_heap(pending_.begin(), pending_.end(), ReadyLater());
  if (current_.count(key)) return;
  // The first record of a thread without a buffer: ask on the application's thread, as
  // CUPTI does.
  lock.unlock();
  Buffer buffer;
  if (!Request(&buffer)) return;  // the worker asks again
  lock.lock();
  // The worker may have found one for this thread meanwhile.
  if (current_.count(key)) {
    spare_.push_back(std::move(buffer));
  } else {
    current_[key] = std::move(buffer);
  }
  work_.notify_one();
}

// Puts a complete record into the buffer of its thread. Worker only.
void Delivery::Append(const Record& record) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto fits = [&record](const Buffer& b) {
    return b.used + record.size <= b.size &&
           (b.max_records == 0 || b.offsets.size() < b.max_records);
  };
  auto it = current_.find(record.thread);
  if (it != current_.end() && !fits(it->second)) {
    Buffer done = std::move(it->second);
    current_.erase(it);
    it = current_.end();
    if (period_.count() > 0) {
      full_.push_back(std::move(done));
    } else {
      lock.unlock();
      Queue(std::move(done));
      lock.lock();
    }
  }
  if (it == current_.end()) {
    Buffer buffer;
    if (!spare_.empty()) {
      buffer = std::move(spare_.back());
      spare_.pop_back();
    } else {
      lock.unlock();
      const bool given = Request(&buffer);
      lock.lock();
      if (!given || !fits(buffer)) {
        ++dropped_;
        lock.unlock();
        if (given) Queue(std::move(buffer));  // the client gets it back
        return;
      }
    }
    // The thread may have asked for one while the lock was free; that one is empty still.
    if (auto its = current_.find(record.thread); its != current_.end()) {
      spare_.push_back(std::move(its->second));
    }
    it = current_.insert_or_assign(record.thread, std::move(buffer)).first;
  }
  Buffer& buffer = it->second;
  memcpy(buffer.memory + buffer.used, record.data, record.size);
  buffer.offsets.push_back(static_cast<uint32_t>(buffer.used));
  buffer.devices.push_back(record.device);
  buffer.used += record.size;
  if (record.recycled_name) buffer.recycled_names.push_back(record.recycled_name);
}

// Moves the records that are complete by then into buffers. Worker only.
void Delivery::MoveReady(uint64_t until_ns) {
  for (;;) {
    std::unique_ptr<Record> record;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (pending_.empty() || pending_.front()->ready_ns > until_ns) return;
      std::pop_heap(pending_.begin(), pending_.end(), ReadyLater());
      record = std::move(pending_.back());
      pending_.pop_back();
    }
    Append(*record);
  }
}

// The rest, for a forced flush: what has ended is complete, however late; what has not
// ended has no times. Worker only.
void Delivery::MoveIncomplete() {
  std::vector<std::unique_ptr<Record>> rest;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    rest.swap(pending_);
  }
  const uint64_t now = sim_now();
  for (auto& record : rest) {
    if (record->end_ns > now && sim_realtime()) MarkIncomplete(record.get());
    Append(*record);
  }
}

// Takes every buffer that holds something; forced: the empty ones too. Worker only.
void Delivery::CutAll(bool forced) {
  std::vector<Buffer> cut;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& buffer : full_) cut.push_back(std::move(buffer));
    full_.clear();
    if (forced) {
      for (auto& buffer : spare_) cut.push_back(std::move(buffer));
      spare_.clear();
    }
    for (auto it = current_.begin(); it != current_.end();) {
      if (it->second.used == 0 && !forced) {
        ++it;
        continue;
      }
      cut.push_back(std::move(it->second));
      it = current_.erase(it);
    }
  }
  for (auto& buffer : cut) Queue(std::move(buffer));
}

void Delivery::Queue(Buffer buffer) {
  bool empty_first;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    empty_first = GetFaults().empty_buffers.Hits(++buffers_);
  }
  Buffer empty;
  if (empty_first && !Request(&empty)) empty_first = false;
  std::lock_guard<std::mutex> lock(mutex_);
  if (empty_first) queue_.push_back(std::move(empty));
  queue_.push_back(std::move(buffer));
  queued_.notify_all();
}

void Delivery::WaitDelivered() {
  std::unique_lock<std::mutex> lock(mutex_);
  delivered_.wait_for(lock, kFlushPatience, [this] { return queue_.empty() && delivering_ == 0; });
}

void Delivery::RunDeliverer() {
  pthread_setname_np(pthread_self(), "simcupti-buf");
  t_is_delivery_thread = true;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    queued_.wait(lock, [this] { return !queue_.empty(); });
    Buffer buffer = std::move(queue_.front());
    queue_.pop_front();
    ++delivering_;
    lock.unlock();
    Deliver(std::move(buffer));
    lock.lock();
    --delivering_;
    delivered_.notify_all();
  }
}

void Delivery::Deliver(Buffer buffer) {
  if (OddRecords()) {
    std::lock_guard<std::mutex> lock(layout_mutex_);
    layouts_[buffer.memory] = std::move(buffer.offsets);
  }
  if (const auto complete = complete_.load()) {
    complete(nullptr, 0, buffer.memory, buffer.size, buffer.used);
  }
  // A module was unloaded and its memory used again; still readable, but something else.
  for (char* name : buffer.recycled_names) memset(name, '?', strlen(name));
}

void Delivery::RunWorker() {
  pthread_setname_np(pthread_self(), "simcupti");
  t_is_delivery_thread = true;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_.wait_for(lock, pending_.empty() ? milliseconds(200) : kWorkerTick,
                   [this] { return flush_wanted_ != flush_done_; });
    const uint64_t flush = flush_wanted_;
    const bool flushing = flush != flush_done_, forced = flush_forced_;
    bool period_over = false;
    if (period_.count() > 0 && Clock::now() >= next_period_) {
      next_period_ = Clock::now() + period_;
      period_over = true;
    }
    lock.unlock();
    MoveReady(sim_now());
    if (flushing) {
      if (forced) MoveIncomplete();
      CutAll(forced);
      WaitDelivered();
    } else if (period_over) {
      std::deque<Buffer> full;
      {
        std::lock_guard<std::mutex> guard(mutex_);
        full.swap(full_);
      }
      for (auto& buffer : full) Queue(std::move(buffer));
    }
    lock.lock();
    if (flushing) {
      flush_done_ = flush;
      if (flush == flush_wanted_) flush_forced_ = false;
      flushed_.notify_all();
    }
  }
}

CUptiResult Delivery::Flush(bool forced) {
  if (!complete_.load()) return CUPTI_ERROR_INVALID_OPERATION;
  // From inside a buffer callback the real one hangs; in a child after fork there is no
  // worker.
  if (t_is_delivery_thread || worker_pid_ != getpid()) return CUPTI_ERROR_INVALID_OPERATION;
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t mine = ++flush_wanted_;
  flush_forced_ |= forced;
  work_.notify_all();
  flushed_.wait_for(lock, kFlushPatience, [this, mine] { return flush_done_ >= mine; });
  return CUPTI_SUCCESS;
}

void Delivery::SetPeriod(uint32_t period_ms) {
  std::lock_guard<std::mutex> lock(mutex_);
  period_ = milliseconds(period_ms);
  next_period_ = Clock::now() + period_;
  work_.notify_all();
}

// A buffer with records of other devices too is kept as it is: what was written there is safe.
void Delivery::ForgetUndelivered(int device) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto its = [device](const auto& record) { return record->device == device; };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), its), pending_.end());
  std::make_heap(pending_.begin(), pending_.end(), ReadyLater());
  for (auto& [thread, buffer] : current_) {
    const auto others = [device](int its) { return its != device; };
    if (std::any_of(buffer.devices.begin(), buffer.devices.end(), others)) continue;
    buffer.used = 0;
    buffer.offsets.clear();
    buffer.devices.clear();
  }
}

size_t Delivery::LeaveProcess() {
  std::lock_guard<std::mutex> lock(mutex_);
  request_ = nullptr;
  complete_ = nullptr;
  const size_t lost = current_.size() + spare_.size() + full_.size() + queue_.size() + delivering_;
  pending_.clear();
  current_.clear();
  spare_.clear();
  full_.clear();
  queue_.clear();
  return lost;
}

size_t Delivery::TakeDropped() {
  std::lock_guard<std::mutex> lock(mutex_);
  size_t dropped = dropped_;
  dropped_ = 0;
  if (!dropped_by_script_ && GetFaults().dropped != 0) {
    NoteStruck("dropped");
    dropped += GetFaults().dropped;
  }
  dropped_by_script_ = true;
  return dropped;
}

CUptiResult Delivery::Next(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  auto* current = reinterpret_cast<uint8_t*>(*record);
  uint8_t* next = buffer;
  if (current) {
    size_t size = 0;
    std::lock_guard<std::mutex> lock(layout_mutex_);
    if (auto it = layouts_.find(buffer); it != layouts_.end()) {
      const auto& offsets = it->second;
      const auto offset = static_cast<uint32_t>(current - buffer);
      const auto after = std::upper_bound(offsets.begin(), offsets.end(), offset);
      size = (after == offsets.end() ? valid_bytes : *after) - offset;
    } else {
      size = RecordSize((*record)->kind);
    }
    if (size == 0) return CUPTI_ERROR_INVALID_KIND;
    next = current + size;
  }
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // namespace

void PutRecord(Record record) { Delivery::Get().Put(record); }

CUptiResult RegisterBufferCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                    CUpti_BuffersCallbackCompleteFunc complete) {
  return Delivery::Get().Register(request, complete);
}

CUptiResult Flush(bool forced) { return Delivery::Get().Flush(forced); }
void SetFlushPeriod(uint32_t period_ms) { Delivery::Get().SetPeriod(period_ms); }
void ForgetUndelivered(int device) { Delivery::Get().ForgetUndelivered(device); }
size_t LeaveProcess() { return Delivery::Get().LeaveProcess(); }
size_t TakeDropped() { return Delivery::Get().TakeDropped(); }

CUptiResult NextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  return Delivery::Get().Next(buffer, valid_bytes, record);
}

}  // namespace simgpu

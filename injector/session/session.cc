// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/session.h"

#include <atomic>

#include "injector/base/env_config.h"
#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/cupti/cupti_detach.h"
#include "injector/cupti/cupti_session.h"
#include "injector/cupti/device_info.h"
#include "injector/cupti/refusals.h"
#include "injector/python/install.h"
#include "injector/python/rest.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/steps.h"
#include "injector/session/exit_path.h"
#include "injector/session/fork_guard.h"
#include "injector/session/helper_thread.h"
#include "injector/session/library_notes.h"
#include "injector/session/window.h"
#include "injector/stacks/stack_sampler.h"
#include "injector/stacks/stack_table.h"
#include "injector/transport/agent_link.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"
#include "injector/transport/thread_state.h"
#include "proto/shm/handshake.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kLateWelcomeNs = 30000000000u;
constexpr uint64_t kConnectPollNs = 100000;
constexpr uint64_t kExitWaitNs = 1000000000u;
constexpr uint64_t kDetachPollNs = 20000000u;
constexpr uint64_t kYieldWaitNs = 1000000000u;
// A program that nothing of ours sees use CUDA has come through cuInit by then. Not asked where
// CUPTI is ours, which tells.
constexpr uint64_t kInitializedNs = 30000000000u;
constexpr uint64_t kInitPatienceNs = 60000000000u;

std::atomic<SessionState> state{SessionState::kDormant};
std::atomic<bool> foreign_cupti_client{false};
std::atomic<uint64_t> connect_deadline_ns{0};  // first calls of other threads wait until then
AgentLink link_to_agent;
std::atomic<bool> cuda_is_up{false};
// CUPTI could not be started yet: the program was inside of cuInit, or had no libcupti.
std::atomic<bool> times_are_owed{false};
std::atomic<int> cuda_failure{0};  // newest status that told about the machine
uint64_t begun_ns = 0;
bool clock_was_told = false;  // helper thread only
// What had been mapped when a libcupti was last looked for in vain; 0: it never was. Another one
// comes only with another object.
std::atomic<uint64_t> objects_without_cupti{0};
int32_t session_pid = 0;
void (*detach_action)() = nullptr;
constexpr StepEdges kWindowEdges = {BeforeStepBegins, AfterStepBegan};

void EmitProcessBegin() {
  shm::StepRecord begin{};
  begin.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
  begin.header.step = shm::kNoStep;
  begin.event = static_cast<uint8_t>(shm::StepEvent::kProcessBegin);
  begin.mono_ns = MonoNs();
  EmitRecord(&begin);
}

GraphTimes GraphTimesOf(uint32_t options) {
  const bool launches = (options & shm::kOptionGraphLaunches) != 0;
  if ((options & shm::kOptionGraphAuto) == 0) {
    return launches ? GraphTimes::kLaunches : GraphTimes::kNodes;
  }
  return GraphTimes::kAuto;
}

// The session begins inside of cuInit, which holds locks of the driver that CUPTI takes as well:
// the helper thread calls into neither before the program has come out of it.
bool MayCallCuda() {
  if (cuda_is_up.load(std::memory_order_relaxed)) return true;
  const bool is_up = Statistics()->launches.load(std::memory_order_relaxed) != 0 ||
                     (!CuptiIsOurs() && MonoNs() - begun_ns > kInitializedNs);
  if (is_up) NoteCudaIsUp();
  return is_up;
}

void TellClock() {
  EmitClockPair();
  clock_was_told = true;
}

// Windows and calls that end may ask at once: one of them starts.
void StartTimes() {
  static std::atomic<bool> starting{false};
  if (starting.exchange(true, std::memory_order_acq_rel)) return;
  const uint64_t objects = CountObjectsEverMapped();
  const bool started = StartCupti(foreign_cupti_client.load(std::memory_order_relaxed),
                                  GraphTimesOf(link_to_agent.options()));
  objects_without_cupti.store(started ? 0 : objects, std::memory_order_relaxed);
  times_are_owed.store(!started, std::memory_order_release);
  starting.store(false, std::memory_order_release);
}

// The loader is asked for files in vain only where it has mapped something since, and never on the
// program's thread: that begins with a libcupti that is mapped, else the helper thread looks.
bool MayFindCupti(bool on_program_thread) {
  const uint64_t before = objects_without_cupti.load(std::memory_order_relaxed);
  if (before == 0) return true;
  if (CountObjectsEverMapped() == before) return false;
  LibraryPath path;
  return !on_program_thread || FindLoadedLibrary("libcupti.so", 0, &path);
}

// On the helper thread, or on the program's at the exit of a call that shows that CUDA is up.
void StartOwedTimes(bool on_program_thread) {
  if (!times_are_owed.load(std::memory_order_acquire) || !IsRecording()) return;
  if (!MayFindCupti(on_program_thread)) return;
  if (times_are_owed.exchange(false, std::memory_order_acq_rel)) StartTimes();
}

// The segment is mapped: everything begins. Runs once, on the thread that got the welcome. False:
// the process has begun to end meanwhile, and it is too late to call into CUDA. `may_call_cuda`: on
// the program's thread, where the driver lets its tools begin.
bool BeginRecording(bool may_call_cuda) {
  UseSegment(link_to_agent.segment());
  auto expected = SessionState::kConnecting;
  if (!state.compare_exchange_strong(expected, SessionState::kRecording,
                                     std::memory_order_acq_rel)) {
    CurrentSegment()->process_state.store(static_cast<uint32_t>(shm::ProcessState::kDead),
                                          std::memory_order_release);
    return false;
  }
  begun_ns = MonoNs();
  EmitProcessBegin();
  if (!IsRecording()) EmitNote("recording", "paused at start");
  const auto not_understood = SettingsNotUnderstood();
  if (not_understood.get()[0] != '\0') EmitNote("environment", not_understood.get());
  DefineScopesSoFar();
  const uint32_t options = link_to_agent.options();
  StartStacks(link_to_agent.stacks_per_second());
  CurrentSegment()->step.store(CurrentAttribution().step, std::memory_order_relaxed);
  if ((options & shm::kOptionCupti) == 0) {
    EmitNote("cupti", "not wanted");
  } else if (cuda_failure.load(std::memory_order_relaxed) != 0) {
    EmitNote("cupti", "of no use");
  } else if (IsRecording() && (may_call_cuda || MayCallCuda())) {
    if (!cuda_is_up.load(std::memory_order_relaxed)) CountContextsFromNow();
    StartTimes();
  } else if (IsRecording()) {
    times_are_owed.store(true, std::memory_order_release);
  } else {
    EmitNote("cupti", "paused");
  }
  if ((options & shm::kOptionModules) != 0) BeginScopes();
  return true;
}

void Die() {
  StopRecording();
  link_to_agent.Close();
  state.store(SessionState::kDead, std::memory_order_release);
}

// The agent did not answer within the first call's patience: go on waiting where nobody waits
// for us. Hooked calls until then are counted as lost.
bool FinishConnecting() {
  const SessionState now = state.load(std::memory_order_acquire);
  if (now != SessionState::kConnecting) return now != SessionState::kDead;
  if (link_to_agent.AwaitSegment(kLateWelcomeNs) == AgentLink::Result::kReady &&
      BeginRecording(false)) {
    return true;
  }
  Die();
  return false;
}

bool HasEnded() { return state.load(std::memory_order_acquire) == SessionState::kDead; }

// Nothing is done once the session has ended: CUDA may be taking itself apart by then.
void HandleRequests(uint32_t requests) {
  if (HasEnded()) return;
  FoldCounts();
  if ((requests & kRequestFlush) != 0 && MayCallCuda()) {
    if (!clock_was_told) TellClock();
    FlushCupti(true);
  }
  if ((requests & kRequestStopCupti) != 0) StopCupti();
  if ((requests & kRequestDevices) != 0) {
    if (MayCallCuda()) EmitNewDevices();
    EmitLibraryNotes();
  }
}

void Tick() {
  if (state.load(std::memory_order_acquire) != SessionState::kRecording) return;
  FoldCounts();
  if (MayCallCuda()) {
    StartOwedTimes(false);
    FlushCupti(false);
    TickCupti();
    TellClock();
    EmitNewDevices();
  }
  EmitLibraryNotes();
  if ((link_to_agent.options() & shm::kOptionModules) != 0) TickScopes();
}

// Between the windows of --max-overhead: then not even modules are followed.
void FollowRest(bool may_rest, shm::SegmentHeader* header) {
  if ((link_to_agent.options() & shm::kOptionRest) == 0) return;
  const bool rests = LetScopesRest(may_rest && !IsRecording());
  header->resting.store(rests ? 1 : 0, std::memory_order_relaxed);
}

// CUPTI is only held while somebody wants times: the program's own profiler may need it.
void FollowTimesWanted(shm::SegmentHeader* header) {
  if (!MayCallCuda()) return;
  const bool leaving = FollowCuptiDetach();
  const uint32_t wanted = header->times_wanted.load(std::memory_order_acquire);
  // Before the answer: the window that comes finds modules followed.
  FollowRest(wanted == 0, header);
  if (wanted == header->times_answer.load(std::memory_order_relaxed)) return;
  if ((link_to_agent.options() & shm::kOptionCupti) != 0) {
    if (wanted != 0 && !CuptiIsOurs()) {
      if (leaving && !CancelDetach(0)) return;  // it runs: at the next look
      StartTimes();
      TellClock();
      EmitNewDevices();
    } else if (wanted == 0) {
      FlushCupti(true);
      DetachCupti();
      ForgetActivities();
    }
  }
  header->times_answer.store(wanted, std::memory_order_release);
}

// What `flopsprof ctl` has asked for.
void FollowAgent() {
  if (state.load(std::memory_order_acquire) != SessionState::kRecording) return;
  shm::SegmentHeader* header = CurrentSegment();
  if (header == nullptr || header->controlled.load(std::memory_order_relaxed) == 0) return;
  FollowWindow(CurrentStepNumber());
  FollowTimesWanted(header);
  const uint32_t flush = header->flush_wanted.load(std::memory_order_acquire);
  const bool asked = flush != header->flush_answer.load(std::memory_order_relaxed);
  // After a window its last kernels are waited for.
  if (MayCallCuda() && (asked || (!IsRecording() && CuptiIsOurs()))) FlushCupti(false);
  if (asked) {
    FoldCounts();
    header->flush_answer.store(flush, std::memory_order_release);
  }
}

bool AgentHasGone() {
  if (link_to_agent.AgentHasGone()) return true;
  const bool recording = state.load(std::memory_order_acquire) == SessionState::kRecording;
  if (recording && times_are_owed.load(std::memory_order_relaxed) && MayCallCuda()) {
    StartOwedTimes(false);
  }
  if (!clock_was_told && recording && MayCallCuda()) TellClock();
  FollowAgent();
  return false;
}

// The process may end meanwhile: then nothing of CUDA is called any more.
void GiveUpCuptiAfterInit() {
  const uint64_t until_ns = MonoNs() + kInitPatienceNs;
  while (CuptiIsOurs() && !MayCallCuda()) {
    if (IsDetachForgotten() || MonoNs() > until_ns) return EndPreparing();
    SleepNs(kDetachPollNs);
  }
  if (!IsDetachForgotten()) DetachCupti();
}

void OnAgentGone() {
  FoldCounts();
  PrepareDetach();  // before requests cease to be answered: who wants CUPTI waits for this
  auto expected = SessionState::kRecording;
  if (!state.compare_exchange_strong(expected, SessionState::kDead, std::memory_order_acq_rel)) {
    return;  // the process ends: its CUDA and its Python are not ours to call any more
  }
  CountLoss(shm::LossCounter::kAgentGone);
  StopRecording();
  GiveUpCuptiAfterInit();
  EndScopes();
  if (detach_action != nullptr) detach_action();
  while (FollowCuptiDetach()) SleepNs(kDetachPollNs);
}

void Connect() {
  session_pid = ProcessId();
  InstallForkGuard();  // without an agent, too, threads take the lock of their states
  const char* path = AgentSocketPath();
  if (path == nullptr || !link_to_agent.Connect(path)) {
    state.store(SessionState::kDead, std::memory_order_release);
    return;
  }
  PrepareThreadEnds();
  PrepareScopeEnds();
  SetStepEdges(&kWindowEdges);
  const AgentLink::Result result = link_to_agent.AwaitSegment(ConnectTimeoutNs());
  if (result == AgentLink::Result::kRefused) {
    Die();
    return;
  }
  if (result == AgentLink::Result::kReady && !BeginRecording(true)) {
    Die();
    return;
  }
  InstallExitPath();
  const HelperWork work = {FinishConnecting, HandleRequests, Tick, AgentHasGone, OnAgentGone};
  if (StartHelperThread(work)) return;
  if (result == AgentLink::Result::kReady) {
    EmitNote("helper_thread", "could not be started: times arrive at the end only");
  } else {
    Die();
  }
}

}  // namespace

SessionState CurrentSessionState() { return state.load(std::memory_order_acquire); }

void StartSession() {
  const ErrnoKeeper keep;
  auto expected = SessionState::kDormant;
  if (state.load(std::memory_order_relaxed) != expected) return;
  connect_deadline_ns.store(MonoNs() + ConnectTimeoutNs(), std::memory_order_relaxed);
  if (!state.compare_exchange_strong(expected, SessionState::kConnecting,
                                     std::memory_order_acq_rel)) {
    return;
  }
  // Calls that this makes into hooked libraries are not the program's.
  ThreadState* thread = CurrentThread();
  if (thread != nullptr) thread->inside_injector = true;
  Connect();
  if (thread != nullptr) thread->inside_injector = false;
}

void NoteCudaFailure(int status) {
  const RefusalText why = WhyCudaFails(status);
  if (why.get()[0] == '\0' || cuda_failure.exchange(status, std::memory_order_relaxed) == status)
    return;
  const ErrnoKeeper keep;
  const ThreadState* thread = CurrentThread();
  if (thread == nullptr || thread->inside_injector) return;
  if (CurrentSessionState() == SessionState::kDormant) StartSession();
  EmitNote("CUDA", why.get());
}

void NoteCudaIsUp() { cuda_is_up.store(true, std::memory_order_relaxed); }

void OnCudaCallEnded() {
  NoteCudaIsUp();
  if (!times_are_owed.load(std::memory_order_relaxed)) return;
  const ErrnoKeeper keep;
  ThreadState* thread = CurrentThread();
  if (thread == nullptr || thread->inside_injector) return;
  thread->inside_injector = true;
  StartOwedTimes(true);
  thread->inside_injector = false;
}

bool SessionWantsRecords() {
  if (IsRecording()) return true;
  const SessionState now = state.load(std::memory_order_acquire);
  if (now == SessionState::kRecording) {  // paused
    if (!cuda_is_up.load(std::memory_order_relaxed)) NoteCudaIsUp();
    return IsRecording();
  }
  if (now == SessionState::kDormant) StartSession();
  const ErrnoKeeper keep;
  // Another thread may be connecting: within the same patience its calls are recorded as well.
  while (state.load(std::memory_order_acquire) == SessionState::kConnecting &&
         MonoNs() < connect_deadline_ns.load(std::memory_order_relaxed)) {
    SleepNs(kConnectPollNs);
  }
  if (IsRecording()) return true;
  if (state.load(std::memory_order_relaxed) == SessionState::kConnecting) {
    CountLoss(shm::LossCounter::kAgentLate);
  }
  return false;
}

void EndSession(bool fast_exit) {
  // A vfork child shares our memory, but not our process id.
  if (ProcessId() != session_pid) return;
  ForgetDetach();
  auto expected = SessionState::kConnecting;
  if (state.compare_exchange_strong(expected, SessionState::kDead, std::memory_order_acq_rel)) {
    return;  // a late answer of the agent begins nothing any more
  }
  expected = SessionState::kRecording;
  // A signal handler may be what ends us so fast: no lock then.
  if (!fast_exit && state.load(std::memory_order_acquire) == expected) {
    SettleSteps();
    SettleScopes();
    if (times_are_owed.load(std::memory_order_acquire)) NoteNoCupti();
  }
  if (!state.compare_exchange_strong(expected, SessionState::kDraining,
                                     std::memory_order_acq_rel)) {
    return;
  }
  if (!AskHelper(kRequestFlush | kRequestDevices, kExitWaitNs)) {
    CountLoss(shm::LossCounter::kFlushIncomplete);
  }
  shm::GoodbyeRecord goodbye{};
  goodbye.header.type = static_cast<uint16_t>(shm::RecordType::kGoodbye);
  goodbye.header.step = shm::kNoStep;
  goodbye.reason =
      static_cast<uint8_t>(fast_exit ? shm::GoodbyeReason::kFastExit : shm::GoodbyeReason::kExit);
  goodbye.mono_ns = MonoNs();
  EmitRecord(&goodbye);
  FoldCounts();
  StopRecording();
  CurrentSegment()->process_state.store(static_cast<uint32_t>(shm::ProcessState::kGoodbye),
                                        std::memory_order_release);
  state.store(SessionState::kDead, std::memory_order_release);
}

void YieldCupti() {
  const ErrnoKeeper keep;
  NoteForeignCuptiClient();
  const uint64_t until_ns = MonoNs() + kYieldWaitNs;
  // Its wait is for CUPTI alone: what finds no room in a ring is counted as lost.
  const NobodyWaitsForRoom nobody_waits;
  if (CuptiIsOurs() && !HasEnded()) {
    CountLoss(shm::LossCounter::kCuptiYielded);
    EmitNote("cupti", "given up for the job's own profiler");
    if (!AskHelper(kRequestFlush | kRequestStopCupti, kYieldWaitNs)) {
      CountLoss(shm::LossCounter::kFlushIncomplete);
    }
  }
  // The end of a window or of the agent may have come first.
  const uint64_t now_ns = MonoNs();
  if (!CancelDetach(until_ns > now_ns ? until_ns - now_ns : 0)) {
    CountLoss(shm::LossCounter::kFlushIncomplete);
    EmitNote("cupti", "could not be given up in time for the job's own profiler");
  }
}

void NoteForeignCuptiClient() { foreign_cupti_client.store(true, std::memory_order_relaxed); }

void NoteForeignCuptiClientGone() { foreign_cupti_client.store(false, std::memory_order_relaxed); }

void SetDetachAction(void (*action)()) { detach_action = action; }

void AbandonSessionInForkedChild() {
  if (state.load(std::memory_order_relaxed) == SessionState::kDormant) return;
  state.store(SessionState::kDead, std::memory_order_relaxed);
  ForgetDetach();
  ForgetSegmentInForkedChild();
  ForgetThreadsInForkedChild();
  ForgetHelperInForkedChild();
  ForgetStacks();
  link_to_agent.Close();  // or the agent would not see the parent's end while the child lives
  ForgetScopesInForkedChild();
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/session.h"

#include <string.h>

#include <atomic>
#include <initializer_list>

#include "injector/base/env_config.h"
#include "injector/base/platform.h"
#include "injector/cupti/cupti_detach.h"
#include "injector/cupti/cupti_session.h"
#include "injector/cupti/device_info.h"
#include "injector/graphs/capture_state.h"
#include "injector/python/install.h"
#include "injector/python/rest.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/steps.h"
#include "injector/session/away.h"
#include "injector/session/exit_path.h"
#include "injector/session/fork_guard.h"
#include "injector/session/helper_thread.h"
#include "injector/session/library_notes.h"
#include "injector/session/times.h"
#include "injector/session/window.h"
#include "injector/stacks/stack_sampler.h"
#include "injector/stacks/stack_table.h"
#include "injector/transport/agent_link.h"
#include "injector/transport/old_segments.h"
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
constexpr uint64_t kInitPatienceNs = 60000000000u;
// An agent that is started again at once finds CUPTI as it was; the program's own profiler need not
// wait longer for it than after a window.
constexpr uint64_t kAwayCuptiNs = 5000000000u;
constexpr uint64_t kTellPatienceNs = 1000000000u;
constexpr uint64_t kStepRecords = 4096;  // what TellStepsAgain writes at most, about

std::atomic<SessionState> state{SessionState::kDormant};
std::atomic<uint64_t> connect_deadline_ns{0};  // first calls of other threads wait until then
AgentLink link_to_agent;
Away away;  // helper thread only
uint64_t image_ns = 0;
uint32_t sessions = 0;      // that have begun
uint64_t connected_ns = 0;  // when an agent was first looked for
// Asked for once: the helper thread cannot read an environment that the program may change.
char socket_path[108];
uint64_t reconnect_ns = 0;
int32_t session_pid = 0;
void (*detach_action)() = nullptr;
// Of a process that was attached late: what is done once an agent is there, and when all is over.
std::atomic<bool> attach_is_owed{false};
void (*attach_action)() = nullptr;
void (*inert_action)() = nullptr;  // nullptr: it was not attached late
constexpr StepEdges kWindowEdges = {BeforeStepBegins, AfterStepBegan};

bool HasEnded() { return state.load(std::memory_order_acquire) == SessionState::kDead; }

// Asked before each call: once the session has ended, CUDA may be taking itself apart.
bool MayUseCuda() { return !HasEnded() && MayCallCuda(); }

void EmitProcessBegin() {
  shm::StepRecord begin{};
  begin.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
  begin.header.step = shm::kNoStep;
  begin.event = static_cast<uint8_t>(shm::StepEvent::kProcessBegin);
  begin.mono_ns = MonoNs();
  EmitRecord(&begin);
}

void FollowTimesAnswer(shm::SegmentHeader* header) {
  const uint32_t wanted = header->times_wanted.load(std::memory_order_acquire);
  const uint32_t as_wanted = wanted != 0 ? wanted : 1;
  header->times_answer.store(CuptiIsOurs() ? as_wanted : 0, std::memory_order_relaxed);
}

// Times of the first session. `may_call_cuda`: on the program's thread, where the driver lets its
// tools begin.
void BeginTimes(bool may_call_cuda) {
  if ((link_to_agent.options() & shm::kOptionCupti) == 0) {
    EmitNote("cupti", "not wanted");
  } else if (CudaHasFailed()) {
    EmitNote("cupti", "of no use");
  } else if (IsRecording() && (may_call_cuda || MayCallCuda())) {
    StartTimesInInit();
  } else if (IsRecording()) {
    OweTimes();
  } else {
    EmitNote("cupti", "paused");
  }
}

// Another agent has come, which may want other things. Helper thread.
void GoOnWithTimes(shm::SegmentHeader* header) {
  const bool wanted = (link_to_agent.options() & shm::kOptionCupti) != 0 && !CudaHasFailed();
  if (!wanted && CuptiIsOurs()) DetachCupti();
  if (!wanted) return;
  // FollowTimesWanted sees what is to be done.
  if (header->controlled.load(std::memory_order_relaxed) != 0) return FollowTimesAnswer(header);
  if (IsRecording() && !CuptiIsOurs()) OweTimes();
}

// Puts the segment that has come in use. False: the process has begun to end meanwhile.
bool UseNewSegment(SessionState from) {
  UseSegment(link_to_agent.segment(), link_to_agent.slots());
  ++sessions;
  if (!state.compare_exchange_strong(from, SessionState::kRecording, std::memory_order_acq_rel)) {
    StopRecording();
    CurrentSegment()->process_state.store(static_cast<uint32_t>(shm::ProcessState::kDead),
                                          std::memory_order_release);
    return false;
  }
  SetTimesWanted(link_to_agent.options());
  EmitProcessBegin();
  return true;
}

// The segment is mapped: everything begins. Runs once, on the thread that got the welcome. False:
// the process has begun to end meanwhile, and it is too late to call into CUDA.
bool BeginRecording(bool may_call_cuda) {
  if (!UseNewSegment(SessionState::kConnecting)) return false;
  if (!IsRecording()) EmitNote("recording", "paused at start");
  const auto not_understood = SettingsNotUnderstood();
  if (not_understood.get()[0] != '\0') EmitNote("environment", not_understood.get());
  DefineScopesSoFar();
  StartStacks(link_to_agent.stacks_per_second());
  CurrentSegment()->step.store(CurrentAttribution().step, std::memory_order_relaxed);
  BeginTimes(may_call_cuda);
  if ((link_to_agent.options() & shm::kOptionModules) != 0) BeginScopes();
  return true;
}

// Waits for room in the ring as long as no lock is held.
void TellAllAgain() {
  ThreadState* thread = CurrentThread();
  if (thread != nullptr) thread->patient_until_ns = MonoNs() + kTellPatienceNs;
  TellAgain();
  if (thread != nullptr) thread->patient_until_ns = MonoNs() + kTellPatienceNs;
  DefineScopesSoFar();
  AwaitRoom(kStepRecords);
  // What follows is under a lock that the program's threads take.
  if (thread != nullptr) thread->patient_until_ns = 0;
  TellStepsAgain();
}

// The same in a later session, on the helper thread: what is there goes on, and is told again.
bool GoOnRecording() {
  if (MayUseCuda()) FlushCupti(false);  // what comes of it was launched before
  if (!UseNewSegment(SessionState::kAway)) return false;
  FoldCounts();
  shm::SegmentHeader* header = CurrentSegment();
  header->step.store(CurrentStepNumber(), std::memory_order_relaxed);
  DescribeDevicesAgain();
  TellAllAgain();
  LetScopesRest(false);  // FollowRest tells whether this agent lets them
  StartStacks(link_to_agent.stacks_per_second());
  GoOnWithTimes(header);
  if ((link_to_agent.options() & shm::kOptionModules) != 0 && !ScopesEnabled()) BeginScopes();
  return true;
}

void Die() {
  StopRecording();
  link_to_agent.Close();
  state.store(SessionState::kDead, std::memory_order_release);
}

// The agent has gone: from now on it is as if work was paused, and another one is looked for.
// False: none is, or the process ends.
bool BeginAway(SessionState from) {
  if (reconnect_ns == 0 || link_to_agent.WasClosedByProgram()) return false;
  const bool had_segment = from == SessionState::kRecording;
  if (!state.compare_exchange_strong(from, SessionState::kAway, std::memory_order_acq_rel)) {
    return false;
  }
  if (had_segment) CountLoss(shm::LossCounter::kAgentGone);
  CutCaptures();  // the next reader does not know their beginning
  GoAway();
  if (had_segment) {
    KeepOldSegment(link_to_agent.segment(), link_to_agent.segment_bytes(), link_to_agent.slots());
  }
  link_to_agent.Close();
  away.Begin(MonoNs(), reconnect_ns);
  return true;
}

// False: no other agent has come.
bool FollowAway() {
  const uint64_t now_ns = MonoNs();
  LookAfterOldSegments(now_ns);
  if (MayUseCuda()) FollowCuptiDetach();
  const bool long_away = now_ns - away.since_ns() > kAwayCuptiNs;
  if (long_away && MayUseCuda() && CuptiIsOurs()) DetachCupti();
  if (HasEnded()) return false;
  switch (away.Try(&link_to_agent, socket_path, {image_ns, sessions + 1, connected_ns}, now_ns)) {
    case Away::Look::kReady:
      return GoOnRecording();
    case Away::Look::kOver:
      return false;
    case Away::Look::kNotYet:
      return true;
  }
  return true;
}

// The agent did not answer within the first call's patience: go on waiting where nobody waits
// for us. Hooked calls until then are counted as lost.
bool FinishConnecting() {
  const SessionState now = state.load(std::memory_order_acquire);
  if (now != SessionState::kConnecting) return now != SessionState::kDead;
  const AgentLink::Result result = link_to_agent.AwaitSegment(kLateWelcomeNs);
  if (result == AgentLink::Result::kReady && BeginRecording(false)) return true;
  if (result == AgentLink::Result::kGone && BeginAway(SessionState::kConnecting)) return true;
  Die();
  return false;
}

// Nothing is done once the session has ended.
void HandleRequests(uint32_t requests) {
  if (HasEnded()) return;
  FoldCounts();
  if ((requests & kRequestFlush) != 0 && MayCallCuda()) {
    if (!ClockWasTold()) TellClock();
    FlushCupti(true);
    // Behind the last kernel too, so that what came since the last pair lies between two.
    if (IsRecordingTimed()) TellClock();
  }
  if ((requests & kRequestStopCupti) != 0) StopCupti();
  if ((requests & kRequestDevices) != 0) {
    if (MayCallCuda()) EmitNewDevices();
    EmitLibraryNotes();
  }
}

void Tick() {
  const SessionState now = state.load(std::memory_order_acquire);
  if (now != SessionState::kRecording && now != SessionState::kAway) return;
  FoldCounts();
  if (MayUseCuda()) StartOwedTimes(false);
  if (MayUseCuda()) FlushCupti(false);
  if (MayUseCuda()) TickCupti();
  if (MayUseCuda()) TellClock();
  if (MayUseCuda()) EmitNewDevices();
  if (HasEnded()) return;
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
      TellClock();  // behind the last kernel: what came since the last pair lies between two
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
  if (state.load(std::memory_order_acquire) == SessionState::kAway) return !FollowAway();
  LookAfterOldSegments(MonoNs());
  if (link_to_agent.AgentHasGone()) return true;
  const bool recording = state.load(std::memory_order_acquire) == SessionState::kRecording;
  // On this thread, which also undoes it.
  if (recording && attach_is_owed.exchange(false, std::memory_order_relaxed)) attach_action();
  if (recording && TimesAreOwed() && MayCallCuda()) StartOwedTimes(false);
  if (!ClockWasTold() && recording && MayCallCuda()) TellClock();
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

// No other agent is looked for, or none has come.
void EndForGood() {
  PrepareDetach();  // before requests cease to be answered: who wants CUPTI waits for this
  auto expected = SessionState::kAway;
  if (!state.compare_exchange_strong(expected, SessionState::kDead, std::memory_order_acq_rel)) {
    expected = SessionState::kRecording;
    if (!state.compare_exchange_strong(expected, SessionState::kDead, std::memory_order_acq_rel)) {
      return;  // the process ends: its CUDA and its Python are not ours to call any more
    }
    if (inert_action == nullptr) CountLoss(shm::LossCounter::kAgentGone);
  }
  StopRecording();
  EmptyOldSegments();
  GiveUpCuptiAfterInit();
  EndScopes();
  if (detach_action != nullptr) detach_action();
  while (FollowCuptiDetach()) SleepNs(kDetachPollNs);
  // What another attach takes up.
  if (inert_action == nullptr || link_to_agent.segment() == nullptr) return;
  KeepOldSegment(link_to_agent.segment(), link_to_agent.segment_bytes(), link_to_agent.slots());
  LeaveSegmentMemory(link_to_agent.segment(), link_to_agent.segment_bytes());
  link_to_agent.Close();
}

bool OnAgentGone() {
  FoldCounts();
  if (BeginAway(SessionState::kRecording)) return true;
  EndForGood();
  return false;
}

// A late answer of the agent, or another agent, begins nothing any more.
bool EndWithoutAgent(bool fast_exit) {
  for (SessionState expected : {SessionState::kConnecting, SessionState::kAway}) {
    const bool away_until_now = expected == SessionState::kAway;
    if (!state.compare_exchange_strong(expected, SessionState::kDead, std::memory_order_acq_rel)) {
      continue;
    }
    StopRecording();
    // Our thread may be inside of CUPTI, which CUDA takes apart next: the end of its round is
    // waited for. It begins no other call.
    if (away_until_now && !fast_exit) AskHelper(0, kExitWaitNs);
    return true;
  }
  return false;
}

void OnHelperEnd() {
  if (inert_action != nullptr && HasEnded()) inert_action();
}

bool StartHelper() {
  return StartHelperThread(
      {FinishConnecting, HandleRequests, Tick, AgentHasGone, OnAgentGone, OnHelperEnd});
}

// False: no helper thread runs.
bool Connect() {
  session_pid = ProcessId();
  InstallForkGuard();  // without an agent, too, threads take the lock of their states
  NoteImage();
  connected_ns = MonoNs();
  reconnect_ns = ReconnectNs();
  const char* path = AgentSocketPath();
  if (path == nullptr || strlen(path) >= sizeof(socket_path) ||
      !link_to_agent.Connect(path, {image_ns, sessions + 1, connected_ns})) {
    state.store(SessionState::kDead, std::memory_order_release);
    return false;
  }
  memcpy(socket_path, path, strlen(path) + 1);
  PrepareThreadEnds();
  PrepareScopeEnds();
  SetStepEdges(&kWindowEdges);
  const AgentLink::Result result = link_to_agent.AwaitSegment(ConnectTimeoutNs());
  const bool gone = result == AgentLink::Result::kGone;
  if (result == AgentLink::Result::kRefused || (gone && !BeginAway(SessionState::kConnecting))) {
    Die();
    return false;
  }
  if (result == AgentLink::Result::kReady && !BeginRecording(true)) {
    Die();
    return false;
  }
  InstallExitPath();
  if (StartHelper()) return true;
  if (result == AgentLink::Result::kReady) {
    EmitNote("helper_thread", "could not be started: times arrive at the end only");
  } else {
    Die();
  }
  return false;
}

// What was attached and let go begins a session once more, as after an agent's end. False: no
// helper thread runs.
bool BeginAgain() {
  const char* path = AgentSocketPath();
  if (path == nullptr || strlen(path) >= sizeof(socket_path)) return false;
  memcpy(socket_path, path, strlen(path) + 1);
  reconnect_ns = ReconnectNs();
  connected_ns = MonoNs();
  image_ns = connected_ns;  // a run of its own
  sessions = 0;
  GoAway();
  ForgetCounts();
  FoldFromNow();
  away.Begin(connected_ns, ConnectTimeoutNs());
  auto ended = SessionState::kDead;
  if (!state.compare_exchange_strong(ended, SessionState::kAway, std::memory_order_acq_rel)) {
    return false;
  }
  if (StartHelper()) return true;
  Die();
  return false;
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

bool SessionWantsRecords() {
  if (IsRecording()) return true;
  const SessionState now = state.load(std::memory_order_acquire);
  if (now == SessionState::kRecording) {  // paused
    NoteCudaIsUp();
    return IsRecording();
  }
  // Calls are followed to their end, where they are counted.
  if (now == SessionState::kAway) return AwayCounts();
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
  if (EndWithoutAgent(fast_exit)) return;
  auto expected = SessionState::kRecording;
  // A signal handler may be what ends us so fast: no lock then.
  if (!fast_exit && state.load(std::memory_order_acquire) == expected) {
    SettleSteps();
    SettleScopes();
    if (TimesAreOwed()) NoteNoCupti();
  }
  if (!state.compare_exchange_strong(expected, SessionState::kDraining,
                                     std::memory_order_acq_rel)) {
    EndWithoutAgent(fast_exit);  // it has gone meanwhile
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

void NoteImage() {
  if (image_ns == 0) image_ns = MonoNs();
}

void SetDetachAction(void (*action)()) { detach_action = action; }

void StartAttachedSession(const AttachActions& actions) {
  attach_action = actions.attach;
  detach_action = actions.detach;
  inert_action = actions.inert;
  LetDriverTellThatItIsUp();
  attach_is_owed.store(true, std::memory_order_relaxed);
  auto expected = SessionState::kDormant;
  bool begun = false;
  if (state.compare_exchange_strong(expected, SessionState::kConnecting,
                                    std::memory_order_acq_rel)) {
    begun = Connect();
  } else {
    begun = BeginAgain();
  }
  if (!begun) inert_action();
}

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

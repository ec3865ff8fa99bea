// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The subscriber: one at a time, and only what it enabled fires.
#include <utility>

#include "faults.h"
#include "state.h"

namespace simgpu {
namespace {

SimSink g_sink = {OnApi, OnOperation, OnResource, OnGraph};
uint8_t g_subscriber;  // its address is the handle

CUpti_SubscriberHandle Handle() { return reinterpret_cast<CUpti_SubscriberHandle>(&g_subscriber); }

bool IsSubscribed(CUpti_SubscriberHandle handle) {
  return State().callback.load() != nullptr && handle == Handle();
}

void IgnoreCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void ClearCallbacks() {
  for (auto& domain : State().callback_on) {
    for (auto& on : domain) on = 0;
  }
}

CUptiResult Subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                      void* user_data, const char* name) {
  if (!subscriber) return CUPTI_ERROR_INVALID_PARAMETER;
  CuptiClient& client = State();
  std::lock_guard<std::mutex> lock(client.mutex);
  if (GetFaults().subscriber_taken) NoteStruck("subscriber_taken");
  if (client.finalized && GetFaults().dead_after_finalize) {
    NoteStruck("dead_after_finalize");
    return CUPTI_ERROR_NOT_INITIALIZED;
  }
  if (client.callback.load() && GetFaults().many_subscribers) {
    NoteStruck("many_subscribers");
    *subscriber = Handle();
    return CUPTI_SUCCESS;
  }
  if (client.callback.load() || GetFaults().subscriber_taken) {
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  ClearCallbacks();
  if (GetFaults().ids_start_again && !std::exchange(client.ids_began, true)) {
    NoteStruck("ids_start_again");
    sim_correlations_start_again();
  }
  client.user_data = user_data;
  client.subscriber_name = name ? name : "";
  client.callback = callback ? callback : IgnoreCallback;
  *subscriber = Handle();
  RefreshWatchers();
  return CUPTI_SUCCESS;
}

const char* OwnerName() {
  return GetFaults().subscriber_taken ? GetFaults().subscriber_name.c_str()
                                      : State().subscriber_name.c_str();
}

}  // namespace

CuptiClient& State() {
  static CuptiClient& state = *new CuptiClient;
  return state;
}

void RefreshWatchers() {
  CuptiClient& client = State();
  const bool subscribed = client.callback.load() != nullptr;
  const bool device_kinds =
      KindOn(CUPTI_ACTIVITY_KIND_MEMCPY) || KindOn(CUPTI_ACTIVITY_KIND_MEMSET) ||
      KindOn(CUPTI_ACTIVITY_KIND_KERNEL) || KindOn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
      KindOn(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) || KindOn(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  const bool api_kinds = KindOn(CUPTI_ACTIVITY_KIND_RUNTIME) || KindOn(CUPTI_ACTIVITY_KIND_DRIVER);
  for (int d = 0; d < 2; ++d) {
    const bool api_kind =
        KindOn(d == SIM_DRIVER ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME);
    for (uint32_t i = 0; i < kSimCallbackIds; ++i) {
      uint8_t bits = sim_on[d][i] & SIM_LEDGER;
      if (subscribed && client.callback_on[d + 1][i]) bits |= SIM_CB;
      if (api_kind && !client.api_off[d][i]) bits |= SIM_ACT;
      // Device kinds need correlation ids, so frames, of the calls that enqueue or wait.
      if (device_kinds && sim_cbid_enqueues(d, i)) bits |= SIM_TRACE;
      sim_on[d][i] = bits;
    }
  }
  sim_sink = subscribed || device_kinds || api_kinds ? &g_sink : nullptr;
}

}  // namespace simgpu

using simgpu::State;

API CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                               void* userdata) {
  return simgpu::Subscribe(subscriber, callback, userdata, nullptr);
}

#if CUPTI_API_VERSION >= 130000
API CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                  void* userdata, CUpti_SubscriberParams* params) {
  const CUptiResult result =
      simgpu::Subscribe(subscriber, callback, userdata, params ? params->subscriberName : nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params &&
      params->oldSubscriberName) {
    snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", simgpu::OwnerName());
  }
  return result;
}
#endif

API CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  std::lock_guard<std::mutex> lock(State().mutex);
  if (!simgpu::IsSubscribed(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
  State().callback = nullptr;
  sim_tool_launch_us = simgpu::GetFaults().after_unsubscribe_us;
  simgpu::ClearCallbacks();
  simgpu::RefreshWatchers();
  return CUPTI_SUCCESS;
}

static bool ValidCallback(CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                          CUpti_CallbackId id) {
  uint32_t ids = kSimCallbackIds;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) ids = CUPTI_RUNTIME_TRACE_CBID_SIZE;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) ids = CUPTI_DRIVER_TRACE_CBID_SIZE;
  return simgpu::IsSubscribed(subscriber) && domain >= 1 && domain < simgpu::kCallbackDomains &&
         id < ids;
}

API CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                    CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  std::lock_guard<std::mutex> lock(State().mutex);
  if (!ValidCallback(subscriber, domain, cbid)) return CUPTI_ERROR_INVALID_PARAMETER;
  const bool goes = !enable && State().callback_on[domain][cbid] == 1 &&
                    (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API);
  if (goes && simgpu::GetFaults().callback_off == simgpu::CallbackOff::kRefused) {
    simgpu::NoteStruck("callback_off");
    return CUPTI_ERROR_UNKNOWN;
  }
  constexpr uint64_t kLateNs = 300000000;
  const bool late = goes && simgpu::GetFaults().callback_off == simgpu::CallbackOff::kLate;
  if (late) State().callback_until_ns[domain][cbid] = simgpu::SteadyNs() + kLateNs;
  State().callback_on[domain][cbid] = late ? 2 : enable ? 1 : 0;
  simgpu::RefreshWatchers();
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                  CUpti_CallbackDomain domain) {
  std::lock_guard<std::mutex> lock(State().mutex);
  if (!ValidCallback(subscriber, domain, 0)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (auto& on : State().callback_on[domain]) on = enable ? 1 : 0;
  simgpu::RefreshWatchers();
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  std::lock_guard<std::mutex> lock(State().mutex);
  if (!simgpu::IsSubscribed(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (auto& domain : State().callback_on) {
    for (auto& on : domain) on = enable ? 1 : 0;
  }
  simgpu::RefreshWatchers();
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle subscriber,
                                      CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (!enable || !ValidCallback(subscriber, domain, cbid)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *enable = State().callback_on[domain][cbid];
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid,
                                     const char** name) {
  const char* found = sim_cbid_name(domain, cbid);
  if (!found || !name) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = found;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
  static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
                                           CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE,
                                           CUPTI_CB_DOMAIN_NVTX};
  *count = sizeof domains / sizeof domains[0];
  *table = domains;
  return CUPTI_SUCCESS;
}

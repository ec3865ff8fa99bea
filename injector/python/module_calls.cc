// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_calls.h"

#include "injector/base/platform.h"
#include "injector/python/install.h"
#include "injector/python/module_scopes.h"
#include "injector/python/module_trie.h"
#include "injector/python/python_shim.h"
#include "injector/python/rest.h"
#include "injector/python/scope_modules.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/step_at.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

bool g_first_call_seen;

ModuleParent ParentOfCall(const Frame* below) {
  ModuleParent parent;
  if (below == nullptr) {
    parent.outermost = true;
    return parent;
  }
  parent.scope = ModuleScopeAtOrAbove(below->scope);
  if (below->kind == FrameKind::kModule) parent.module = static_cast<PyObject*>(below->module);
  return parent;
}

// Inside of generate(), or below a frame of an evaluation.
bool IsOtherPhase() {
  const shm::Phase phase = ThisThread().TopPhase();
  return phase == shm::Phase::kGenerate || phase == shm::Phase::kEvaluation;
}

FLOPSPROF_APART void OnOutermostCall(const ModuleEdge& edge, bool in_pass) {
  if (!in_pass && edge.kind != EdgeKind::kAlias) {
    if (WantsOptimizerCheck() && AskShimForOptimizer()) OnOptimizerFound();
    OnRootForward(edge.root_scope, GradEnabled() && !IsOtherPhase());
  }
}

// Of a root, in a program that trains. Eval mode alone says nothing: models are trained in it too.
bool IsEvaluation() { return OptimizerKnown() && !GradEnabled(); }

FLOPSPROF_APART void DescribeRoot(uint32_t root_scope) {
  const uint32_t epoch = SessionEpoch();
  if (!NeedsDescription(root_scope, epoch)) return;
  PyObject* root = ModuleOfScope(root_scope);
  if (root == nullptr) return;
  SetDescribed(root_scope, epoch);  // before: the shim may call modules of its own
  if (!LetShimDescribe(root, root_scope)) SetDescribed(root_scope, 0);
}

}  // namespace

FLOPSPROF_HOT uint32_t EnterModuleCall(PyObject* module) {
  ThreadScopes& thread = ThisThread();
  const Frame* below = thread.NearestModuleOrNode();
  RestInside(&thread, below);
  // After a break in its graph, Dynamo has it called as it is, inside of the compiled call.
  if (below != nullptr && below->module == module && below->in_place)
    return thread.EnterInherited();
  ModuleParent parent = ParentOfCall(below);
  const bool in_pass = parent.outermost && InBackwardPass();
  if (parent.outermost && !g_first_call_seen) {
    g_first_call_seen = true;
    TellShimFirstCall();
  }
  if (in_pass) parent.outermost = false;
  ModuleEdge edge = ResolveModule(module, parent);
  if (parent.outermost) {
    if (IsConnected() && NeedsDescription(edge.root_scope, SessionEpoch())) {
      DescribeRoot(edge.root_scope);
      edge = ResolveModule(module, parent);  // shared modules are known now
    }
    OnOutermostCall(edge, in_pass);
  }
  if (!in_pass) OnScopeOfStepAt(edge.scope);
  uint32_t depth = edge.kind == EdgeKind::kInherited ? thread.EnterInherited()
                                                     : thread.EnterModule(module, edge.scope);
  if (parent.outermost && depth != ThreadScopes::kRefused && IsEvaluation()) {
    thread.MarkEvaluation();
  }
  if (edge.kind != EdgeKind::kInherited && depth != ThreadScopes::kRefused) {
    depth = EmitScopeEnter(edge.scope, thread.TopPhase(), depth);
  }
  if (IsRecording()) CountModuleCalls(1);
  return depth;
}

uint32_t EnterCompiledInPlace(PyObject* module) {
  if (!ScopesEnabled() || ModulesRefused()) return ThreadScopes::kRefused;
  const uint32_t depth = EnterModuleCall(module);
  if (depth != ThreadScopes::kRefused) ThisThread().MarkCompiledInPlace();
  return depth;
}

FLOPSPROF_APART void DescribeLateModules() {
  const uint32_t root = g_late_root;
  g_late_root = 0;
  if (IsConnected() && !InBackwardPass()) DescribeRoot(root);
}

void ForgetFirstCall() { g_first_call_seen = false; }

}  // namespace flopsprof::injector

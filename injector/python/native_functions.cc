// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/native_functions.h"

#include <string.h>

#include "injector/base/env_config.h"
#include "injector/operations/operation_scope.h"
#include "injector/python/argument_key.h"
#include "injector/python/backward_callback.h"
#include "injector/python/class_name.h"
#include "injector/python/counted_operations.h"
#include "injector/python/engine_hook.h"
#include "injector/python/install.h"
#include "injector/python/module_calls.h"
#include "injector/python/module_objects.h"
#include "injector/python/module_trie.h"
#include "injector/python/python_shim.h"
#include "injector/python/scope_modules.h"
#include "injector/scopes/public_api.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

PyObject* None() {
  g_python.Py_IncRef(g_python.none);
  return g_python.none;
}

PyObject* Number(uint64_t value) { return g_python.PyLong_FromUnsignedLongLong(value); }

// Wrong arguments from our own shim: 0 and no exception; its tests would show it.
uint64_t Unsigned(PyObject* object) {
  const unsigned long long value = g_python.PyLong_AsUnsignedLongLong(object);
  if (g_python.PyErr_Occurred() == nullptr) return value;
  g_python.PyErr_Clear();
  return 0;
}
uint32_t Unsigned32(PyObject* object) { return static_cast<uint32_t>(Unsigned(object)); }

const char* Text(PyObject* object, size_t* bytes) {
  intptr_t size = 0;
  const char* text = g_python.PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) g_python.PyErr_Clear();
  *bytes = text == nullptr ? 0 : static_cast<size_t>(size);
  return text == nullptr ? "" : text;
}

#define FLOPSPROF_NATIVE(name, wanted)                                    \
  PyObject* Do_##name(PyObject* const* a);                                \
  PyObject* name(PyObject*, PyObject* const* arguments, intptr_t count) { \
    return count == (wanted) ? Do_##name(arguments) : None();             \
  }                                                                       \
  PyObject* Do_##name([[maybe_unused]] PyObject* const* a)

// The depth to hand to leave() is that of before.
FLOPSPROF_NATIVE(depth, 0) { return Number(ThisThread().depth()); }
FLOPSPROF_NATIVE(module_enter, 1) {
  if (ScopesEnabled()) EnterModuleCall(a[0]);
  return None();
}
// A module whose compiled call does not come by the hook.
FLOPSPROF_NATIVE(enter_in_place, 1) { return Number(EnterCompiledInPlace(a[0])); }
// `self` of a frame of Python 3.12 or later, or None. Unlike f_locals it leaves no copy behind.
FLOPSPROF_NATIVE(self_of, 1) {
  const auto get = g_python.PyFrame_GetVarString;
  PyObject* self = get == nullptr ? nullptr : get(a[0], "self");
  if (self != nullptr) return self;
  g_python.PyErr_Clear();
  return None();
}
FLOPSPROF_NATIVE(modules_refused, 1) {
  size_t bytes;
  RefuseModules(Text(a[0], &bytes));
  return None();
}
FLOPSPROF_NATIVE(push_scope, 1) {
  const uint32_t scope = Unsigned32(a[0]);
  if (IsConnected()) EnsureScopeDefined(scope);  // it may never be called
  return Number(ThisThread().EnterPushed(scope));
}
FLOPSPROF_NATIVE(push_range, 1) {
  size_t bytes;
  const char* text = Text(a[0], &bytes);
  return Number(EnterNamedRange(shm::ScopeKind::kUser, nullptr, text, bytes));
}
FLOPSPROF_NATIVE(leave, 1) {
  ThisThread().LeaveAny(Unsigned32(a[0]));
  return None();
}
FLOPSPROF_NATIVE(push_node, 1) {
  const uint32_t scope = Unsigned32(a[0]);
  if (IsConnected()) EnsureScopeDefined(scope);
  ThisThread().BeginNodeOfScope(scope);
  return None();
}
FLOPSPROF_NATIVE(pop_node, 0) {
  ThisThread().EndNode();
  return None();
}
FLOPSPROF_NATIVE(current_scope, 0) { return Number(CurrentAttribution().scope); }
FLOPSPROF_NATIVE(current_phase, 0) {
  return Number(static_cast<uint64_t>(CurrentAttribution().phase));
}
FLOPSPROF_NATIVE(scope_of, 1) {
  const ModuleParent nobody;
  return Number(ResolveModule(a[0], nobody).scope);
}
FLOPSPROF_NATIVE(step, 0) {
  OnExplicitStep();
  return None();
}
// The optimizer's name
FLOPSPROF_NATIVE(optimizer_begin, 1) {
  ThreadScopes& thread = ThisThread();
  ScopeIdentity identity;
  identity.parent = thread.CurrentScope();
  identity.kind = shm::ScopeKind::kOptimizer;
  identity.name = Text(a[0], &identity.name_bytes);
  OnOptimizerBegins();
  const uint32_t depth = thread.EnterPhase(shm::Phase::kOptimizer);
  if (depth == ThreadScopes::kRefused) return Number(depth);
  const uint32_t scope = FindOrAddScope(identity);
  thread.NamePhase(scope);
  if (!IsRecording()) return Number(depth);
  return Number(EmitScopeEnter(scope, shm::Phase::kOptimizer, depth));
}
FLOPSPROF_NATIVE(push_phase, 1) {
  return Number(ThisThread().EnterPhase(static_cast<shm::Phase>(Unsigned32(a[0]))));
}
FLOPSPROF_NATIVE(optimizer_end, 2) {
  ThisThread().Leave(Unsigned32(a[0]));
  OnOptimizerStepped(Unsigned32(a[1]));
  return None();
}
FLOPSPROF_NATIVE(optimizer_made, 0) {
  OnOptimizerMade();
  return None();
}
FLOPSPROF_NATIVE(step_disturbed, 0) {
  OnStepDisturbed();
  return None();
}
FLOPSPROF_NATIVE(registered, 1) {
  OnModuleRegistered(a[0]);
  return None();
}
FLOPSPROF_NATIVE(shared, 1) {
  OnModuleShared(a[0]);
  return None();
}
FLOPSPROF_NATIVE(alias, 2) {
  AddModuleAlias(a[0], Unsigned32(a[1]));
  return None();
}
// root scope, path, order, module, own, total, trainable
FLOPSPROF_NATIVE(module_record, 7) {
  shm::ModuleRecord record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kModule);
  record.header.step = shm::kNoStep;
  record.root_scope = Unsigned32(a[0]);
  size_t bytes;
  const char* text = Text(a[1], &bytes);
  record.path = InternString(text, bytes);
  record.class_name = InternString(ClassName(a[3]->type).text());
  record.order = Unsigned32(a[2]);
  record.object = ModuleObject(a[3]);
  record.own_params = Unsigned(a[4]);
  record.total_params = Unsigned(a[5]);
  record.trainable_params = Unsigned(a[6]);
  EmitRecord(&record);
  return None();
}
// root scope, path, local, buffers, experts, active, bytes, weights
FLOPSPROF_NATIVE(module_sizes, 8) {
  shm::ModuleSizes record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kModuleSizes);
  record.header.step = shm::kNoStep;
  record.root_scope = Unsigned32(a[0]);
  size_t bytes;
  const char* text = Text(a[1], &bytes);
  record.path = InternString(text, bytes);
  record.local_params = Unsigned(a[2]);
  record.buffers = Unsigned(a[3]);
  record.expert_params = Unsigned(a[4]);
  record.active_params = Unsigned(a[5]);
  record.param_bytes = Unsigned(a[6]);
  text = Text(a[7], &bytes);
  record.weights = InternString(text, bytes);
  EmitRecord(&record);
  return None();
}
// root scope, further path, path
FLOPSPROF_NATIVE(module_alias, 3) {
  shm::ModuleAlias record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kModuleAlias);
  record.header.step = shm::kNoStep;
  record.root_scope = Unsigned32(a[0]);
  size_t bytes;
  const char* alias = Text(a[1], &bytes);
  record.alias = InternString(alias, bytes);
  const char* path = Text(a[2], &bytes);
  record.path = InternString(path, bytes);
  EmitRecord(&record);
  return None();
}
// Where children of the module are.
FLOPSPROF_NATIVE(place_below, 1) { return Number(PlaceBelow(a[0]).hash); }
// place of the parent, name in it, module: its name beside those that had it before
FLOPSPROF_NATIVE(placed_name, 3) {
  size_t bytes;
  const char* text = Text(a[1], &bytes);
  const ModulePlace above = {Unsigned(a[0])};
  PlacedName name(text, bytes);
  NameInPlace(above, a[2], &name);
  NoteDescribed(PlaceOf(above, text, bytes), name.number, SessionEpoch());
  if (name.text != text) return g_python.PyUnicode_FromString(name.text);
  g_python.Py_IncRef(a[1]);
  return a[1];
}
// the same: where its children are
FLOPSPROF_NATIVE(place_inside, 3) {
  size_t bytes;
  const char* name = Text(a[1], &bytes);
  return Number(PlaceInside(PlaceOf({Unsigned(a[0])}, name, bytes), a[2]).hash);
}
FLOPSPROF_NATIVE(session, 0) { return Number(SessionEpoch()); }
FLOPSPROF_NATIVE(describe_again, 1) {
  SetDescribed(Unsigned32(a[0]), 0);
  return None();
}
FLOPSPROF_NATIVE(note, 2) {
  size_t bytes;
  const char* key = Text(a[0], &bytes);
  EmitNote(key, Text(a[1], &bytes));
  return None();
}
FLOPSPROF_NATIVE(failed, 1) {
  size_t bytes;
  OnShimFailure(Text(a[0], &bytes));
  return None();
}
FLOPSPROF_NATIVE(next_sequence, 0) {
  return Number(g_torch.next_sequence == nullptr ? 0 : g_torch.next_sequence());
}
FLOPSPROF_NATIVE(thread_number, 0) {
  return Number(g_torch.thread_number == nullptr ? 0 : g_torch.thread_number());
}
// May backward nodes be followed by "engine" or by "callback"?
bool BackwardMayUse(const char* way) {
  const char* forced = ForcedBackward();
  return forced == nullptr || strcmp(forced, way) == 0;
}
// the only way to try, or ""
FLOPSPROF_NATIVE(forced_backward, 0) {
  const char* forced = ForcedBackward();
  return g_python.PyUnicode_FromString(forced == nullptr ? "" : forced);
}
FLOPSPROF_NATIVE(engine_search_begin, 0) {
  return Number(BackwardMayUse("engine") && BeginNodeSearch() ? 1 : 0);
}
// grad_fn, its sequence and thread numbers
FLOPSPROF_NATIVE(engine_compare, 3) {
  CompareNode(a[0], Unsigned(a[1]), Unsigned(a[2]));
  return None();
}
FLOPSPROF_NATIVE(engine_search_end, 0) { return Number(EndNodeSearch()); }
FLOPSPROF_NATIVE(follow_engine, 1) {
  const uint64_t places = Unsigned(a[0]);
  return Number(
      FollowEngine(static_cast<uint32_t>(places / 10000), static_cast<uint32_t>(places % 10000))
          ? 1
          : 0);
}
// torch.__version__
FLOPSPROF_NATIVE(search_begin, 1) {
  size_t bytes;
  return Number(BackwardMayUse("callback") && BeginFieldSearch(Text(a[0], &bytes)) ? 1 : 0);
}
FLOPSPROF_NATIVE(search_expect, 2) {
  ExpectNode(Unsigned(a[0]), Unsigned(a[1]));
  return None();
}
// sequence offset * 10000 + thread offset; 0: not found
FLOPSPROF_NATIVE(search_end, 0) { return Number(EndFieldSearch()); }
FLOPSPROF_NATIVE(follow_backward, 1) {
  const uint64_t places = Unsigned(a[0]);
  FollowBackward(static_cast<uint32_t>(places / 10000), static_cast<uint32_t>(places % 10000));
  return None();
}

// The class of real tensors, that of parameters, that of element types.
FLOPSPROF_NATIVE(tensor_types, 3) {
  SetTensorTypes(a[0], a[1], a[2]);
  return None();
}
// A callable that runs the second and counts its work under the first.
FLOPSPROF_NATIVE(counted, 2) { return NewCountedOperation(a[0], a[1]); }
FLOPSPROF_NATIVE(forget_formula, 1) {
  ForgetFormula(a[0]);
  return None();
}
// Call id, 0: not counted. One of the two below follows, whatever it is.
FLOPSPROF_NATIVE(operation_begin, 0) { return Number(BeginNamedOperation()); }
FLOPSPROF_NATIVE(operation_abandon, 0) {
  AbandonOperation();
  return None();
}
// call, name, shape, known, flops, reason, type + 1, how many of the flops are recomputation
FLOPSPROF_NATIVE(operation_end, 8) {
  NamedOperation operation = {};
  operation.call = Unsigned32(a[0]);
  operation.name = Text(a[1], &operation.name_bytes);
  operation.shape = Text(a[2], &operation.shape_bytes);
  operation.known = Unsigned(a[3]) != 0;
  operation.flops = Unsigned(a[4]);
  operation.reason = Text(a[5], &operation.reason_bytes);
  operation.type = static_cast<int8_t>(static_cast<int>(Unsigned(a[6])) - 1);
  operation.recompute_flops = Unsigned(a[7]);
  EndNamedOperation(operation);
  return None();
}

#define FLOPSPROF_ROW(name) \
  { #name, name, kPyFastCall, nullptr }

PyMethodDef g_methods[] = {
    FLOPSPROF_ROW(depth),
    FLOPSPROF_ROW(module_enter),
    FLOPSPROF_ROW(enter_in_place),
    FLOPSPROF_ROW(self_of),
    FLOPSPROF_ROW(modules_refused),
    FLOPSPROF_ROW(push_scope),
    FLOPSPROF_ROW(push_range),
    FLOPSPROF_ROW(leave),
    FLOPSPROF_ROW(push_node),
    FLOPSPROF_ROW(pop_node),
    FLOPSPROF_ROW(current_scope),
    FLOPSPROF_ROW(current_phase),
    FLOPSPROF_ROW(scope_of),
    FLOPSPROF_ROW(step),
    FLOPSPROF_ROW(optimizer_begin),
    FLOPSPROF_ROW(push_phase),
    FLOPSPROF_ROW(optimizer_end),
    FLOPSPROF_ROW(optimizer_made),
    FLOPSPROF_ROW(step_disturbed),
    FLOPSPROF_ROW(registered),
    FLOPSPROF_ROW(shared),
    FLOPSPROF_ROW(alias),
    FLOPSPROF_ROW(module_record),
    FLOPSPROF_ROW(module_sizes),
    FLOPSPROF_ROW(module_alias),
    FLOPSPROF_ROW(place_below),
    FLOPSPROF_ROW(placed_name),
    FLOPSPROF_ROW(place_inside),
    FLOPSPROF_ROW(session),
    FLOPSPROF_ROW(describe_again),
    FLOPSPROF_ROW(note),
    FLOPSPROF_ROW(failed),
    FLOPSPROF_ROW(next_sequence),
    FLOPSPROF_ROW(thread_number),
    FLOPSPROF_ROW(forced_backward),
    FLOPSPROF_ROW(engine_search_begin),
    FLOPSPROF_ROW(engine_compare),
    FLOPSPROF_ROW(engine_search_end),
    FLOPSPROF_ROW(follow_engine),
    FLOPSPROF_ROW(search_begin),
    FLOPSPROF_ROW(search_expect),
    FLOPSPROF_ROW(search_end),
    FLOPSPROF_ROW(follow_backward),
    FLOPSPROF_ROW(tensor_types),
    FLOPSPROF_ROW(counted),
    FLOPSPROF_ROW(forget_formula),
    FLOPSPROF_ROW(operation_begin),
    FLOPSPROF_ROW(operation_abandon),
    FLOPSPROF_ROW(operation_end),
};

}  // namespace

bool AddNativeFunctions(PyObject* names) {
  for (PyMethodDef& method : g_methods) {
    PyObject* function = g_python.PyCFunction_NewEx(&method, nullptr, nullptr);
    if (function == nullptr) return false;
    const int failed = g_python.PyDict_SetItemString(names, method.name, function);
    g_python.DecRef(function);
    if (failed != 0) return false;
  }
  return true;
}

}  // namespace flopsprof::injector

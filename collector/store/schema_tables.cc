// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/schema.h"

namespace flopsprof::store {

const char* TablesSql() {
  return R"sql(
CREATE TABLE run(
  run_id TEXT NOT NULL, job TEXT NOT NULL, command TEXT NOT NULL, start_utc_ns INTEGER NOT NULL,
  node TEXT NOT NULL, version TEXT NOT NULL, first_step INTEGER, end_step INTEGER,
  job_exit_known INTEGER NOT NULL, job_exit_code INTEGER NOT NULL) STRICT;
CREATE TABLE agents(
  id INTEGER PRIMARY KEY, agent_id TEXT NOT NULL, copy INTEGER NOT NULL, node TEXT NOT NULL,
  sequence INTEGER NOT NULL, missing INTEGER NOT NULL, finished INTEGER NOT NULL,
  newest_utc_ns INTEGER NOT NULL, refused TEXT NOT NULL, left_out INTEGER NOT NULL,
  peer TEXT NOT NULL, other_peer TEXT NOT NULL, UNIQUE(agent_id, copy)) STRICT;
CREATE TABLE taken_marks(
  agent INTEGER NOT NULL, slot INTEGER NOT NULL, sequence INTEGER NOT NULL, mark INTEGER NOT NULL,
  PRIMARY KEY(agent, slot)) STRICT, WITHOUT ROWID;
CREATE TABLE processes(
  id INTEGER PRIMARY KEY, node TEXT NOT NULL, pid INTEGER NOT NULL, start_ticks INTEGER NOT NULL,
  image INTEGER NOT NULL, UNIQUE(node, pid, start_ticks, image)) STRICT;
CREATE TABLE process_infos(
  process_id INTEGER PRIMARY KEY REFERENCES processes(id),
  rank INTEGER NOT NULL, local_rank INTEGER NOT NULL, world_size INTEGER NOT NULL,
  node_rank INTEGER NOT NULL, restart INTEGER NOT NULL, identity_source INTEGER NOT NULL,
  command TEXT NOT NULL, start_utc_ns INTEGER NOT NULL, state INTEGER NOT NULL,
  exit_code_known INTEGER NOT NULL, exit_code INTEGER NOT NULL, exit_signal INTEGER NOT NULL,
  simulated INTEGER NOT NULL, used_gpu INTEGER NOT NULL, parent_pid INTEGER NOT NULL,
  hook_calls INTEGER NOT NULL, module_calls INTEGER NOT NULL, backward_nodes INTEGER NOT NULL,
  launches INTEGER NOT NULL, activities INTEGER NOT NULL, own_cpu_ns INTEGER NOT NULL,
  cupti_overhead_ns INTEGER NOT NULL, launches_without_activity INTEGER NOT NULL,
  activities_without_launch INTEGER NOT NULL, malformed_records INTEGER NOT NULL,
  session INTEGER NOT NULL) STRICT;
CREATE TABLE strings(
  process_id INTEGER NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(process_id, id)) STRICT, WITHOUT ROWID;
CREATE TABLE devices(
  process_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, uuid TEXT NOT NULL,
  major INTEGER NOT NULL, minor INTEGER NOT NULL, sm_count INTEGER NOT NULL,
  clock_khz INTEGER NOT NULL, memory_bytes INTEGER NOT NULL,
  PRIMARY KEY(process_id, ordinal)) STRICT, WITHOUT ROWID;
CREATE TABLE scopes(
  process_id INTEGER NOT NULL, id INTEGER NOT NULL, parent INTEGER NOT NULL,
  kind INTEGER NOT NULL, name TEXT NOT NULL, class_name TEXT NOT NULL, domain TEXT NOT NULL,
  object INTEGER NOT NULL, known INTEGER NOT NULL,
  PRIMARY KEY(process_id, id)) STRICT, WITHOUT ROWID;
CREATE TABLE modules(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, path TEXT NOT NULL,
  class_name TEXT NOT NULL, object INTEGER NOT NULL, "order" INTEGER NOT NULL,
  own_params INTEGER NOT NULL, total_params INTEGER NOT NULL, trainable_params INTEGER NOT NULL,
  PRIMARY KEY(process_id, root_scope, path)) STRICT, WITHOUT ROWID;
CREATE TABLE calls(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  kind INTEGER NOT NULL, api TEXT NOT NULL, shape TEXT NOT NULL, compute_type TEXT NOT NULL,
  captured INTEGER NOT NULL, in_step INTEGER NOT NULL,
  calls INTEGER NOT NULL, flops_high INTEGER NOT NULL, flops_low INTEGER NOT NULL,
  flops_known INTEGER NOT NULL, bytes INTEGER NOT NULL, kernels INTEGER NOT NULL,
  gpu_time_ns INTEGER NOT NULL, min_gpu_time_ns INTEGER NOT NULL,
  max_gpu_time_ns INTEGER NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE times(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  category INTEGER NOT NULL, in_step INTEGER NOT NULL,
  activities INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE kernels(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, category INTEGER NOT NULL,
  phase INTEGER NOT NULL, count INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, kind TEXT NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE scope_calls(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  calls INTEGER NOT NULL, PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE steps(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, begin_mono_ns INTEGER NOT NULL,
  end_mono_ns INTEGER NOT NULL, gpu_busy_ns INTEGER NOT NULL,
  not_communication_ns INTEGER NOT NULL, activities INTEGER NOT NULL,
  complete INTEGER NOT NULL, PRIMARY KEY(process_id, step)) STRICT, WITHOUT ROWID;
CREATE TABLE step_phases(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, phase INTEGER NOT NULL,
  flops_high INTEGER NOT NULL, flops_low INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, step, phase)) STRICT, WITHOUT ROWID;
CREATE TABLE device_times(
  process_id INTEGER NOT NULL, device INTEGER NOT NULL, busy_ns INTEGER NOT NULL,
  not_communication_ns INTEGER NOT NULL, first_gpu_ns INTEGER NOT NULL,
  last_gpu_ns INTEGER NOT NULL, PRIMARY KEY(process_id, device)) STRICT, WITHOUT ROWID;
CREATE TABLE losses(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, process_count INTEGER NOT NULL,
  agent_count INTEGER NOT NULL,
  count INTEGER GENERATED ALWAYS AS (process_count + agent_count) VIRTUAL,
  PRIMARY KEY(process_id, name)) STRICT, WITHOUT ROWID;
CREATE TABLE notes(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(process_id, name)) STRICT, WITHOUT ROWID;
CREATE TABLE graphs(
  process_id INTEGER NOT NULL, state TEXT NOT NULL, graphs INTEGER NOT NULL,
  replays INTEGER NOT NULL, calls INTEGER NOT NULL, activities INTEGER NOT NULL,
  gpu_time_ns INTEGER NOT NULL, shared_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, state)) STRICT, WITHOUT ROWID;
CREATE TABLE stacks(
  process_id INTEGER NOT NULL, id INTEGER NOT NULL, frames TEXT NOT NULL,
  PRIMARY KEY(process_id, id)) STRICT, WITHOUT ROWID;
CREATE TABLE stack_rows(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, stack INTEGER NOT NULL, scope INTEGER NOT NULL,
  phase INTEGER NOT NULL, kernel TEXT NOT NULL, kind TEXT NOT NULL, category INTEGER NOT NULL,
  samples INTEGER NOT NULL, launches INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE collectives(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  api TEXT NOT NULL, shape TEXT NOT NULL, captured INTEGER NOT NULL, in_step INTEGER NOT NULL,
  "group" INTEGER NOT NULL, rank_count INTEGER NOT NULL, calls INTEGER NOT NULL,
  matched_calls INTEGER NOT NULL, matched_time_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE module_sizes(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, path TEXT NOT NULL,
  local_params INTEGER NOT NULL, buffers INTEGER NOT NULL, expert_params INTEGER NOT NULL,
  active_params INTEGER NOT NULL, param_bytes INTEGER NOT NULL,
  PRIMARY KEY(process_id, root_scope, path)) STRICT, WITHOUT ROWID;
CREATE TABLE kernel_owners(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, category INTEGER NOT NULL,
  phase INTEGER NOT NULL, in_call INTEGER NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE range_rows(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, category INTEGER NOT NULL,
  payload_type INTEGER NOT NULL, category_name TEXT NOT NULL, entries INTEGER NOT NULL,
  sum TEXT NOT NULL, min TEXT NOT NULL, max TEXT NOT NULL, last TEXT NOT NULL,
  PRIMARY KEY(process_id, scope, category, payload_type)) STRICT, WITHOUT ROWID;
CREATE TABLE marks(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, domain TEXT NOT NULL, name TEXT NOT NULL,
  category INTEGER NOT NULL, payload_type INTEGER NOT NULL, category_name TEXT NOT NULL,
  count INTEGER NOT NULL, in_steps INTEGER NOT NULL, first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL, loop INTEGER NOT NULL, sum TEXT NOT NULL, min TEXT NOT NULL,
  max TEXT NOT NULL, last TEXT NOT NULL,
  PRIMARY KEY(process_id, scope, domain, name, category, payload_type, loop)) STRICT, WITHOUT ROWID;
CREATE TABLE module_aliases(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, alias TEXT NOT NULL,
  path TEXT NOT NULL, PRIMARY KEY(process_id, root_scope, alias)) STRICT, WITHOUT ROWID;
CREATE TABLE call_gradients(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  kind INTEGER NOT NULL, api TEXT NOT NULL, shape TEXT NOT NULL, compute_type TEXT NOT NULL,
  captured INTEGER NOT NULL, in_step INTEGER NOT NULL, gradient INTEGER NOT NULL,
  PRIMARY KEY(process_id, scope, phase, kind, api, shape, compute_type, captured, in_step)
) STRICT, WITHOUT ROWID;
CREATE TABLE scope_kernels(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  api INTEGER NOT NULL, name INTEGER NOT NULL, kind TEXT NOT NULL, category INTEGER NOT NULL,
  in_step INTEGER NOT NULL, count INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, loop INTEGER NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE module_weights(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, path TEXT NOT NULL,
  weights TEXT NOT NULL, PRIMARY KEY(process_id, root_scope, path)) STRICT, WITHOUT ROWID;
CREATE TABLE step_facts(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, has_unknown INTEGER NOT NULL,
  exposed_unknown INTEGER NOT NULL, PRIMARY KEY(process_id, step)) STRICT, WITHOUT ROWID;
CREATE TABLE step_labels(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, revision INTEGER NOT NULL,
  number INTEGER NOT NULL, optimizer_steps INTEGER NOT NULL, disturbed INTEGER NOT NULL,
  optimizer_end_mono_ns INTEGER NOT NULL, beside_mono_ns INTEGER NOT NULL, cut INTEGER NOT NULL,
  helped INTEGER NOT NULL, PRIMARY KEY(process_id, step)) STRICT, WITHOUT ROWID;
CREATE INDEX numbered_labels ON step_labels(process_id, step, number)
  WHERE number <> 4294967295;
CREATE TABLE communications(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  api TEXT NOT NULL, shape TEXT NOT NULL, in_step INTEGER NOT NULL,
  compared_ns INTEGER NOT NULL, hidden_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, place)) STRICT, WITHOUT ROWID;
CREATE TABLE windows(
  process_id INTEGER NOT NULL, begin_mono_ns INTEGER NOT NULL,
  end_mono_ns INTEGER NOT NULL, begin_utc_ns INTEGER NOT NULL, end_utc_ns INTEGER NOT NULL,
  first_step INTEGER NOT NULL, end_step INTEGER NOT NULL, process_begin_mono_ns INTEGER NOT NULL,
  process_until_mono_ns INTEGER NOT NULL, PRIMARY KEY(process_id, begin_mono_ns)) STRICT, WITHOUT ROWID;
CREATE TABLE instants(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, mono_ns INTEGER NOT NULL,
  utc_ns INTEGER NOT NULL, step INTEGER NOT NULL,
  PRIMARY KEY(process_id, mono_ns, name)) STRICT, WITHOUT ROWID;
CREATE TABLE history(
  process_id INTEGER NOT NULL, begin_utc_ns INTEGER NOT NULL, width_ns INTEGER NOT NULL,
  phase INTEGER NOT NULL, calls INTEGER NOT NULL, unknown_calls INTEGER NOT NULL,
  flops_high INTEGER NOT NULL, flops_low INTEGER NOT NULL, activities INTEGER NOT NULL,
  gpu_time_ns INTEGER NOT NULL, unknown_gpu_time_ns INTEGER NOT NULL,
  communication_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, width_ns, begin_utc_ns, phase)) STRICT, WITHOUT ROWID;
CREATE TABLE device_history(
  process_id INTEGER NOT NULL, begin_utc_ns INTEGER NOT NULL, width_ns INTEGER NOT NULL,
  device INTEGER NOT NULL, busy_ns INTEGER NOT NULL, not_communication_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, width_ns, begin_utc_ns, device)) STRICT, WITHOUT ROWID;
CREATE TABLE process_lives(
  process_id INTEGER PRIMARY KEY, until_utc_ns INTEGER NOT NULL, ancestor_pid INTEGER NOT NULL) STRICT;
CREATE TABLE costs(
  process_id INTEGER PRIMARY KEY, budget_ppm INTEGER NOT NULL, wall_ns INTEGER NOT NULL,
  cost_ns INTEGER NOT NULL, instruction_ps INTEGER NOT NULL, full_ns INTEGER NOT NULL,
  sampled_ns INTEGER NOT NULL, paused_ns INTEGER NOT NULL, level_changes INTEGER NOT NULL,
  switches INTEGER NOT NULL, recorded_ns INTEGER NOT NULL) STRICT;
CREATE TABLE epochs(
  process_id INTEGER NOT NULL, epoch INTEGER NOT NULL, session INTEGER NOT NULL,
  begin_mono_ns INTEGER NOT NULL, until_mono_ns INTEGER NOT NULL, begin_utc_ns INTEGER NOT NULL,
  calls_made INTEGER NOT NULL, calls_unwritten INTEGER NOT NULL, calls_before INTEGER NOT NULL,
  calls_taken INTEGER NOT NULL, launches_made INTEGER NOT NULL,
  launches_unwritten INTEGER NOT NULL, launches_taken INTEGER NOT NULL,
  activities_made INTEGER NOT NULL, activities_unwritten INTEGER NOT NULL,
  activities_taken INTEGER NOT NULL, final INTEGER NOT NULL, boot INTEGER NOT NULL,
  rank INTEGER NOT NULL, world_size INTEGER NOT NULL, restart INTEGER NOT NULL,
  job TEXT NOT NULL, PRIMARY KEY(process_id, epoch)) STRICT, WITHOUT ROWID;
CREATE TABLE epoch_devices(
  process_id INTEGER NOT NULL, epoch INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  uuid TEXT NOT NULL, PRIMARY KEY(process_id, epoch, ordinal)) STRICT, WITHOUT ROWID;
CREATE TABLE launch_latencies(
  process_id INTEGER PRIMARY KEY, launches INTEGER NOT NULL, measured INTEGER NOT NULL,
  sum_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,
  error_ns INTEGER NOT NULL, clock_unsure INTEGER NOT NULL) STRICT;
CREATE INDEX scopes_by_parent ON scopes(process_id, parent);
CREATE TABLE problems(number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE log_position(
  id INTEGER PRIMARY KEY CHECK(id = 1), log_id INTEGER NOT NULL, merged INTEGER NOT NULL,
  saved INTEGER NOT NULL) STRICT;
INSERT INTO log_position VALUES(1, random(), 0, 0);
CREATE TABLE log_damage(
  number INTEGER PRIMARY KEY, text TEXT NOT NULL, lost INTEGER NOT NULL) STRICT;
CREATE TABLE log_refused(number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE log_left_out(record INTEGER PRIMARY KEY) STRICT;
CREATE TABLE over_limits(name TEXT PRIMARY KEY, most INTEGER NOT NULL, uploads INTEGER NOT NULL) STRICT;
CREATE TABLE log_copies(record INTEGER PRIMARY KEY, copy INTEGER NOT NULL) STRICT;
CREATE TABLE live_processes(
  process_id INTEGER PRIMARY KEY, saved INTEGER NOT NULL, undefined_rows INTEGER NOT NULL) STRICT;
CREATE TABLE numberings(
  process_id INTEGER NOT NULL, place INTEGER NOT NULL, agent_id TEXT NOT NULL,
  numbering INTEGER NOT NULL, table_number INTEGER NOT NULL, rows BLOB NOT NULL,
  PRIMARY KEY(process_id, place, table_number)) STRICT, WITHOUT ROWID;

CREATE TABLE phase_names(phase INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO phase_names VALUES
  (0, 'other'), (1, 'forward'), (2, 'backward'), (3, 'recompute'), (4, 'optimizer'),
  (5, 'clipping'), (6, 'scaling'), (7, 'evaluation'), (8, 'generate');
CREATE TABLE category_names(category INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO category_names VALUES
  (1, 'exact'), (2, 'modelled'), (3, 'no_products'), (4, 'unknown'), (5, 'communication'),
  (6, 'copy');
)sql";
}

}  // namespace flopsprof::store

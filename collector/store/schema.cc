// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/schema.h"

#include <absl/strings/str_replace.h>
#include <google/protobuf/descriptor.h>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

RowTable Table(const char* name, std::vector<std::string> key, std::vector<std::string> newer) {
  return {name, v1::ProcessProfile::descriptor()->FindFieldByName(name), std::move(key),
          std::move(newer)};
}

// Rows of a table with the numbers of their first and last label, which may be of different loops.
// Of a label of no step: that of the next (previous) one that is of a step, found by an index.
std::string WithNumbers(const char* table, const char* in_step) {
  constexpr char kSql[] = R"sql(
  SELECT r.*,
    CASE WHEN NOT ($IN_STEP) THEN NULL WHEN lf.step IS NULL THEN r.first_step & 67108863
         WHEN lf.number <> 4294967295 THEN lf.number
         ELSE (SELECT l.number FROM step_labels l WHERE l.process_id = r.process_id
               AND l.number <> 4294967295 AND l.step >= r.first_step
               AND l.step <= CASE WHEN r.first_step >> 26 = r.last_step >> 26 THEN r.last_step
                                  ELSE r.first_step | 67108863 END
               ORDER BY l.step LIMIT 1) END AS first_number,
    CASE WHEN NOT ($IN_STEP) THEN NULL WHEN ll.step IS NULL THEN r.last_step & 67108863
         WHEN ll.number <> 4294967295 THEN ll.number
         ELSE (SELECT l.number FROM step_labels l WHERE l.process_id = r.process_id
               AND l.number <> 4294967295 AND l.step <= r.last_step
               AND l.step >= CASE WHEN r.first_step >> 26 = r.last_step >> 26 THEN r.first_step
                                  ELSE r.last_step & ~67108863 END
               ORDER BY l.step DESC LIMIT 1) END AS last_number
  FROM $TABLE r
  LEFT JOIN step_labels lf ON lf.process_id = r.process_id AND lf.step = r.first_step
  LEFT JOIN step_labels ll ON ll.process_id = r.process_id AND ll.step = r.last_step)sql";
  return absl::StrReplaceAll(kSql, {{"$IN_STEP", in_step}, {"$TABLE", table}});
}

}  // namespace

const Descriptor* RowTable::row_type() const { return rows->message_type(); }

const std::vector<RowTable>& RowTables() {
  static const auto* const kTables = new std::vector<RowTable>{
      Table("devices", {"ordinal"}, {}),
      Table("scopes", {"id"}, {}),
      Table("modules", {"root_scope", "path"}, {}),
      Table("calls",
            {"scope", "phase", "kind", "api", "shape", "compute_type", "captured", "in_step"},
            // The flops of a repeated QK^T grow in a row of 0 calls.
            {"calls", "kernels", "gpu_time_ns", "flops_high", "flops_low"}),
      Table("times", {"scope", "phase", "category", "in_step"}, {"activities", "gpu_time_ns"}),
      Table("kernels", {"name", "category", "phase"}, {"count", "gpu_time_ns"}),
      Table("scope_calls", {"scope", "phase"}, {"calls"}),
      Table("steps", {"step"}, {"complete", "activities", "end_mono_ns"}),
      Table("device_times", {"device"}, {"busy_ns", "last_gpu_ns"}),
      Table("graphs", {"state"}, {"replays", "activities", "gpu_time_ns"}),
      Table("stacks", {"id"}, {}),
      Table("stack_rows", {"stack", "scope", "phase", "kernel", "kind", "category"},
            {"samples", "gpu_time_ns"}),
      Table("collectives", {"scope", "phase", "api", "shape", "captured", "in_step"},
            {"calls", "matched_calls", "matched_time_ns"}),
      Table("module_sizes", {"root_scope", "path"}, {}),
      Table("kernel_owners", {"name", "category", "phase"}, {"in_call"}),
      Table("range_rows", {"scope", "category", "payload_type"}, {"entries"}),
      Table("marks", {"scope", "domain", "name", "category", "payload_type"}, {"count"}),
      Table("module_aliases", {"root_scope", "alias"}, {}),
      Table("call_gradients",
            {"scope", "phase", "kind", "api", "shape", "compute_type", "captured", "in_step"}, {}),
      Table("scope_kernels", {"scope", "phase", "api", "name", "kind", "category", "in_step"},
            {"count", "gpu_time_ns"}),
      Table("module_weights", {"root_scope", "path"}, {}),
      Table("step_facts", {"step"}, {"has_unknown", "exposed_unknown"}),
      Table("communications", {"scope", "phase", "api", "shape", "in_step"},
            {"compared_ns", "hidden_ns"}),
      Table("windows", {"number"}, {"end_mono_ns", "process_until_mono_ns"}),
      Table("instants", {"number"}, {}),
      Table("process_lives", {}, {"until_utc_ns"}),
      Table("costs", {}, {"wall_ns"}),
      Table("step_labels", {"step"}, {"revision"}),
  };
  return *kTables;
}

std::vector<const FieldDescriptor*> StoredFields(const Descriptor& type) {
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->is_repeated()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
        field->message_type() != v1::Count::descriptor()) {
      continue;
    }
    fields.push_back(field);
  }
  return fields;
}

std::vector<std::string> ColumnsOf(const std::vector<const FieldDescriptor*>& fields) {
  std::vector<std::string> columns;
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      columns.push_back(field->name() + "_high");
      columns.push_back(field->name() + "_low");
    } else {
      columns.push_back(field->name());
    }
  }
  return columns;
}

const char* SchemaSql() {
  return R"sql(
CREATE TABLE run(
  run_id TEXT NOT NULL, job TEXT NOT NULL, command TEXT NOT NULL, start_utc_ns INTEGER NOT NULL,
  node TEXT NOT NULL, version TEXT NOT NULL, first_step INTEGER, end_step INTEGER,
  job_exit_known INTEGER NOT NULL, job_exit_code INTEGER NOT NULL);
CREATE TABLE agents(
  id INTEGER PRIMARY KEY, agent_id TEXT NOT NULL UNIQUE, node TEXT NOT NULL,
  sequence INTEGER NOT NULL, finished INTEGER NOT NULL);
CREATE TABLE uploads(
  agent INTEGER NOT NULL REFERENCES agents(id), sequence INTEGER NOT NULL,
  PRIMARY KEY(agent, sequence)) WITHOUT ROWID;
CREATE TABLE processes(
  id INTEGER PRIMARY KEY, node TEXT NOT NULL, pid INTEGER NOT NULL, start_ticks INTEGER NOT NULL,
  UNIQUE(node, pid, start_ticks));
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
  activities_without_launch INTEGER NOT NULL, malformed_records INTEGER NOT NULL);
CREATE TABLE strings(
  process_id INTEGER NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(process_id, id)) WITHOUT ROWID;
CREATE TABLE devices(
  process_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, uuid TEXT NOT NULL,
  major INTEGER NOT NULL, minor INTEGER NOT NULL, sm_count INTEGER NOT NULL,
  clock_khz INTEGER NOT NULL, memory_bytes INTEGER NOT NULL,
  PRIMARY KEY(process_id, ordinal)) WITHOUT ROWID;
CREATE TABLE scopes(
  process_id INTEGER NOT NULL, id INTEGER NOT NULL, parent INTEGER NOT NULL,
  kind INTEGER NOT NULL, name TEXT NOT NULL, class_name TEXT NOT NULL, domain TEXT NOT NULL,
  object INTEGER NOT NULL, known INTEGER NOT NULL,
  PRIMARY KEY(process_id, id)) WITHOUT ROWID;
CREATE TABLE modules(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, path TEXT NOT NULL,
  class_name TEXT NOT NULL, object INTEGER NOT NULL, "order" INTEGER NOT NULL,
  own_params INTEGER NOT NULL, total_params INTEGER NOT NULL, trainable_params INTEGER NOT NULL,
  PRIMARY KEY(process_id, root_scope, path)) WITHOUT ROWID;
CREATE TABLE calls(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  kind INTEGER NOT NULL, api TEXT NOT NULL, shape TEXT NOT NULL, compute_type TEXT NOT NULL,
  captured INTEGER NOT NULL, in_step INTEGER NOT NULL,
  calls INTEGER NOT NULL, flops_high INTEGER NOT NULL, flops_low INTEGER NOT NULL,
  flops_known INTEGER NOT NULL, bytes INTEGER NOT NULL, kernels INTEGER NOT NULL,
  gpu_time_ns INTEGER NOT NULL, min_gpu_time_ns INTEGER NOT NULL,
  max_gpu_time_ns INTEGER NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY(process_id, scope, phase, kind, api, shape, compute_type, captured, in_step)
) WITHOUT ROWID;
CREATE TABLE times(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  category INTEGER NOT NULL, in_step INTEGER NOT NULL,
  activities INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, scope, phase, category, in_step)) WITHOUT ROWID;
CREATE TABLE kernels(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, category INTEGER NOT NULL,
  phase INTEGER NOT NULL, count INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, kind TEXT NOT NULL,
  PRIMARY KEY(process_id, name, category, phase)) WITHOUT ROWID;
CREATE TABLE scope_calls(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  calls INTEGER NOT NULL, PRIMARY KEY(process_id, scope, phase)) WITHOUT ROWID;
CREATE TABLE steps(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, begin_mono_ns INTEGER NOT NULL,
  end_mono_ns INTEGER NOT NULL, gpu_busy_ns INTEGER NOT NULL,
  exposed_communication_ns INTEGER NOT NULL, activities INTEGER NOT NULL,
  complete INTEGER NOT NULL, PRIMARY KEY(process_id, step)) WITHOUT ROWID;
CREATE TABLE step_phases(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, phase INTEGER NOT NULL,
  flops_high INTEGER NOT NULL, flops_low INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, step, phase)) WITHOUT ROWID;
CREATE TABLE device_times(
  process_id INTEGER NOT NULL, device INTEGER NOT NULL, busy_ns INTEGER NOT NULL,
  not_communication_ns INTEGER NOT NULL, first_gpu_ns INTEGER NOT NULL,
  last_gpu_ns INTEGER NOT NULL, PRIMARY KEY(process_id, device)) WITHOUT ROWID;
CREATE TABLE losses(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(process_id, name)) WITHOUT ROWID;
CREATE TABLE notes(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(process_id, name)) WITHOUT ROWID;

CREATE TABLE phase_names(phase INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO phase_names VALUES
  (0, 'other'), (1, 'forward'), (2, 'backward'), (3, 'recompute'), (4, 'optimizer'),
  (5, 'clipping'), (6, 'scaling'), (7, 'evaluation'), (8, 'generate');
CREATE TABLE category_names(category INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO category_names VALUES
  (1, 'exact'), (2, 'modelled'), (3, 'no_products'), (4, 'unknown'), (5, 'communication'),
  (6, 'copy');

CREATE VIEW call_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.path, '(outside)') AS scope_path,
  ph.name AS phase, c.api, c.shape, c.compute_type, c.captured, c.in_step, c.calls,
  CASE WHEN c.flops_known THEN c.flops_high * 1e18 + c.flops_low END AS flops,
  c.bytes, c.kernels, c.gpu_time_ns / 1e9 AS gpu_time_s, c.detail
FROM calls c JOIN processes p ON p.id = c.process_id
LEFT JOIN process_infos i ON i.process_id = c.process_id
LEFT JOIN phase_names ph ON ph.phase = c.phase
LEFT JOIN scope_paths s ON s.process_id = c.process_id AND s.scope = c.scope;

CREATE VIEW time_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.path, '(outside)') AS scope_path,
  ph.name AS phase, ca.name AS category, t.in_step, t.activities,
  t.gpu_time_ns / 1e9 AS gpu_time_s
FROM times t JOIN processes p ON p.id = t.process_id
LEFT JOIN process_infos i ON i.process_id = t.process_id
LEFT JOIN phase_names ph ON ph.phase = t.phase
LEFT JOIN category_names ca ON ca.category = t.category
LEFT JOIN scope_paths s ON s.process_id = t.process_id AND s.scope = t.scope;

CREATE VIEW kernel_view AS
SELECT i.rank, k.name, k.kind, ca.name AS category, ph.name AS phase, k.count,
  k.gpu_time_ns / 1e9 AS gpu_time_s, k.min_ns / 1e9 AS min_s, k.max_ns / 1e9 AS max_s
FROM kernels k
LEFT JOIN process_infos i ON i.process_id = k.process_id
LEFT JOIN phase_names ph ON ph.phase = k.phase
LEFT JOIN category_names ca ON ca.category = k.category;
)sql";
}

const char* AddedSql() {
  return R"sql(
CREATE TABLE IF NOT EXISTS graphs(
  process_id INTEGER NOT NULL, state TEXT NOT NULL, graphs INTEGER NOT NULL,
  replays INTEGER NOT NULL, calls INTEGER NOT NULL, activities INTEGER NOT NULL,
  gpu_time_ns INTEGER NOT NULL, shared_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, state)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stacks(
  process_id INTEGER NOT NULL, id INTEGER NOT NULL, frames TEXT NOT NULL,
  PRIMARY KEY(process_id, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stack_rows(
  process_id INTEGER NOT NULL, stack INTEGER NOT NULL, scope INTEGER NOT NULL,
  phase INTEGER NOT NULL, kernel TEXT NOT NULL, kind TEXT NOT NULL, category INTEGER NOT NULL,
  samples INTEGER NOT NULL, launches INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, stack, scope, phase, kernel, kind, category)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS collectives(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  api TEXT NOT NULL, shape TEXT NOT NULL, captured INTEGER NOT NULL, in_step INTEGER NOT NULL,
  "group" INTEGER NOT NULL, rank_count INTEGER NOT NULL, calls INTEGER NOT NULL,
  matched_calls INTEGER NOT NULL, matched_time_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, scope, phase, api, shape, captured, in_step)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS module_sizes(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, path TEXT NOT NULL,
  local_params INTEGER NOT NULL, buffers INTEGER NOT NULL, expert_params INTEGER NOT NULL,
  active_params INTEGER NOT NULL, param_bytes INTEGER NOT NULL,
  PRIMARY KEY(process_id, root_scope, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kernel_owners(
  process_id INTEGER NOT NULL, name TEXT NOT NULL, category INTEGER NOT NULL,
  phase INTEGER NOT NULL, in_call INTEGER NOT NULL,
  PRIMARY KEY(process_id, name, category, phase)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS range_rows(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, category INTEGER NOT NULL,
  payload_type INTEGER NOT NULL, category_name TEXT NOT NULL, entries INTEGER NOT NULL,
  sum TEXT NOT NULL, min TEXT NOT NULL, max TEXT NOT NULL, last TEXT NOT NULL,
  PRIMARY KEY(process_id, scope, category, payload_type)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS marks(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, domain TEXT NOT NULL, name TEXT NOT NULL,
  category INTEGER NOT NULL, payload_type INTEGER NOT NULL, category_name TEXT NOT NULL,
  count INTEGER NOT NULL, in_steps INTEGER NOT NULL, first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL, sum TEXT NOT NULL, min TEXT NOT NULL, max TEXT NOT NULL,
  last TEXT NOT NULL,
  PRIMARY KEY(process_id, scope, domain, name, category, payload_type)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS module_aliases(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, alias TEXT NOT NULL,
  path TEXT NOT NULL, PRIMARY KEY(process_id, root_scope, alias)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS call_gradients(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  kind INTEGER NOT NULL, api TEXT NOT NULL, shape TEXT NOT NULL, compute_type TEXT NOT NULL,
  captured INTEGER NOT NULL, in_step INTEGER NOT NULL, gradient INTEGER NOT NULL,
  PRIMARY KEY(process_id, scope, phase, kind, api, shape, compute_type, captured, in_step)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scope_kernels(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  api INTEGER NOT NULL, name INTEGER NOT NULL, kind TEXT NOT NULL, category INTEGER NOT NULL,
  in_step INTEGER NOT NULL, count INTEGER NOT NULL, gpu_time_ns INTEGER NOT NULL,
  first_step INTEGER NOT NULL, last_step INTEGER NOT NULL,
  PRIMARY KEY(process_id, scope, phase, api, name, kind, category, in_step)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS module_weights(
  process_id INTEGER NOT NULL, root_scope INTEGER NOT NULL, path TEXT NOT NULL,
  weights TEXT NOT NULL, PRIMARY KEY(process_id, root_scope, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS step_facts(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, has_unknown INTEGER NOT NULL,
  exposed_unknown INTEGER NOT NULL, PRIMARY KEY(process_id, step)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS step_labels(
  process_id INTEGER NOT NULL, step INTEGER NOT NULL, revision INTEGER NOT NULL,
  number INTEGER NOT NULL, optimizer_steps INTEGER NOT NULL, disturbed INTEGER NOT NULL,
  optimizer_end_mono_ns INTEGER NOT NULL, beside_mono_ns INTEGER NOT NULL, cut INTEGER NOT NULL,
  helped INTEGER NOT NULL, PRIMARY KEY(process_id, step)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS numbered_labels ON step_labels(process_id, step, number)
  WHERE number <> 4294967295;
CREATE TABLE IF NOT EXISTS communications(
  process_id INTEGER NOT NULL, scope INTEGER NOT NULL, phase INTEGER NOT NULL,
  api TEXT NOT NULL, shape TEXT NOT NULL, in_step INTEGER NOT NULL,
  compared_ns INTEGER NOT NULL, hidden_ns INTEGER NOT NULL,
  PRIMARY KEY(process_id, scope, phase, api, shape, in_step)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS windows(
  process_id INTEGER NOT NULL, number INTEGER NOT NULL, begin_mono_ns INTEGER NOT NULL,
  end_mono_ns INTEGER NOT NULL, begin_utc_ns INTEGER NOT NULL, end_utc_ns INTEGER NOT NULL,
  first_step INTEGER NOT NULL, end_step INTEGER NOT NULL, process_begin_mono_ns INTEGER NOT NULL,
  process_until_mono_ns INTEGER NOT NULL, PRIMARY KEY(process_id, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS instants(
  process_id INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
  mono_ns INTEGER NOT NULL, utc_ns INTEGER NOT NULL, step INTEGER NOT NULL,
  PRIMARY KEY(process_id, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS process_lives(
  process_id INTEGER PRIMARY KEY, until_utc_ns INTEGER NOT NULL, ancestor_pid INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS costs(
  process_id INTEGER PRIMARY KEY, budget_ppm INTEGER NOT NULL, wall_ns INTEGER NOT NULL,
  cost_ns INTEGER NOT NULL, instruction_ps INTEGER NOT NULL, full_ns INTEGER NOT NULL,
  sampled_ns INTEGER NOT NULL, paused_ns INTEGER NOT NULL, level_changes INTEGER NOT NULL,
  switches INTEGER NOT NULL, recorded_ns INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS agent_news(
  agent INTEGER PRIMARY KEY REFERENCES agents(id), newest_utc_ns INTEGER NOT NULL,
  refused TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS scopes_by_parent ON scopes(process_id, parent);
CREATE TABLE IF NOT EXISTS problems(number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

CREATE VIEW IF NOT EXISTS gradient_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.module, '(outside)') AS module,
  coalesce(s.user_range, '') AS user_range, c.api, c.shape, c.compute_type, c.captured, c.in_step,
  CASE g.gradient WHEN 1 THEN 'data' WHEN 2 THEN 'weight' ELSE '' END AS gradient, c.calls,
  CASE WHEN c.flops_known THEN c.flops_high * 1e18 + c.flops_low END AS flops,
  c.gpu_time_ns / 1e9 AS gpu_time_s
FROM calls c JOIN processes p ON p.id = c.process_id
LEFT JOIN process_infos i ON i.process_id = c.process_id
LEFT JOIN scope_places s ON s.process_id = c.process_id AND s.scope = c.scope
LEFT JOIN call_gradients g USING (process_id, scope, phase, kind, api, shape, compute_type,
                                  captured, in_step)
WHERE c.phase = 2 AND c.kind <> 3;
)sql";
}

// Rows are kept by the label of a step (proto/shm/records.h, StepPlace); views have its number,
// where 4294967295 is none. The bounds are those of model/profile_bounds.h: what is deeper, or of a
// longer path, has the path of what is around it. Every scope is visited once; a circle has no way
// in. The index is named because SQLite would read all scopes of the process for each.
std::string ViewsSql() {
  return absl::StrReplaceAll(
      R"sql(
DROP VIEW IF EXISTS scope_paths;
CREATE VIEW scope_paths AS
WITH RECURSIVE path(process_id, scope, path, class_name, depth) AS (
  SELECT process_id, id, name, class_name, 0 FROM scopes WHERE parent = 0
  UNION ALL
  SELECT s.process_id, s.id,
         CASE WHEN p.depth >= 255 OR length(p.path) + length(s.name) >= 4096 THEN p.path
              WHEN p.path = '' THEN s.name
              ELSE p.path || '.' || s.name END,
         s.class_name, p.depth + 1
  FROM path p
  JOIN scopes s INDEXED BY scopes_by_parent
    ON s.process_id = p.process_id AND s.parent = p.scope)
SELECT * FROM path;

DROP VIEW IF EXISTS scope_places;
CREATE VIEW scope_places AS
WITH RECURSIVE place(process_id, scope, module, user_range, depth) AS (
  SELECT process_id, id, CASE WHEN kind = 1 THEN name ELSE '(outside)' END,
         CASE WHEN kind = 1 THEN '' ELSE name END, 0
  FROM scopes WHERE parent = 0
  UNION ALL
  SELECT s.process_id, s.id,
         CASE WHEN s.kind <> 1 OR p.depth >= 255 OR length(p.module) + length(s.name) >= 4096
                THEN p.module
              WHEN p.module IN ('', '(outside)') THEN s.name
              ELSE p.module || '.' || s.name END,
         CASE WHEN s.kind = 1 THEN ''
              WHEN p.depth >= 255 OR length(p.user_range) + length(s.name) >= 4096
                THEN p.user_range
              WHEN p.user_range = '' THEN s.name
              ELSE p.user_range || '.' || s.name END,
         p.depth + 1
  FROM place p
  JOIN scopes s INDEXED BY scopes_by_parent
    ON s.process_id = p.process_id AND s.parent = p.scope)
SELECT * FROM place;

DROP VIEW IF EXISTS exact_flops;
CREATE VIEW exact_flops AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.path, '(outside)') AS scope_path,
  ph.name AS phase, c.api, c.shape, c.compute_type, c.in_step, c.calls,
  c.flops_high / 1000000000 AS flops_e27, c.flops_high % 1000000000 AS flops_e18,
  c.flops_low / 1000000000 AS flops_e9, c.flops_low % 1000000000 AS flops_e0
FROM calls c JOIN processes p ON p.id = c.process_id
LEFT JOIN process_infos i ON i.process_id = c.process_id
LEFT JOIN phase_names ph ON ph.phase = c.phase
LEFT JOIN scope_paths s ON s.process_id = c.process_id AND s.scope = c.scope
WHERE NOT c.captured AND c.flops_known AND c.kind <> 3;

DROP VIEW IF EXISTS exact_totals;
CREATE VIEW exact_totals AS
WITH sums AS (
  SELECT c.process_id, c.phase, sum(c.flops_high / 1000000000) AS e27,
    sum(c.flops_high % 1000000000) AS e18, sum(c.flops_low / 1000000000) AS e9,
    sum(c.flops_low % 1000000000) AS e0
  FROM calls c WHERE NOT c.captured AND c.flops_known AND c.kind <> 3
  GROUP BY c.process_id, c.phase),
carry0 AS (SELECT process_id, phase, e27, e18, e9 + e0 / 1000000000 AS e9,
             e0 % 1000000000 AS e0 FROM sums),
carry9 AS (SELECT process_id, phase, e27, e18 + e9 / 1000000000 AS e18,
             e9 % 1000000000 AS e9, e0 FROM carry0),
carry18 AS (SELECT process_id, phase, e27 + e18 / 1000000000 AS e27, e18 % 1000000000 AS e18,
              e9, e0 FROM carry9)
SELECT i.rank, i.restart, p.node, p.pid, ph.name AS phase,
  CASE WHEN e27 + e18 + e9 + e0 = 0 THEN '0'
       ELSE ltrim(printf('%d%09d%09d%09d', e27, e18, e9, e0), '0') END AS flops
FROM carry18 c JOIN processes p ON p.id = c.process_id
LEFT JOIN process_infos i ON i.process_id = c.process_id
LEFT JOIN phase_names ph ON ph.phase = c.phase;

DROP VIEW IF EXISTS step_view;
CREATE VIEW step_view AS
WITH numbered AS (
  SELECT s.*, CASE WHEN s.step = 3221225471 THEN 0 ELSE (s.step >> 26) & 15 END AS loop,
    CASE WHEN s.step = 3221225471 THEN 4294967295
         ELSE coalesce(l.number, s.step & 67108863) END AS number,
    CASE WHEN s.step = 3221225471 THEN 'before' WHEN l.number = 4294967295 THEN 'none'
         WHEN s.step >> 30 = 0 THEN 'in' WHEN s.step >> 30 = 1 THEN 'after'
         ELSE 'beside' END AS place,
    (SELECT sum(flops_high * 1e18 + flops_low) FROM step_phases f
     WHERE f.process_id = s.process_id AND f.step = s.step) AS flops
  FROM steps s
  LEFT JOIN step_labels l ON l.process_id = s.process_id AND l.step = s.step & 1073741823)
SELECT i.rank, i.restart, n.loop, nullif(n.number, 4294967295) AS step, n.place,
  min(n.complete) AS complete,
  CASE WHEN min(n.end_mono_ns) > 0 AND n.place = 'in'
       THEN (max(n.end_mono_ns) - min(n.begin_mono_ns)) / 1e9 END AS wall_s,
  sum(n.gpu_busy_ns) / 1e9 AS gpu_busy_s,
  sum(n.exposed_communication_ns) / 1e9 AS exposed_communication_s, sum(n.flops) AS flops
FROM numbered n LEFT JOIN process_infos i ON i.process_id = n.process_id
GROUP BY n.process_id, n.loop, n.number, n.place;

DROP VIEW IF EXISTS launch_view;
CREATE VIEW launch_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.module, '(outside)') AS module,
  coalesce(s.user_range, '') AS user_range, ph.name AS phase, coalesce(a.text, '') AS api,
  coalesce(n.text, '') AS kernel, k.kind, ca.name AS category, k.in_step,
  min(coalesce(k.first_number, k.last_number), coalesce(k.last_number, k.first_number))
    AS first_step,
  max(coalesce(k.first_number, k.last_number), coalesce(k.last_number, k.first_number))
    AS last_step,
  k.count, k.gpu_time_ns / 1e9 AS gpu_time_s,
  c.calls AS api_calls, c.flops AS api_flops
FROM ($NUMBERED(scope_kernels, r.in_step)) k JOIN processes p ON p.id = k.process_id
LEFT JOIN process_infos i ON i.process_id = k.process_id
LEFT JOIN phase_names ph ON ph.phase = k.phase
LEFT JOIN category_names ca ON ca.category = k.category
LEFT JOIN scope_places s ON s.process_id = k.process_id AND s.scope = k.scope
LEFT JOIN strings a ON a.process_id = k.process_id AND a.id = k.api
LEFT JOIN strings n ON n.process_id = k.process_id AND n.id = k.name
LEFT JOIN (
  SELECT process_id, scope, phase, api, in_step, sum(calls) AS calls,
    CASE WHEN min(flops_known) THEN sum(flops_high * 1e18 + flops_low) END AS flops
  FROM calls WHERE NOT captured GROUP BY process_id, scope, phase, api, in_step) c
  ON c.process_id = k.process_id AND c.scope = k.scope AND c.phase = k.phase
  AND c.api = a.text AND c.in_step = k.in_step;

DROP VIEW IF EXISTS mark_view;
CREATE VIEW mark_view AS
SELECT i.rank, i.restart, coalesce(s.path, '(outside)') AS scope_path, m.domain, m.name,
  m.category_name AS category, m.count, m.in_steps,
  min(coalesce(m.first_number, m.last_number), coalesce(m.last_number, m.first_number))
    AS first_step,
  max(coalesce(m.first_number, m.last_number), coalesce(m.last_number, m.first_number))
    AS last_step,
  m.sum, m.min, m.max, m.last
FROM ($NUMBERED(marks, r.in_steps > 0)) m LEFT JOIN process_infos i ON i.process_id = m.process_id
LEFT JOIN scope_paths s ON s.process_id = m.process_id AND s.scope = m.scope;
)sql",
      {{"$NUMBERED(scope_kernels, r.in_step)", WithNumbers("scope_kernels", "r.in_step")},
       {"$NUMBERED(marks, r.in_steps > 0)", WithNumbers("marks", "r.in_steps > 0")}});
}

}  // namespace flopsprof::store

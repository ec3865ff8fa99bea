// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

// Rows of a table with the numbers of their first and last label, which are of one loop. Of a label
// of no step: that of the next (previous) one that is of a step, found by an index.
std::string WithNumbers(const char* table, const char* in_step) {
  constexpr char kSql[] = R"sql(
  SELECT r.*,
    CASE WHEN NOT ($IN_STEP) THEN NULL WHEN lf.step IS NULL THEN r.first_step & 67108863
         WHEN lf.number <> 4294967295 THEN lf.number
         ELSE (SELECT l.number FROM step_labels l WHERE l.process_id = r.process_id
               AND l.number <> 4294967295 AND l.step >= r.first_step AND l.step <= r.last_step
               ORDER BY l.step LIMIT 1) END AS first_number,
    CASE WHEN NOT ($IN_STEP) THEN NULL WHEN ll.step IS NULL THEN r.last_step & 67108863
         WHEN ll.number <> 4294967295 THEN ll.number
         ELSE (SELECT l.number FROM step_labels l WHERE l.process_id = r.process_id
               AND l.number <> 4294967295 AND l.step <= r.last_step AND l.step >= r.first_step
               ORDER BY l.step DESC LIMIT 1) END AS last_number
  FROM $TABLE r
  LEFT JOIN step_labels lf ON lf.process_id = r.process_id AND lf.step = r.first_step
  LEFT JOIN step_labels ll ON ll.process_id = r.process_id AND ll.step = r.last_step)sql";
  return absl::StrReplaceAll(kSql, {{"$IN_STEP", in_step}, {"$TABLE", table}});
}

const char* PlainViewsSql() {
  return R"sql(
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

CREATE VIEW history_view AS
SELECT i.rank, i.restart, p.node, p.pid, t.begin_utc_ns / 1e9 AS begin_utc_s,
  t.width_ns / 1e9 AS width_s, ph.name AS phase, t.calls, t.unknown_calls,
  CASE WHEN t.flops_high + t.flops_low > 0 OR (t.unknown_calls = 0 AND t.unknown_gpu_time_ns = 0)
       THEN t.flops_high * 1e18 + t.flops_low END AS flops,
  CASE WHEN i.activities > 0 THEN t.activities END AS activities,
  CASE WHEN i.activities > 0 THEN t.gpu_time_ns / 1e9 END AS gpu_time_s,
  CASE WHEN i.activities > 0 THEN t.unknown_gpu_time_ns / 1e9 END AS unknown_gpu_time_s,
  CASE WHEN i.activities > 0 THEN t.communication_ns / 1e9 END AS communication_s
FROM history t JOIN processes p ON p.id = t.process_id
LEFT JOIN process_infos i ON i.process_id = t.process_id
LEFT JOIN phase_names ph ON ph.phase = t.phase;

CREATE VIEW device_history_view AS
SELECT i.rank, i.restart, p.node, p.pid, t.device, t.begin_utc_ns / 1e9 AS begin_utc_s,
  t.width_ns / 1e9 AS width_s, t.busy_ns / 1e9 AS gpu_busy_s,
  (t.busy_ns - min(t.busy_ns, t.not_communication_ns)) / 1e9 AS exposed_communication_s
FROM device_history t JOIN processes p ON p.id = t.process_id
LEFT JOIN process_infos i ON i.process_id = t.process_id;

CREATE VIEW kernel_view AS
SELECT i.rank, k.name, k.kind, ca.name AS category, ph.name AS phase, k.count,
  k.gpu_time_ns / 1e9 AS gpu_time_s, k.min_ns / 1e9 AS min_s, k.max_ns / 1e9 AS max_s
FROM kernels k
LEFT JOIN process_infos i ON i.process_id = k.process_id
LEFT JOIN phase_names ph ON ph.phase = k.phase
LEFT JOIN category_names ca ON ca.category = k.category;

CREATE VIEW gradient_view AS
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

const char* ProcessViewsSql() {
  return R"sql(
CREATE VIEW process_view AS
SELECT i.rank, i.local_rank, i.world_size, i.restart, p.node, p.pid, i.command,
  CASE i.state WHEN 1 THEN 'running' WHEN 2 THEN 'exited' WHEN 3 THEN 'signal'
               WHEN 4 THEN 'lost' END AS state,
  CASE WHEN i.exit_code_known THEN i.exit_code END AS exit_code,
  nullif(i.exit_signal, 0) AS exit_signal, i.used_gpu, i.simulated,
  (SELECT group_concat(name, ', ') FROM (
     SELECT DISTINCT name FROM devices d WHERE d.process_id = p.id ORDER BY name)) AS devices,
  (SELECT sum(busy_ns) / 1e9 FROM device_times t WHERE t.process_id = p.id) AS gpu_busy_s
FROM processes p LEFT JOIN process_infos i ON i.process_id = p.id;

CREATE VIEW session_device_view AS
SELECT i.rank, e.restart, p.node, p.pid, e.session, e.job, e.begin_utc_ns / 1e9 AS begin_utc_s,
  (e.until_mono_ns - e.begin_mono_ns) / 1e9 AS length_s, u.ordinal,
  nullif(d.name, '') AS device, nullif(u.uuid, '') AS uuid
FROM epoch_devices u JOIN epochs e ON e.process_id = u.process_id AND e.epoch = u.epoch
JOIN processes p ON p.id = u.process_id
LEFT JOIN process_infos i ON i.process_id = u.process_id
LEFT JOIN devices d ON d.process_id = u.process_id AND d.ordinal = u.ordinal;

CREATE VIEW launch_latency_view AS
SELECT i.rank, i.restart, p.node, p.pid, l.launches, l.measured, l.clock_unsure,
  CASE WHEN l.measured > 0 THEN l.sum_ns / 1e9 / l.measured END AS mean_s,
  CASE WHEN l.measured > 0 THEN l.min_ns / 1e9 END AS min_s,
  CASE WHEN l.measured > 0 THEN l.max_ns / 1e9 END AS max_s,
  CASE WHEN l.measured > 0 THEN l.error_ns / 1e9 END AS error_s
FROM launch_latencies l JOIN processes p ON p.id = l.process_id
LEFT JOIN process_infos i ON i.process_id = l.process_id;

CREATE VIEW loss_view AS
SELECT i.rank, i.restart, p.node, p.pid, l.name, l.count
FROM losses l JOIN processes p ON p.id = l.process_id
LEFT JOIN process_infos i ON i.process_id = l.process_id;

CREATE VIEW collective_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.path, '(outside)') AS scope_path,
  ph.name AS phase, c.api, c.shape, c.captured, c.in_step, nullif(c.rank_count, 0) AS rank_count,
  c.calls, c.matched_calls, c.matched_time_ns / 1e9 AS matched_time_s, c.wait_ns / 1e9 AS wait_s
FROM collectives c JOIN processes p ON p.id = c.process_id
LEFT JOIN process_infos i ON i.process_id = c.process_id
LEFT JOIN phase_names ph ON ph.phase = c.phase
LEFT JOIN scope_paths s ON s.process_id = c.process_id AND s.scope = c.scope;

CREATE VIEW communication_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.path, '(outside)') AS scope_path,
  ph.name AS phase, c.api, c.shape, c.in_step, c.compared_ns / 1e9 AS compared_s,
  c.hidden_ns / 1e9 AS hidden_s
FROM communications c JOIN processes p ON p.id = c.process_id
LEFT JOIN process_infos i ON i.process_id = c.process_id
LEFT JOIN phase_names ph ON ph.phase = c.phase
LEFT JOIN scope_paths s ON s.process_id = c.process_id AND s.scope = c.scope;
)sql";
}

}  // namespace

// Rows are kept by the label of a step (proto/shm/records.h, StepPlace); views have its number,
// where 4294967295 is none. The bounds are those of model/profile_bounds.h: what is deeper, or of a
// longer path, has the path of what is around it. Every scope is visited once; a circle has no way
// in. The index is named because SQLite would read all scopes of the process for each.
std::string ViewsSql() {
  const std::string more = absl::StrReplaceAll(
      R"sql(
CREATE VIEW scope_paths AS
WITH RECURSIVE path(process_id, scope, path, class_name, depth) AS (
  SELECT process_id, id, substr(name, 1, 4096), class_name, 0 FROM scopes WHERE parent = 0
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

CREATE VIEW scope_places AS
WITH RECURSIVE place(process_id, scope, module, user_range, depth) AS (
  SELECT process_id, id, CASE WHEN kind = 1 THEN substr(name, 1, 4096) ELSE '(outside)' END,
         CASE WHEN kind = 1 THEN '' ELSE substr(name, 1, 4096) END, 0
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
  sum(n.gpu_busy_ns - min(n.gpu_busy_ns, n.not_communication_ns)) / 1e9 AS exposed_communication_s, sum(n.flops) AS flops
FROM numbered n LEFT JOIN process_infos i ON i.process_id = n.process_id
GROUP BY n.process_id, n.loop, n.number, n.place;

CREATE VIEW launch_view AS
SELECT i.rank, i.restart, p.node, p.pid, coalesce(s.module, '(outside)') AS module,
  coalesce(s.user_range, '') AS user_range, ph.name AS phase, coalesce(a.text, '') AS api,
  coalesce(n.text, '') AS kernel, k.kind, ca.name AS category, k.in_step, k.loop,
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

CREATE VIEW mark_view AS
SELECT i.rank, i.restart, coalesce(s.path, '(outside)') AS scope_path, m.domain, m.name,
  m.category_name AS category, m.count, m.in_steps, m.loop,
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
  return absl::StrCat(PlainViewsSql(), ProcessViewsSql(), more);
}

}  // namespace flopsprof::store

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/summary_json.h"

#include "collector/model/json_fields.h"
#include "collector/model/rank_json.h"
#include "collector/model/row_json.h"
#include "collector/model/run_json.h"

namespace flopsprof::model {
namespace {

void WriteProgram(int number, const std::string& command, const Summary& own, JsonFields* json) {
  json->BeginObject();
  json->Integer("number", number);
  json->Text("command", command);
  json->Key("ranks");
  json->BeginArray();
  for (const RankSummary& rank : own.ranks) json->Int(rank.rank);
  json->EndArray();
  WriteSteps(own.steps, json);
  WriteTotals(own.totals, json);
  json->List("optimizers", own.optimizers, WriteOptimizer);
  json->EndObject();
}

// Always there: a run of one program is a list of one.
void WritePrograms(const Summary& summary, JsonFields* json) {
  json->Key("programs");
  json->BeginArray();
  for (const ProgramSummary& program : summary.programs) {
    WriteProgram(program.number, program.command, program.own, json);
  }
  if (summary.programs.empty() && !summary.empty) {
    WriteProgram(0, summary.job.command, summary, json);
  }
  json->EndArray();
}

}  // namespace

std::string ToJson(const Summary& summary) {
  JsonFields json;
  json.BeginObject();
  json.Text("schema", "flopsprof.summary/1");
  json.Flag("simulated", summary.simulated);
  json.Flag("empty", summary.empty);
  WriteJob(summary.job, &json);
  WriteRecording(summary.recording, &json);
  WriteSteps(summary.steps, &json);
  WriteCoverage(summary.coverage, &json);
  WriteTotals(summary.totals, &json);
  json.List("ranks", summary.ranks, WriteRank);
  json.List("processes", summary.processes, WriteProcess);
  WritePrograms(summary, &json);
  json.List("modules", summary.modules, WriteModule);
  json.List("kernels", summary.kernels, WriteKernel);
  json.Unsigned("kernels_left_out", summary.kernels_left_out);
  json.List("stacks", summary.stacks, WriteStack);
  json.Unsigned("stacks_left_out", summary.stacks_left_out);
  json.List("collectives", summary.collectives, WriteCollective);
  json.List("ranges", summary.ranges, WriteRange);
  json.Unsigned("ranges_left_out", summary.ranges_left_out);
  json.List("marks", summary.marks, WriteMark);
  json.Unsigned("marks_left_out", summary.marks_left_out);
  json.List("optimizers", summary.optimizers, WriteOptimizer);
  json.List("findings", summary.findings, WriteFinding);
  json.Texts("method", summary.method);
  json.Texts("files", summary.files);
  json.EndObject();
  return json.text();
}
}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// make_run FOLDER RANKS [LAYERS]: writes a finished run folder of a training with that many ranks,
// 8 a node, as agents would have sent it. All ranks have the same model (a transformer of LAYERS
// layers, 17: about 2,000 rows a rank) at other addresses, and other times. The same arguments give
// the same rows.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collector/store/run_folder.h"

namespace flopsprof {
namespace {

constexpr int kRanksOfNode = 8;
constexpr int kDefaultLayers = 17;
constexpr uint32_t kSteps = 12;
constexpr uint64_t kStepNs = 812'345'678;
constexpr int64_t kStartUtcNs = 1'790'000'000'000'000'000;

// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Below(uint64_t end) {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (z ^ (z >> 31)) % end;
  }
  // Within 5 % of it.
  uint64_t Near(uint64_t value) { return value - value / 20 + Below(value / 10 + 1); }

 private:
  uint64_t state_;
};

struct ModuleShape {
  const char* name;
  const char* class_name;
  uint32_t in = 0, out = 0;  // of a linear layer; 0 = another
};

const std::vector<ModuleShape>& ModulesOfLayer() {
  static const auto* const kModules = new std::vector<ModuleShape>{
      {"input_layernorm", "LlamaRMSNorm"},
      {"self_attn", "LlamaAttention"},
      {"self_attn.q_proj", "Linear", 4096, 4096},
      {"self_attn.k_proj", "Linear", 4096, 1024},
      {"self_attn.v_proj", "Linear", 4096, 1024},
      {"self_attn.o_proj", "Linear", 4096, 4096},
      {"self_attn.rotary_emb", "LlamaRotaryEmbedding"},
      {"post_attention_layernorm", "LlamaRMSNorm"},
      {"mlp", "LlamaMLP"},
      {"mlp.gate_proj", "Linear", 4096, 14336},
      {"mlp.up_proj", "Linear", 4096, 14336},
      {"mlp.act_fn", "SiLU"},
      {"mlp.down_proj", "Linear", 14336, 4096},
  };
  return *kModules;
}

// What one rank did.
class RankRows {
 public:
  RankRows(int rank, int rank_count, int layers, v1::ProcessProfile* process)
      : rank_(rank),
        rank_count_(rank_count),
        random_(static_cast<uint64_t>(rank) + 1),
        process_(*process) {
    WriteIdentity();
    object_ = 0x7f0000000000 + random_.Below(uint64_t{1} << 36) * 16;
    const uint32_t root = AddModule(0, "", "", "LlamaForCausalLM");
    const uint32_t model = AddModule(root, "model", "model", "LlamaModel");
    AddModule(model, "embed_tokens", "model.embed_tokens", "Embedding");
    for (int i = 0; i < layers; ++i) AddLayer(model, "layers." + std::to_string(i));
    AddModule(model, "norm", "model.norm", "LlamaRMSNorm");
    const uint32_t head = AddModule(root, "lm_head", "lm_head", "Linear");
    AddProducts(head, "lm_head", 4096, 128256);
    AddCollectives(root);
    AddSteps();
    AddKernelsByName();
    AddFacts();
  }

 private:
  void WriteIdentity() {
    const int node = rank_ / kRanksOfNode;
    char name[32];
    std::snprintf(name, sizeof name, "node-%05d", node);
    process_.mutable_key()->set_node(name);
    process_.mutable_key()->set_pid(10'001 + rank_ % kRanksOfNode);
    process_.mutable_key()->set_start_ticks(500'000 + static_cast<uint64_t>(rank_ % 97));
    v1::ProcessInfo& info = *process_.mutable_info();
    info.set_rank(rank_);
    info.set_local_rank(rank_ % kRanksOfNode);
    info.set_world_size(rank_count_);
    info.set_node_rank(node);
    info.set_command("python -u train.py --config llama-8b.yaml");
    info.set_start_utc_ns(kStartUtcNs + static_cast<int64_t>(random_.Below(1'000'000'000)));
    info.set_state(v1::PROCESS_STATE_EXITED);
    info.set_exit_code_known(true);
    info.set_used_gpu(true);
    info.set_parent_pid(10'000);
    info.set_hook_calls(random_.Near(900'000));
    info.set_module_calls(random_.Near(300'000));
    info.set_backward_nodes(random_.Near(200'000));
    info.set_launches(random_.Near(1'200'000));
    info.set_activities(info.launches());
    info.set_own_cpu_ns(random_.Near(2'000'000'000));
  }

  uint64_t NextObject() { return object_ += 16 * (1 + random_.Below(64)); }

  uint32_t AddModule(uint32_t parent, const std::string& name, const std::string& path,
                     const char* class_name) {
    const auto id = static_cast<uint32_t>(process_.scopes_size() + 1);
    v1::Scope& scope = *process_.add_scopes();
    scope.set_id(id);
    scope.set_parent(parent);
    scope.set_kind(v1::SCOPE_KIND_MODULE);
    scope.set_name(name);
    scope.set_class_name(class_name);
    scope.set_object(NextObject());
    scope.set_known(true);
    v1::Module& module = *process_.add_modules();
    module.set_root_scope(1);
    module.set_path(path);
    module.set_class_name(class_name);
    module.set_object(scope.object());
    module.set_order(id - 1);
    v1::ModuleSizes& sizes = *process_.add_module_sizes();
    sizes.set_root_scope(1);
    sizes.set_path(path);
    v1::ScopeCallRow& calls = *process_.add_scope_calls();
    calls.set_scope(id);
    calls.set_phase(v1::PHASE_FORWARD);
    calls.set_calls(kSteps);
    return id;
  }

  void AddLayer(uint32_t model, const std::string& name) {
    const std::string path = "model." + name;
    const uint32_t layer = AddModule(model, name, path, "LlamaDecoderLayer");
    uint32_t around = layer;  // the last module without a dot
    for (const ModuleShape& module : ModulesOfLayer()) {
      const std::string text = module.name;
      const size_t dot = text.find('.');
      const bool inner = dot != std::string::npos;
      const uint32_t id = AddModule(inner ? around : layer, inner ? text.substr(dot + 1) : text,
                                    path + "." + text, module.class_name);
      if (!inner) around = id;
      if (module.in != 0) AddProducts(id, path + "." + text, module.in, module.out);
      if (module.in == 0 && text.find("norm") != std::string::npos) AddElementwise(id);
    }
  }

  void AddProducts(uint32_t scope, const std::string& path, uint32_t in, uint32_t out) {
    constexpr uint32_t kTokens = 8192;
    AddCall(scope, v1::PHASE_FORWARD, out, kTokens, in);
    AddCall(scope, v1::PHASE_BACKWARD, in, kTokens, out);
    AddCall(scope, v1::PHASE_BACKWARD, in, out, kTokens);
    v1::ModuleWeights& weights = *process_.add_module_weights();
    weights.set_root_scope(1);
    weights.set_path(path);
    weights.set_weights(std::to_string(out) + "x" + std::to_string(in));
    const uint64_t params = uint64_t{in} * out;
    process_.mutable_modules(static_cast<int>(scope) - 1)->set_own_params(params);
    process_.mutable_modules(static_cast<int>(scope) - 1)->set_total_params(params);
    process_.mutable_modules(static_cast<int>(scope) - 1)->set_trainable_params(params);
    v1::ModuleSizes& sizes = *process_.mutable_module_sizes(static_cast<int>(scope) - 1);
    sizes.set_local_params(params / 8);
    sizes.set_param_bytes(params * 2);
    sizes.set_active_params(params);
  }

  void AddCall(uint32_t scope, v1::Phase phase, uint32_t m, uint32_t n, uint32_t k) {
    v1::CallRow& call = *process_.add_calls();
    call.set_scope(scope);
    call.set_phase(phase);
    call.set_kind(v1::CALL_KIND_GEMM);
    call.set_api("cublasGemmEx");
    call.set_shape("m=" + std::to_string(m) + " n=" + std::to_string(n) +
                   " k=" + std::to_string(k) + " batch=1 a=bf16 b=bf16 c=bf16 compute=68");
    call.set_compute_type("bf16");
    call.set_in_step(true);
    call.set_calls(kSteps);
    call.mutable_flops()->set_low(2ull * m * n * k * kSteps);
    call.set_flops_known(true);
    call.set_kernels(kSteps);
    const uint64_t each_ns = random_.Near(1 + 2ull * m * n * k / 600'000);
    call.set_gpu_time_ns(each_ns * kSteps);
    call.set_min_gpu_time_ns(each_ns - each_ns / 50);
    call.set_max_gpu_time_ns(each_ns + each_ns / 50);
    AddTime(scope, phase, v1::TIME_CATEGORY_EXACT, call.gpu_time_ns());
    AddPlaced(scope, phase, 1, 2 + static_cast<uint32_t>((m + n) % 23), "kernel",
              v1::TIME_CATEGORY_EXACT, call.gpu_time_ns());
  }

  void AddElementwise(uint32_t scope) {
    for (const v1::Phase phase : {v1::PHASE_FORWARD, v1::PHASE_BACKWARD}) {
      const uint64_t time_ns = kSteps * random_.Near(60'000);
      AddTime(scope, phase, v1::TIME_CATEGORY_NO_PRODUCTS, time_ns);
      AddPlaced(scope, phase, 0, 25 + scope % 11, "kernel", v1::TIME_CATEGORY_NO_PRODUCTS, time_ns);
    }
  }

  // Of the same key: one row.
  void AddTime(uint32_t scope, v1::Phase phase, v1::TimeCategory category, uint64_t time_ns) {
    v1::TimeRow* row = nullptr;
    if (process_.times_size() > 0) row = process_.mutable_times(process_.times_size() - 1);
    if (row == nullptr || row->scope() != scope || row->phase() != phase ||
        row->category() != category) {
      row = process_.add_times();
    }
    row->set_scope(scope);
    row->set_phase(phase);
    row->set_category(category);
    row->set_in_step(true);
    row->set_activities(row->activities() + kSteps);
    row->set_gpu_time_ns(row->gpu_time_ns() + time_ns);
  }

  void AddPlaced(uint32_t scope, v1::Phase phase, uint32_t api, uint32_t name, const char* kind,
                 v1::TimeCategory category, uint64_t time_ns) {
    v1::ScopeKernelRow& row = *process_.add_scope_kernels();
    row.set_scope(scope);
    row.set_phase(phase);
    row.set_api(api);
    row.set_name(name);
    row.set_kind(kind);
    row.set_category(category);
    row.set_in_step(true);
    row.set_count(kSteps);
    row.set_gpu_time_ns(time_ns);
    row.set_last_step(kSteps - 1);
  }

  // One group of all ranks, one of each node.
  void AddCollectives(uint32_t root) {
    for (const bool of_all : {true, false}) {
      const int ranks = of_all ? rank_count_ : kRanksOfNode;
      const uint64_t group = of_all ? 77 : 1000 + static_cast<uint64_t>(rank_ / kRanksOfNode);
      for (uint64_t size = 1; size <= 4; ++size) {
        v1::CallRow& call = *process_.add_calls();
        call.set_scope(root);
        call.set_phase(v1::PHASE_BACKWARD);
        call.set_kind(v1::CALL_KIND_COLLECTIVE);
        call.set_api(of_all ? "ncclReduceScatter" : "ncclAllGather");
        call.set_shape("count=" + std::to_string(size << 20) + " type=bf16 ranks=" +
                       std::to_string(ranks) + " group=" + std::to_string(group));
        call.set_detail(std::to_string(ranks) + " ranks");
        call.set_in_step(true);
        call.set_calls(kSteps);
        call.set_flops_known(true);
        call.set_bytes(kSteps * (size << 21));
        call.set_kernels(kSteps);
        call.set_gpu_time_ns(kSteps * random_.Near(900'000 * size));
        AddTime(root, v1::PHASE_BACKWARD, v1::TIME_CATEGORY_COMMUNICATION, call.gpu_time_ns());
        v1::CollectiveRow& row = *process_.add_collectives();
        row.set_scope(root);
        row.set_phase(call.phase());
        row.set_api(call.api());
        row.set_shape(call.shape());
        row.set_in_step(true);
        row.set_group(group);
        row.set_rank_count(ranks);
        row.set_calls(kSteps);
        row.set_matched_calls(of_all ? 0 : kSteps);
        row.set_matched_time_ns(of_all ? 0 : call.gpu_time_ns());
        row.set_wait_ns(of_all ? 0 : call.gpu_time_ns() / 7);
        v1::CommunicationRow& compared = *process_.add_communications();
        compared.set_scope(root);
        compared.set_phase(call.phase());
        compared.set_api(call.api());
        compared.set_shape(call.shape());
        compared.set_in_step(true);
        compared.set_compared_ns(call.gpu_time_ns());
        compared.set_hidden_ns(call.gpu_time_ns() / 3);
      }
    }
  }

  void AddSteps() {
    const uint64_t begin_ns = 25'000'000'000'000 + random_.Below(1'000'000'000);
    uint64_t at_ns = begin_ns;
    uint64_t sums[v1::PHASE_BACKWARD + 1] = {};
    uint64_t times[v1::PHASE_BACKWARD + 1] = {};
    for (const v1::CallRow& call : process_.calls()) sums[call.phase()] += call.flops().low();
    for (const v1::TimeRow& time : process_.times()) times[time.phase()] += time.gpu_time_ns();
    for (uint32_t step = 0; step < kSteps; ++step) {
      v1::StepRow& row = *process_.add_steps();
      row.set_step(step);
      row.set_begin_mono_ns(at_ns);
      at_ns += random_.Near(kStepNs) * (step == 0 ? 3 : 1);
      row.set_end_mono_ns(at_ns);
      for (int phase = 0; phase <= v1::PHASE_BACKWARD; ++phase) {
        row.add_flops()->set_low(sums[phase] / kSteps);
        row.add_gpu_time_ns(times[phase] / kSteps);
      }
      row.set_gpu_busy_ns(random_.Near(kStepNs * 3 / 4));
      row.set_exposed_communication_ns(random_.Near(kStepNs / 20));
      row.set_activities(random_.Near(4000));
      row.set_complete(true);
      v1::StepLabelRow& label = *process_.add_step_labels();
      label.set_step(step);
      label.set_revision(1);
      label.set_number(step);
      label.set_optimizer_steps(1);
      label.set_optimizer_end_mono_ns(at_ns);
    }
    v1::DeviceTime& device = *process_.add_device_times();
    device.set_device(static_cast<uint32_t>(rank_ % kRanksOfNode));
    device.set_busy_ns((at_ns - begin_ns) * 3 / 4);
    device.set_not_communication_ns((at_ns - begin_ns) * 7 / 10);
    device.set_first_gpu_ns(begin_ns);
    device.set_last_gpu_ns(at_ns);
  }

  void AddKernelsByName() {
    auto& strings = *process_.mutable_strings();
    strings[1] = "cublasGemmEx";
    for (uint32_t i = 2; i < 25; ++i) {
      strings[i] = "nvjet_tst_" + std::to_string(64 + i) + "x256_64x4_2x1_v_bz_coopA_TNT";
    }
    for (uint32_t i = 25; i < 36; ++i) {
      strings[i] = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEE" +
                   std::to_string(i);
    }
    for (uint32_t id = 2; id < 36; ++id) {  // not in the order of the map, which is of the moment
      for (const v1::Phase phase : {v1::PHASE_FORWARD, v1::PHASE_BACKWARD}) {
        v1::KernelRow& row = *process_.add_kernels();
        row.set_name(strings[id]);
        row.set_category(id < 25 ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_NO_PRODUCTS);
        row.set_phase(phase);
        row.set_kind("kernel");
        row.set_count(kSteps * 9);
        row.set_gpu_time_ns(kSteps * random_.Near(9'000'000));
        row.set_min_ns(random_.Near(100'000));
        row.set_max_ns(random_.Near(2'000'000));
      }
    }
  }

  void AddFacts() {
    v1::Device& device = *process_.add_devices();
    const int local = rank_ % kRanksOfNode;
    device.set_ordinal(static_cast<uint32_t>(local));
    device.set_name("NVIDIA H100 80GB HBM3");
    char uuid[64];
    std::snprintf(uuid, sizeof uuid, "GPU-%08x-0000-0000-0000-%012x", rank_, rank_ * 7);
    device.set_uuid(uuid);
    device.set_major(9);
    device.set_sm_count(132);
    device.set_clock_khz(1'980'000);
    device.set_memory_bytes(85'520'809'984);
    auto& notes = *process_.mutable_notes();
    notes["backward"] = "engine";
    notes["cublas_version"] = "130101";
    notes["cuda_driver_version"] = "13000";
    notes["cuda_runtime_version"] = "13000";
    notes["cudnn_version"] = "92400";
    notes["cupti"] = "recording";
    notes["cupti_version"] = "130001";
    notes["graphs"] = "per node";
    notes["modules"] = "vectorcall hook";
    notes["nccl_version"] = "23007";
    notes["torch"] = "2.14.1+cu130";
    if (rank_ % 50 == 3) (*process_.mutable_loss())["ring_full"] = random_.Below(100);
    v1::ProcessLife& life = *process_.add_process_lives();
    life.set_until_utc_ns(process_.info().start_utc_ns() + 40'000'000'000);
    life.set_ancestor_pid(10'000);
  }

  const int rank_;
  const int rank_count_;
  Random random_;
  uint64_t object_ = 0;
  v1::ProcessProfile& process_;
};

// The launcher of a node, which is no rank.
void AddLauncher(int node, v1::ProcessProfile* process) {
  char name[32];
  std::snprintf(name, sizeof name, "node-%05d", node);
  process->mutable_key()->set_node(name);
  process->mutable_key()->set_pid(10'000);
  process->mutable_key()->set_start_ticks(400'000);
  v1::ProcessInfo& info = *process->mutable_info();
  info.set_rank(-1);
  info.set_local_rank(-1);
  info.set_world_size(-1);
  info.set_node_rank(-1);
  info.set_command("python torchrun --nnodes=N --nproc-per-node 8 train.py");
  info.set_start_utc_ns(kStartUtcNs - 3'000'000'000);
  info.set_state(v1::PROCESS_STATE_EXITED);
  info.set_exit_code_known(true);
  info.set_parent_pid(9'000);
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "make_run: %s\n", std::string(status.message()).c_str());
  return 1;
}

int Write(const std::string& folder, int rank_count, int layers) {
  store::RunFolder::Options options;
  options.path = folder;
  options.patience = absl::InfiniteDuration();
  v1::RunInfo info;
  info.set_job("scale");
  info.set_command("torchrun train.py");
  info.set_start_utc_ns(kStartUtcNs - 4'000'000'000);
  info.set_version("0.1.0");
  info.set_job_exit_known(true);
  auto run = store::RunFolder::Create(options, "scale", info);
  if (!run.ok()) return Fail(run.status());
  for (int first = 0; first < rank_count; first += kRanksOfNode) {
    const int node = first / kRanksOfNode;
    v1::UploadRequest request;
    request.set_run_id("scale");
    *request.mutable_run() = info;
    request.set_agent_id("agent-" + std::to_string(node));
    request.set_sequence(1);
    request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
    request.set_last(true);
    AddLauncher(node, request.add_processes());
    request.mutable_run()->set_node(request.processes(0).key().node());
    for (int rank = first; rank < std::min(first + kRanksOfNode, rank_count); ++rank) {
      RankRows(rank, rank_count, layers, request.add_processes());
    }
    if (const absl::Status status = (*run)->Apply(request); !status.ok()) return Fail(status);
  }
  const absl::Status status = (*run)->Finish(absl::InfiniteDuration());
  return status.ok() ? 0 : Fail(status);
}

}  // namespace
}  // namespace flopsprof

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_run FOLDER RANKS [LAYERS]\n");
    return 2;
  }
  const int layers = argc > 3 ? std::atoi(argv[3]) : flopsprof::kDefaultLayers;
  return flopsprof::Write(argv[1], std::atoi(argv[2]), layers);
}

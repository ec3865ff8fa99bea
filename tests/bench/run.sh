#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [--short] [BUILD]: all benchmarks that need no GPU, ours and a peer in the same run.
#
#   --short   few repetitions: shows that each one runs; its numbers are not to be quoted
#   BUILD     build folder (default build)
#
# Output of the benchmarks goes to stderr; stdout gets one line "pass<TAB>name<TAB>log" or
# "fail<TAB>..." for each. Only what does not depend on the machine's load is judged here: the
# number of instructions, and CPU time where a null test says that it can be. Times are printed
# beside their goals. Exit status 1 when one has failed.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
short=
[[ ${1:-} == --short ]] && { short=1; shift; }
build=$(cd "${1:-$root/build}" && pwd)
injector=$build/lib/libflopsprof_inject.so
python=${FLOPSPROF_TEST_PYTHON:-${HOME}/.cache/flopsprof/sim-env/bin/python}
work=$(mktemp -d)
failed=0
lttng_home=$work/lttng
sessiond=
cleanup() {
  if [[ -n $sessiond ]]; then
    HOME=$lttng_home LTTNG_HOME=$lttng_home lttng destroy -a > /dev/null 2>&1
    kill "$sessiond" 2> /dev/null
    wait "$sessiond" 2> /dev/null
  fi
  rm -rf "$work"
}
trap cleanup EXIT

bench() {  # NAME COMMAND ... (a program or a function)
  local name=$1
  shift
  printf '\n== %s\n' "$name" >&2
  local limit=(timeout 900)
  [[ $(type -t "$1") == function ]] && limit=()
  local code=0
  "${limit[@]}" "$@" > "$work/output" 2>&1 || code=$?
  cat "$work/output" >&2
  if ((code == 0)); then
    printf 'pass\t%s\n' "$name"
  else
    printf 'fail\t%s\n' "$name"
    failed=1
    { printf '\n== FAILED %s (exit status %d); its last lines:\n' "$name" "$code"; tail -n 30 "$work/output"; } >> "$work/failures"
  fi
}
skip() { printf 'skip\t%s\t%s\n' "$1" "$2"; }

# An LTTng session in a home of its own, so that nothing of the user's is touched.
start_lttng() {
  command -v lttng-sessiond > /dev/null || return 1
  mkdir -p "$lttng_home"
  export LTTNG_HOME=$lttng_home
  lttng-sessiond --no-kernel --quiet > "$work/sessiond.log" 2>&1 &
  sessiond=$!
  for _ in $(seq 100); do
    lttng list > /dev/null 2>&1 && break
    sleep 0.1
  done
  lttng create bench --output "$work/trace" > /dev/null 2>&1 &&
    lttng enable-channel --userspace --subbuf-size 4M --num-subbuf 8 c > /dev/null 2>&1 &&
    lttng enable-event --userspace --channel c 'flopsprof_bench:*' > /dev/null 2>&1 &&
    lttng start > /dev/null 2>&1
}

# Instructions of one range, hook and records: the same on every machine and under every load.
count_instructions() {
  local bound=$1 option=${2:---calls} few=2000 many=22000 a b per
  instructions() {
    valgrind --tool=callgrind --trace-children=yes --callgrind-out-file="$work/cg.%p" \
      "$build/bin/injector_hook_bench" "$injector" "$option" "$1" > /dev/null 2> "$work/cg.log"
    # The child is the process that loaded the injector.
    grep -lE '^c?ob=.*libflopsprof_inject' "$work"/cg.* | xargs -r grep -h '^summary:' | awk '{print $2}'
    rm -f "$work"/cg.*
  }
  a=$(instructions $few)
  b=$(instructions $many)
  [[ -n $a && -n $b ]] || { echo "callgrind gave no count" >&2; return 1; }
  per=$(((b - a) / (many - few)))
  printf 'instructions per range push, hooked call, pop and records: %d (bound %d)\n' "$per" "$bound"
  ((per > 0 && per <= bound))
}

# Instructions of the agent for a record of a benchmark of flopsprof_drain_bench: all drained records.
count_drain_instructions() {
  local name=$1 bound=$2 sum records per
  valgrind --tool=callgrind --collect-atstart=no \
    --toggle-collect='flopsprof::agent::ProcessRecorder::Drain(unsigned long)' \
    --callgrind-out-file="$work/drain.out" "$build/bin/flopsprof_drain_bench" \
    --benchmark_filter="^$name/" --benchmark_format=json > "$work/drain.json" 2> "$work/drain.log"
  sum=$(sed -n 's/^summary: //p' "$work/drain.out")
  records=$(sed -n 's/.*"records": \([0-9.e+]*\).*/\1/p' "$work/drain.json")
  [[ -n $sum && -n $records ]] || { cat "$work/drain.log" >&2; return 1; }
  per=$(awk -v sum="$sum" -v records="$records" 'BEGIN { printf "%d", sum / records }')
  printf 'instructions per record drained, joined and summed (%s): %d (bound %d)\n' "$name" "$per" "$bound"
  ((per > 0 && per <= bound))
}

# Instructions of the collector for a known row of a request of flopsprof_ranks_bench, from its bytes to log
# and memory: 80 requests of 2,000 rows.
count_merge_instructions() {
  local bound=$1 few=1 many=11 a b per
  instructions() {
    # Without what stores rows in profile.db: how many it takes at the begin depends on the time.
    valgrind --tool=callgrind --toggle-collect='flopsprof::store::LiveRows::SaveSome(*)' --collect-atstart=yes \
      --callgrind-out-file="$work/merge.out" "$build/bin/flopsprof_ranks_bench" \
      --ranks 8 --windows "$1" > /dev/null 2> "$work/merge.log"
    sed -n 's/^summary: //p' "$work/merge.out"
  }
  a=$(instructions $few)
  b=$(instructions $many)
  [[ -n $a && -n $b ]] || { cat "$work/merge.log" >&2; return 1; }
  per=$(((b - a) / ((many - few) * 8 * 2000)))
  printf 'instructions per known row, from the wire to log and memory: %d (bound %d)\n' "$per" "$bound"
  ((per > 0 && per <= bound))
}

if start_lttng; then :; else printf 'no LTTng session: its rows are left out\n' >&2; fi
bench hook_and_range "$build/bin/injector_hook_bench" "$injector" $([[ -n $short ]] && echo 31 || echo 301)
if command -v valgrind > /dev/null; then
  # 617 before there was a host's clock: what nobody asks for costs nothing.
  bench hook_instructions count_instructions 614
  bench hook_instructions_paused count_instructions 341 --paused-calls
  bench hook_instructions_timed count_instructions 920 --timed-calls
else
  skip hook_instructions "valgrind is not installed"
fi
cublaslt=$(find "$(dirname "$python")/../lib/" -name 'libcublasLt.so.*.real' -print -quit 2> /dev/null)
if [[ -n $cublaslt && -x $build/bin/injector_matmul_bench ]]; then
  bench matmul "$build/bin/injector_matmul_bench" "$injector" "$cublaslt" $([[ -n $short ]] && echo 31 || echo 301)
else
  skip matmul "no libcublasLt of NVIDIA's"
fi
if [[ -x $python && -x $build/bin/flopsprof-run ]]; then
  FLOPSPROF_TEST_PYTHON=$python bench cudnn_first_sight python3 "$root/tests/bench/injector/first_sight_bench.py" "$build"
else
  skip cudnn_first_sight "no PyTorch environment of the stand-in GPU"
fi
if [[ -x $build/bin/scopes_bench ]]; then
  bench backward_node "$build/bin/scopes_bench" --benchmark_min_time=$([[ -n $short ]] && echo 0.02 || echo 0.5)
else
  skip backward_node "Google Benchmark is not installed"
fi
if [[ -x $build/bin/stack_bench ]]; then
  bench sampled_stack "$build/bin/stack_bench" --benchmark_min_time=$([[ -n $short ]] && echo 0.02 || echo 0.5)
else
  skip sampled_stack "Google Benchmark is not installed"
fi
if [[ -x $python ]]; then
  bench deepspeed_profile "$python" -W ignore "$root/tests/bench/python/deepspeed_bench.py" ${short:+--short}
else
  skip deepspeed_profile "no PyTorch environment of the stand-in GPU"
fi
if [[ -x $python && -e $build/lib/libscopes_probe.so ]]; then
  SCOPES_PROBE=$build/lib/libscopes_probe.so PYTHONPATH=$root/tests/programs/scopes \
    bench module_call "$python" "$root/tests/bench/scopes/module_call.py"
else
  skip module_call "no PyTorch environment, or no probe library"
fi
if [[ -x $python && -e $build/lib/libscopes_probe.so && -e /usr/include/valgrind/callgrind.h ]]; then
  SCOPES_PROBE=$build/lib/libscopes_probe.so PYTHONPATH=$root/tests/programs/scopes \
    bench module_call_instructions "$python" "$root/tests/bench/scopes/module_call.py" --instructions
else
  skip module_call_instructions "valgrind or the PyTorch environment is not installed"
fi
if [[ -x $python && -x $build/bin/caller ]]; then
  bench callers "$python" "$root/tests/bench/injector/caller_bench.py" "$build" --rounds $([[ -n $short ]] && echo 2 || echo 15)
else
  skip callers "no PyTorch environment of the stand-in GPU"
fi
if [[ -x $python && -x $build/bin/flopsprof-run && -e $build/lib/liboperation_stand_in.so ]]; then
  bench operation "$build/bin/flopsprof-run" -q -o "$(mktemp -d)/run" -- "$python" \
    "$root/tests/bench/injector/operation_bench.py" "$build/lib/liboperation_stand_in.so" ${short:+--short}
else
  skip operation "no PyTorch environment of the stand-in GPU"
fi
if [[ -x $python && -x $build/bin/flopsprof-run ]]; then
  PYTHONPATH=$root/injector/shims/python \
    bench formula "$build/bin/flopsprof-run" -q -o "$(mktemp -d)/run" -- "$python" \
    "$root/tests/bench/injector/formula_bench.py" ${short:+--short}
else
  skip formula "no PyTorch environment of the stand-in GPU"
fi
if [[ -x $python && -e $build/lib/libcount_probe.so && -e /usr/include/valgrind/callgrind.h ]]; then
  bench overhead "$python" "$root/tests/bench/overhead/overhead.py" "$build" ${short:+--short}
else
  skip overhead "valgrind or the PyTorch environment is not installed"
fi
if [[ -x $build/bin/flopsprof_make_run && -x $build/bin/flopsprof_keep_sums && -x $build/bin/flopsprof ]] && command -v valgrind > /dev/null; then
  bench report python3 "$root/tests/bench/report/report_bench.py" "$build" ${short:+--short}
else
  skip report "valgrind is not installed, or the collector not built"
fi
if [[ -x $build/bin/flopsprof_drain_bench ]] && command -v valgrind > /dev/null; then
  bench drain_instructions count_drain_instructions DrainCounted 430
  bench drain_mix_instructions count_drain_instructions DrainMixCounted 915
else
  skip drain_instructions "valgrind is not installed, or the collector not built"
  skip drain_mix_instructions "valgrind is not installed, or the collector not built"
fi
if [[ -x $build/bin/flopsprof_ranks_bench ]] && command -v valgrind > /dev/null; then
  bench merge_instructions count_merge_instructions 290
else
  skip merge_instructions "valgrind is not installed, or the collector not built"
fi
if [[ -x $build/bin/flopsprof_ranks_bench ]]; then
  bench ranks_bench "$build/bin/flopsprof_ranks_bench" --peer --ranks $([[ -n $short ]] && echo 50 || echo 1000)
  [[ -n $short ]] || bench ranks_bench_10000 "$build/bin/flopsprof_ranks_bench" --ranks 10000
else
  skip ranks_bench "not built"
fi
for extra in "$build"/bin/*drain_bench "$build"/bin/*store_bench; do
  [[ -x $extra ]] || { skip "$(basename "$extra")" "not built"; continue; }
  bench "$(basename "$extra")" "$extra" --benchmark_min_time=$([[ -n $short ]] && echo 0.02 || echo 0.5)
done
[[ -e $work/failures ]] && cat "$work/failures" >&2
exit "$failed"

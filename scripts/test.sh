#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# test.sh: sets up what tests need, builds, and runs all tests in groups.
#
#   test.sh [--full] [--only GROUP[,GROUP ...]] [--logs FOLDER]
#
#   --full    also the big and slow cases; writes the acceptance table to docs/acceptance.md
#   --only    run these groups: lint tidy unit simgpu integration acceptance oracle sweep gpu_check
#             asan tsan bench
#   --logs    where logs go (default build/test-logs)
#
# Prints the minutes of each group; the last line of stdout is "N passed, N failed", with
# ", N skipped" when cases were skipped. Exit code 0 only when something passed and nothing
# failed.
set -uo pipefail
script_name=test
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root" || exit 1

all_groups=(lint tidy unit simgpu integration acceptance oracle sweep gpu_check asan tsan bench)
groups=("${all_groups[@]}")
full=()
logs=$root/build/test-logs
while (($#)); do
  case $1 in
    --full) full=(--full); shift ;;
    --only) IFS=, read -ra groups <<< "${2:?--only needs a group}"; shift 2 ;;
    --logs) logs=${2:?--logs needs a folder}; shift 2 ;;
    -h | --help) sed -n '5,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "unknown option $1; see --help" ;;
  esac
done
for group in "${groups[@]}"; do
  [[ " ${all_groups[*]} " == *" $group "* ]] ||
    die "unknown group $group; there are: ${all_groups[*]}"
done

mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
rm -f "$logs"/*.tsv "$logs"/*.xml
python=$tools_env/bin/python
results() { python3 tests/support/test_results.py "$@"; }

# Environments that groups need, made while the product is compiled: each once, with a log.
sim_python=
need_simgpu() { [[ -x $sim_python ]]; }

# run_pytest GROUP ARGUMENTS: a live line per file, all else in the log. Programs under test wait for
# one another and for agents, so one worker more than there are cores.
run_pytest() {
  local group=$1 log=$logs/$1.log
  shift
  need_simgpu || { printf 'fail\tsimgpu_env\t%s\n' "$logs/simgpu_env.log"; return; }
  "$python" -m pytest -q -n "$((jobs + 1))" --dist worksteal -p no:cacheprovider -rfE --tb=short --durations=15 \
    -o junit_family=xunit1 --junit-xml "$logs/$group.xml" "${full[@]}" "$@" 2>&1 |
    tee "$log" >&2
  results junit "$logs/$group.xml" "$log"
}

run_ctest() {
  local group=$1 folder=$2 log=$logs/$1.log
  shift 2
  nice ctest --test-dir "$folder" -j "$jobs" --timeout "${ctest_limit_s:-300}" --output-on-failure \
    --output-junit "$logs/$group.xml" "$@" > "$log" 2>&1
  # Of what failed, all that it said: the machine that ran it may be gone.
  grep -A 60 '\*\*\*\(Failed\|Timeout\|Exception\|Not Run\)' "$log" |
    grep -v ' Passed ' | head -n 200 >&2
  tail -n 3 "$log" >&2
  results junit "$logs/$group.xml" "$log"
}

# run_batches GROUP FOLDER [OPTIONS]: a sanitizer's tests, many in one process.
run_batches() {
  local group=$1 folder=$2 log=$logs/$1.log code=0
  shift 2
  nice python3 tests/support/gtest_batches.py "$folder" -j "$jobs" "$@" \
    > "$logs/$group.txt" 2> "$log" || code=$?
  head -n 200 "$log" >&2
  results rows "$logs/$group.txt" "$log"
  if ((code != 0)) && ! grep -q '^fail' "$logs/$group.txt"; then
    printf 'fail\tgtest_batches.py of %s ended with %d\t%s\n' "$folder" "$code" "$log"
  fi
}

group_lint() {
  scripts/lint.sh > "$logs/lint.txt" 2> "$logs/lint.log"
  cat "$logs/lint.log" >&2
  results lines "$logs/lint.txt" "$logs/lint.log"
}

group_tidy() {
  scripts/tidy.sh build > "$logs/tidy.txt" 2> "$logs/tidy.log"
  cat "$logs/tidy.log" >&2
  results lines "$logs/tidy.txt" "$logs/tidy.log"
}

group_unit() {
  if ((${#full[@]})); then
    export FLOPSPROF_KILLS=500 FLOPSPROF_MODEL_STEPS=1000000 FLOPSPROF_KEY_CASES=1000000
    export FLOPSPROF_LONG_JOB_STEPS=10000000
    local ctest_limit_s=3600
  fi
  run_ctest unit build
}

# The stand-in itself: its libraries and tests in a folder of their own.
group_simgpu() {
  local log=$logs/simgpu.log code=0
  need_simgpu || { printf 'fail\tsimgpu_env\t%s\n' "$logs/simgpu_env.log"; return; }
  NVIDIA=$("$sim_python" -c 'import nvidia; print(list(nvidia.__path__)[0])') \
    tests/simgpu/check.sh build/simgpu-check > "$log" 2>&1 || code=$?
  tail -n 3 "$log" >&2
  results gtest "$log" "$log"
  ((code == 0)) || printf 'fail\ttests/simgpu/check.sh ended with %d\t%s\n' "$code" "$log"
}

group_integration() {
  run_pytest integration tests/integration --ignore tests/integration/acceptance_test.py \
    --ignore tests/integration/gpu_check_test.py --ignore tests/integration/asan_test.py
}

group_acceptance() {
  run_pytest acceptance tests/integration/acceptance_test.py
  if ((${#full[@]})); then
    if python3 tests/support/acceptance_table.py "$logs/acceptance.xml" > "$logs/acceptance.md"; then
      cp "$logs/acceptance.md" docs/acceptance.md
    else
      printf 'fail\tacceptance_table.py\tdocs/acceptance.md was not written\n'
    fi
  fi
}

# Counts of hundreds of cases against formulas by hand and other counters.
group_oracle() {
  local log=$logs/oracle.log code=0
  need_simgpu || { printf 'fail\tsimgpu_env\t%s\n' "$logs/simgpu_env.log"; return; }
  "$python" tests/oracle/oracle.py --table > "$logs/oracle.txt" 2> "$log" || code=$?
  tail -n 1 "$log" >&2
  results lines "$logs/oracle.txt" "$log"
  if ((code != 0)) && ! grep -q '^FAIL' "$logs/oracle.txt"; then
    printf 'fail\ttests/oracle/oracle.py ended with %d\t%s\n' "$code" "$log"
  fi
}

# Every module of public models against a counter of closed formulas; a tenth without --full.
group_sweep() {
  local log=$logs/sweep.log code=0
  need_simgpu || { printf 'fail\tsimgpu_env\t%s\n' "$logs/simgpu_env.log"; return; }
  "$python" tests/sweep/sweep.py --table "${full[@]}" > "$logs/sweep.txt" 2> "$log" || code=$?
  tail -n 1 "$log" >&2
  results lines "$logs/sweep.txt" "$log"
  if ((code != 0)) && ! grep -q '^FAIL' "$logs/sweep.txt"; then
    printf 'fail\ttests/sweep/sweep.py ended with %d\t%s\n' "$code" "$log"
  fi
}

group_gpu_check() { run_pytest gpu_check tests/integration/gpu_check_test.py; }

# Address and undefined-behaviour sanitizer: unit tests, the C++ programs, one PyTorch run.
group_asan() {
  if ! scripts/build.sh --preset asan > /dev/null 2> "$logs/asan-build.log"; then
    tail -n 30 "$logs/asan-build.log" >&2
    printf 'fail\tbuild\t%s\n' "$logs/asan-build.log"
    return
  fi
  ASAN_OPTIONS=detect_leaks=1 run_batches asan build-asan
  run_pytest asan_torch tests/integration/asan_test.py
}

# Thread sanitizer: ring, decoder, aggregator, the collector's log and its runs; nothing that calls
# gRPC, which is not instrumented.
tsan_targets=(collector_agent_test injector_transport_test store_log_test server_test)
group_tsan() {
  if ! scripts/build.sh --preset tsan "${tsan_targets[@]}" > /dev/null \
      2> "$logs/tsan-build.log"; then
    tail -n 30 "$logs/tsan-build.log" >&2
    printf 'fail\tbuild\t%s\n' "$logs/tsan-build.log"
    return
  fi
  run_batches tsan build-tsan --regex '^(collector_agent_test:|store_log_test:LogWriter|injector_transport_test:RingWriter|server_test:RunRegistry)'
}

# Short form: each benchmark runs and prints its ratio; counts of instructions are judged.
group_bench() {
  local log=$logs/bench.log
  need_simgpu || { printf 'fail\tsimgpu_env\t%s\n' "$logs/simgpu_env.log"; return; }
  # Its status is that of its lines, unless it ended before it had any that failed.
  if ! tests/bench/run.sh --short > "$logs/bench.txt" 2> "$log" &&
      ! grep -q '^fail' "$logs/bench.txt"; then
    printf 'fail\ttests/bench/run.sh\t%s\n' "$log"
  fi
  results rows "$logs/bench.txt" "$log"
  if grep -q '^== FAILED' "$log"; then sed -n '/^== FAILED/,$p' "$log"; else tail -n 40 "$log"; fi >&2
}

# What the parts below take on an empty disk, with what pip unpacks meanwhile: told now, not when
# the last of them has no room.
room=0
[[ -e $sim_env/simgpu-stamp ]] || room=8
if [[ " ${groups[*]} " == *" integration "* ]]; then
  [[ -e $jax_env/stamp ]] || room=$((room + 2))
  [[ -e $cache_dir/torch-2.4.1/simgpu-stamp ]] || room=$((room + 6))
  ((${#full[@]} == 0)) || [[ -e $cache_dir/torch-2.8.0/simgpu-stamp ]] || room=$((room + 8))
fi
[[ ${groups[*]} == lint ]] || (need_room "$room" 3) || { printf '0 passed, 1 failed\n'; exit 1; }

begin=$SECONDS
say "setting up"
what=test
((${#full[@]} == 0)) || what=full
begin_part "Debian and Python packages" "$logs/setup.log" scripts/setup.sh "$what"
if ! wait_for_parts "Debian and Python packages"; then
  printf '0 passed, 1 failed\n'
  exit 1
fi

# In this order: unit tests are built against the headers in the stand-in's environment.
if [[ ${groups[*]} != lint ]]; then
  name="the environment of the stand-in GPU"
  begin_part "the product" "$logs/build-product.log" scripts/build.sh product
  begin_part "$name" "$logs/simgpu_env.log" scripts/simgpu_env.sh
  if ! wait_for_parts "the product" "$name"; then
    printf '0 passed, 1 failed\n'
    exit 1
  fi
  sim_python=$(tail -n 1 "$logs/simgpu_env.log")
  export FLOPSPROF_TEST_PYTHON=$sim_python
  begin_part "tests and benchmarks" "$logs/build.log" scripts/build.sh
  parts=("tests and benchmarks")
  if [[ " ${groups[*]} " == *" integration "* ]]; then
    begin_part "Pythons of other versions" "$logs/python_versions.log" scripts/python_versions.sh
    begin_part "headers of CUDA 12.0 to 13.5" "$logs/cuda_headers.log" scripts/cuda_headers.sh
    begin_part "JAX" "$logs/jax.log" scripts/simgpu_jax_env.sh
    parts+=("Pythons of other versions" "headers of CUDA 12.0 to 13.5" "JAX")
    old_torches=(2.4.1)
    ((${#full[@]})) && old_torches+=(2.8.0)
    for old in "${old_torches[@]}"; do
      begin_part "PyTorch $old on CUDA 12" "$logs/torch-$old.log" scripts/simgpu_env.sh --torch "$old"
      parts+=("PyTorch $old on CUDA 12")
    done
  fi
  if ! wait_for_parts "${parts[@]}"; then
    printf '0 passed, 1 failed\n'
    exit 1
  fi
fi
minutes=("$(awk -v s=$((SECONDS - begin)) 'BEGIN { printf "%-12s %6.1f min", "build", s / 60 }')")

passed=0 failed=0 skipped=0
for group in "${groups[@]}"; do
  say "group $group"
  begin=$SECONDS
  "group_$group" > "$logs/$group.tsv"
  p=$(grep -c '^pass' "$logs/$group.tsv")
  f=$(grep -c '^fail' "$logs/$group.tsv")
  s=$(grep -c '^skip' "$logs/$group.tsv")
  # A group that ran nothing has not passed.
  if ((p + f == 0)); then
    printf 'fail\t%s ran no test\t%s\n' "$group" "$logs" >> "$logs/$group.tsv"
    f=1
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  minutes+=("$(awk -v g="$group" -v s=$((SECONDS - begin)) -v p="$p" -v f="$f" -v k="$s" \
    'BEGIN { printf "%-12s %6.1f min  %5d passed %3d failed %3d skipped", g, s/60, p, f, k }')")
  grep '^fail' "$logs/$group.tsv" |
    awk -F'\t' -v g="$group" '{ printf "FAILED %s: %s (log: %s)\n", g, $2, $3 }'
done

printf '%s\n' "${minutes[@]}"
cat "$logs"/*.tsv | awk -F'\t' '$1 == "skip" && $3 != "" { n[$3]++ }
  END { for (r in n) printf "skipped %d: %s\n", n[r], r }' | sort
printf '%d passed, %d failed' "$passed" "$failed"
((skipped)) && printf ', %d skipped' "$skipped"
printf '\n'
((failed == 0 && passed > 0))

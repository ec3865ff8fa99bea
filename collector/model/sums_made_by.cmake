# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=... -DOUT=... -P sums_made_by.cmake: writes a hash of all code that decides what the sums
# of a run are: formulas, how rows are stored and read, and what they mean.
set(folders collector/model collector/store proto/flopsprof proto/shm injector/hooks/table)
set(hashes "")
foreach(folder ${folders})
  file(GLOB_RECURSE files ${ROOT}/${folder}/*.cc ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.proto
    ${ROOT}/${folder}/*.toml ${ROOT}/${folder}/*.py ${ROOT}/${folder}/*.txt)
  list(SORT files)
  foreach(file ${files})
    file(SHA256 ${file} hash)
    string(APPEND hashes ${hash})
  endforeach()
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 32 hash)
file(WRITE ${OUT} "constexpr char kSumsMadeBy[] = \"${hash}\";\n")

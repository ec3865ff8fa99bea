# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# cmake "-DINPUTS=a/x.py;a/y.py" -DOUTPUT=file.inc -P embed_text.cmake: the bytes of texts as arrays,
# and an array kTexts of {"x", bytes}, {"y", bytes} in that order.
set(arrays "")
set(table "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name "${input}" NAME_WE)
  file(READ "${input}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr char kText_${name}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", kText_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "${arrays}constexpr EmbeddedText kTexts[] = {\n${table}};\n")

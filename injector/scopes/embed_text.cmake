# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=file -DOUTPUT=file.inc -P embed_text.cmake: the bytes of a text as the initialisers
# of a char array, without the final zero.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE ",(\n*)$" "\\1" bytes "${bytes}")
file(WRITE "${OUTPUT}" "${bytes}\n")

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# flopsprof_add_scopes(target): the sources of injector/scopes and the embedded Python shim.
set(FLOPSPROF_SCOPES_DIR ${CMAKE_CURRENT_LIST_DIR})
set(FLOPSPROF_SHIM_DIR ${CMAKE_BINARY_DIR}/generated/shim)
set(FLOPSPROF_SHIM_SOURCE ${FLOPSPROF_SHIM_DIR}/flopsprof_shim_source.inc)

function(flopsprof_add_scopes target)
  set(shim ${CMAKE_SOURCE_DIR}/injector/shims/python/flopsprof_shim.py)
  if(NOT TARGET flopsprof_shim_source)
    add_custom_command(
      OUTPUT ${FLOPSPROF_SHIM_SOURCE}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${FLOPSPROF_SHIM_DIR}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${shim} -DOUTPUT=${FLOPSPROF_SHIM_SOURCE}
              -P ${FLOPSPROF_SCOPES_DIR}/embed_text.cmake
      DEPENDS ${shim} ${FLOPSPROF_SCOPES_DIR}/embed_text.cmake
      COMMENT "Embedding the Python shim")
    add_custom_target(flopsprof_shim_source DEPENDS ${FLOPSPROF_SHIM_SOURCE})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${FLOPSPROF_SCOPES_DIR}/*.cc)
  target_sources(${target} PRIVATE ${sources})
  target_include_directories(${target} PRIVATE ${FLOPSPROF_SHIM_DIR})
  add_dependencies(${target} flopsprof_shim_source)
endfunction()

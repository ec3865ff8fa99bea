# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# flopsprof_add_scopes(target): the sources of injector/scopes and the embedded Python shim.
# May be called from any folder.
function(flopsprof_add_scopes target)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  # In the order in which they run: each may import those before it.
  set(shim _flopsprof_base _flopsprof_imports _flopsprof_work _flopsprof_phases
           _flopsprof_forwards _flopsprof_lazy _flopsprof_parameters _flopsprof_modules
           _flopsprof_formulas _flopsprof_templates _flopsprof_packages _flopsprof_prologue
           _flopsprof_step_at _flopsprof_optimizers _flopsprof_wrappers _flopsprof_generated
           _flopsprof_compiled _flopsprof_backward _flopsprof_calls _flopsprof_ends
           _flopsprof_shim)
  list(TRANSFORM shim PREPEND ${CMAKE_SOURCE_DIR}/injector/shims/python/embedded/)
  list(TRANSFORM shim APPEND .py)
  # One copy per target: two targets in different folders cannot share a custom command's output.
  set(generated ${CMAKE_BINARY_DIR}/generated/${target})
  set(output ${generated}/flopsprof_shim_source.inc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND ${CMAKE_COMMAND} "-DINPUTS=${shim}" -DOUTPUT=${output} -P ${folder}/embed_text.cmake
    DEPENDS ${shim} ${folder}/embed_text.cmake
    COMMENT "Embedding the Python shim"
    VERBATIM)
  set(program ${CMAKE_SOURCE_DIR}/injector/shims/python/flopsprof/__init__.py)
  set(program_output ${generated}/flopsprof_program_source.inc)
  add_custom_command(
    OUTPUT ${program_output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND ${CMAKE_COMMAND} -DINPUTS=${program} -DOUTPUT=${program_output}
            -P ${folder}/embed_text.cmake
    DEPENDS ${program} ${folder}/embed_text.cmake
    COMMENT "Embedding the module of programs"
    VERBATIM)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  target_sources(${target} PRIVATE ${sources} ${output} ${program_output})
  target_include_directories(${target} PRIVATE ${generated})
endfunction()

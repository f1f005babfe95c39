# cmake -DHLSC=program -DSOURCE_DIR=repository -DSCRATCH_DIR=folder -P generated_rtl_test.cmake
#
# rtl/generated equals hlsc's output for the kernels, byte for byte, from any folder and in every
# run.
include(${SOURCE_DIR}/rtl/DefaultRtl.cmake)

# Fails unless the two folders hold the same SystemVerilog; `advice` ends the message.
function(expect_same_files expected actual advice)
  file(GLOB expected_names RELATIVE ${expected} ${expected}/*.sv)
  file(GLOB actual_names RELATIVE ${actual} ${actual}/*.sv)
  if(NOT expected_names STREQUAL actual_names)
    message(FATAL_ERROR "${expected} holds ${expected_names}\nbut hlsc makes ${actual_names}\n"
                        "${advice}")
  endif()
  foreach(name IN LISTS expected_names)
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${expected}/${name} ${actual}/${name}
                    RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
    if(differs)
      execute_process(COMMAND diff -u ${expected}/${name} ${actual}/${name} OUTPUT_VARIABLE text)
      string(SUBSTRING "${text}" 0 2000 text)
      message("${text}")
      message(FATAL_ERROR "${name} differs from hlsc's output.\n${advice}")
    endif()
  endforeach()
endfunction()

systole_write_default_rtl(HLSC ${HLSC} SOURCE_DIR ${SOURCE_DIR} WORKING_DIR ${SOURCE_DIR}
                          OUTPUT_DIR ${SCRATCH_DIR}/first)
systole_write_default_rtl(HLSC ${HLSC} SOURCE_DIR ${SOURCE_DIR} WORKING_DIR ${SCRATCH_DIR}/elsewhere
                          OUTPUT_DIR ${SCRATCH_DIR}/second)
expect_same_files(${SCRATCH_DIR}/first ${SCRATCH_DIR}/second
  "hlsc's output depends on the folder it is called from, or differs between runs.")

set(made "")
foreach(module IN LISTS SYSTOLE_DEFAULT_MODULES)
  list(APPEND made ${module}.sv)
endforeach()
list(SORT made)
file(GLOB names RELATIVE ${SCRATCH_DIR}/first ${SCRATCH_DIR}/first/*.sv)
if(NOT made STREQUAL names)
  message(FATAL_ERROR "hlsc makes ${names}\nbut rtl/DefaultRtl.cmake names ${made}")
endif()

expect_same_files(${SOURCE_DIR}/rtl/generated ${SCRATCH_DIR}/first
  "If the change is intended: cmake --build build --target update_rtl, then review the difference.")

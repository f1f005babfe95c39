# systole_add_test(NAME SOURCES ... LIBS ... LABEL unit|rtl|cosim|e2e [TIMEOUT seconds])
#
# A Catch2 executable with the main of tests/support; one ctest entry runs all its TEST_CASEs.
include_guard()

# Tests share the model's disk cache in the build folder and leave the user's alone: tests/speed sets
# $SYSTOLE_CACHE_DIR for all that ctest runs, this main for a test that is run by hand.
set(SYSTOLE_TEST_CACHE ${PROJECT_BINARY_DIR}/tests/cache)

add_library(systole_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_include_directories(systole_test_main PUBLIC ${CATCH2_INCLUDE_DIR})
# All of Catch2: optimised it takes three times as long to compile, and a test spends its time elsewhere.
target_compile_options(systole_test_main PRIVATE -O0)
target_compile_definitions(systole_test_main PRIVATE SYSTOLE_TEST_CACHE="${SYSTOLE_TEST_CACHE}")

systole_precompile(systole_test_headers
  HEADERS catch2/catch.hpp fmt/format.h algorithm array cmath cstdint filesystem fstream functional
          map memory optional random set span sstream string vector
  INCLUDES ${CATCH2_INCLUDE_DIR} LIBS fmt::fmt)

function(systole_add_test name)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE systole_test_main ${TEST_LIBS} fmt::fmt systole_warnings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${CATCH2_INCLUDE_DIR})
  systole_use_precompiled(${name} systole_test_headers)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABEL}" TIMEOUT ${TEST_TIMEOUT})
endfunction()

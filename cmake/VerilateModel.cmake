# systole_verilate(NAME TOP module [RTL target] [CELLS file...] [PARAMETERS name=value...] [ASSERT]
#                  [TRACE] [COVERAGE] [MERGE] [UNIFORM register...])
#
# Verilates a generated module or a cell into the static library systole::NAME with the class VNAME,
# header VNAME.h. The flags suit lane loops (docs/decisions): Verilator leaves the loops alone, the
# pass SYSTOLE_LANES_PLUGIN proves their lanes independent, and clang vectorises them. `--x-initial
# unique` lets a bench start registers at random. Cells are found by name in SYSTOLE_CELLS_DIR.
#
# ASSERT compiles the RTL's assertions; a failing one ends the program TRACE can write its signals
# as FST; compiles quickly, runs slowly (SYSTOLE_TRACES_LEVEL) COVERAGE counts how often each line
# and branch runs; compiles quickly, runs slowly MERGE merges neighbouring assignments under one
# condition into one branch: faster if control is most of the work, but may keep clang from
# vectorising a lane loop UNIFORM one-bit registers that mostly hold the same value in all lanes, by
# the ends of their names: loops get versions for them
include_guard()

find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT
                OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

set(SYSTOLE_TRACES_LEVEL -O1 CACHE STRING
    "How far models with TRACE are optimised; at -O0 they compile in a quarter of the time, run half as fast")
set(SYSTOLE_VERILATED_CXXFLAGS -O3 -std=c++20 -w)
if(SYSTOLE_NATIVE)
  list(APPEND SYSTOLE_VERILATED_CXXFLAGS -march=native -mprefer-vector-width=512)
endif()

# The run-time library of every Verilated model, compiled once.
if(NOT TARGET systole_verilated_runtime)
  add_library(systole_verilated_runtime STATIC
    ${VERILATOR_ROOT}/include/verilated.cpp
    ${VERILATOR_ROOT}/include/verilated_threads.cpp)
  target_include_directories(systole_verilated_runtime SYSTEM PUBLIC
    ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
  target_compile_options(systole_verilated_runtime PRIVATE -w)
  target_compile_features(systole_verilated_runtime PUBLIC cxx_std_20)
  target_link_libraries(systole_verilated_runtime PUBLIC Threads::Threads)
endif()

# What every model includes.
if(COMMAND systole_precompile AND NOT TARGET systole_model_headers)
  systole_precompile(systole_model_headers HEADERS verilated.h LIBS systole_verilated_runtime
                     OPTIONS ${SYSTOLE_VERILATED_CXXFLAGS})
endif()

# The same for models that write FST, created by the first of them; needs zlib.
function(systole_add_fst_runtime)
  if(TARGET systole_verilated_fst)
    return()
  endif()
  find_package(ZLIB REQUIRED)
  add_library(systole_verilated_fst STATIC EXCLUDE_FROM_ALL
    ${VERILATOR_ROOT}/include/verilated_fst_c.cpp)
  target_compile_options(systole_verilated_fst PRIVATE -w)
  target_link_libraries(systole_verilated_fst PUBLIC systole_verilated_runtime ZLIB::ZLIB)
endfunction()

# The same for models that count coverage, created by the first of them.
function(systole_add_coverage_runtime)
  if(TARGET systole_verilated_coverage)
    return()
  endif()
  add_library(systole_verilated_coverage STATIC EXCLUDE_FROM_ALL
    ${VERILATOR_ROOT}/include/verilated_cov.cpp)
  target_compile_options(systole_verilated_coverage PRIVATE -w)
  target_link_libraries(systole_verilated_coverage PUBLIC systole_verilated_runtime)
endfunction()

function(systole_verilate name)
  cmake_parse_arguments(MODEL "ASSERT;TRACE;COVERAGE;MERGE" "TOP;RTL" "CELLS;PARAMETERS;UNIFORM" ${ARGN})
  set(files)
  if(MODEL_RTL)
    get_target_property(files ${MODEL_RTL} SYSTOLE_RTL_FILES)
  endif()
  list(TRANSFORM MODEL_PARAMETERS PREPEND -G)
  set(assertions --noassert)
  if(MODEL_ASSERT)
    set(assertions --assert)
  endif()
  set(merging -fno-merge-cond)
  if(MODEL_MERGE)
    set(merging)
  endif()
  set(extra)
  set(optimize)
  set(runtime systole_verilated_runtime)
  if(MODEL_TRACE)
    # Traces arrays up to the length of a 16 x 16 array's, which excludes memories. Clang takes long
    # over one function with a branch for each element, so the code is split into many.
    set(extra --trace-fst --trace-max-width 1024 --trace-max-array 256 --output-split-ctrace 200)
    set(optimize ${SYSTOLE_TRACES_LEVEL})
    set(runtime systole_verilated_fst)
    systole_add_fst_runtime()
  endif()
  if(MODEL_COVERAGE)
    # Split and reordered blocks would count by the previous clock's temporaries.
    set(extra --coverage-line -fno-split -fno-reorder)
    set(optimize -O1)
    set(runtime systole_verilated_coverage)
    systole_add_coverage_runtime()
  endif()
  # The pass needs a clang with the LLVM it was built for. -fplugin registers its option in time,
  # and makes ccache hash the plugin's content.
  set(lanes)
  if(SYSTOLE_LANES_PLUGIN AND CMAKE_CXX_COMPILER_VERSION MATCHES "^19[.]" AND NOT optimize)
    set(lanes -fplugin=${SYSTOLE_LANES_PLUGIN} -fpass-plugin=${SYSTOLE_LANES_PLUGIN})
    if(MODEL_UNIFORM)
      list(JOIN MODEL_UNIFORM "," registers)
      list(APPEND lanes -fno-discard-value-names "SHELL:-mllvm -uniform-registers=${registers}")
    endif()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(prefix V${name})
  set(join ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/join_verilated.sh)
  set(prepare ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/for_verilator.sh)
  list(TRANSFORM files REPLACE "^.*/" "${folder}/rtl/" OUTPUT_VARIABLE prepared)
  add_custom_command(
    OUTPUT ${folder}/${prefix}.h ${folder}/all.cpp
    COMMAND ${prepare} ${folder}/rtl ${files}
    COMMAND ${VERILATOR} --cc -O3 --x-assign fast --x-initial unique ${assertions} --unroll-stmts 1
            --unroll-count 1 ${merging} --top-module ${MODEL_TOP} --prefix ${prefix} --Mdir ${folder}
            ${MODEL_PARAMETERS} ${extra} ${prepared} ${MODEL_CELLS} -y ${SYSTOLE_CELLS_DIR}
    COMMAND ${join} ${folder} ${prefix}
    DEPENDS ${files} ${MODEL_CELLS} ${join} ${prepare}
    COMMENT "Verilator ${MODEL_TOP} (${name})"
    VERBATIM)
  add_library(systole_${name} STATIC ${folder}/all.cpp)
  add_library(systole::${name} ALIAS systole_${name})
  target_include_directories(systole_${name} SYSTEM PUBLIC ${folder})
  target_compile_options(systole_${name} PRIVATE ${SYSTOLE_VERILATED_CXXFLAGS} ${optimize} ${lanes})
  if(TARGET systole_model_headers AND NOT optimize STREQUAL "-O0")
    systole_use_precompiled(systole_${name} systole_model_headers)
  endif()
  # A source that joins others would not have all.cpp's dependences.
  set_target_properties(systole_${name} PROPERTIES UNITY_BUILD OFF)
  if(lanes)
    set_source_files_properties(${folder}/all.cpp PROPERTIES OBJECT_DEPENDS ${SYSTOLE_LANES_PLUGIN})
  endif()
  target_link_libraries(systole_${name} PUBLIC ${runtime})
endfunction()

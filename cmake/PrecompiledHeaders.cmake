# systole_precompile(NAME HEADERS header... [INCLUDES folder...] [LIBS target...] [OPTIONS option...])
# systole_use_precompiled(TARGET NAME)
#
# Parses headers once that many sources include: LLVM's, Catch2's and Verilator's cost seconds in
# each. A target that uses them needs the same options, except for warnings and folders, and may
# have more definitions; one without optimisation sets DISABLE_PRECOMPILE_HEADERS. Its sources still
# include all that they use.
include_guard()

function(systole_precompile name)
  cmake_parse_arguments(PCH "" "" "HEADERS;INCLUDES;LIBS;OPTIONS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  list(TRANSFORM PCH_HEADERS REPLACE "(.+)" "<\\1>")
  target_precompile_headers(${name} PRIVATE ${PCH_HEADERS})
  target_include_directories(${name} SYSTEM PRIVATE ${PCH_INCLUDES})
  target_link_libraries(${name} PRIVATE ${PCH_LIBS})
  # With the headers' times in the result, ccache would take each build's for another.
  target_compile_options(${name} PRIVATE ${PCH_OPTIONS} "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

function(systole_use_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

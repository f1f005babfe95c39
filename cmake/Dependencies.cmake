# Finds the Debian packages that Systole builds on, once for all folders.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "Systole needs clang 19 or newer for _BitInt in C++; this is ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}. Run scripts/setup, then configure with `cmake --preset dev`.")
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers hide macros from ccache unless it is told that this is fine.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

# Links in a quarter of ld's time, and there are 600 links.
find_program(SYSTOLE_LLD NAMES ld.lld-19 HINTS /usr/lib/llvm-19/bin)
if(SYSTOLE_LLD)
  add_link_options(-fuse-ld=lld)
endif()

if(SYSTOLE_NATIVE)
  add_compile_options(-march=native)
  # On a processor with AVX10.1 clang 19 warns of its own choice of features, once a file.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -Werror -x c++ -c /dev/null -o /dev/null
                  RESULT_VARIABLE native_warns OUTPUT_QUIET ERROR_QUIET)
  if(native_warns)
    add_compile_options(-Wno-invalid-feature-combination)
  endif()
endif()

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
# Not by its CMake package, which asks for OpenCL's headers.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
if(NOT DNNL_INCLUDE_DIR OR NOT DNNL_LIBRARY)
  message(FATAL_ERROR
    "Systole needs oneDNN 2 or newer for convolutions on the processor, and oneapi/dnnl/dnnl.hpp or "
    "libdnnl was not found. Run scripts/setup, which installs Debian's libdnnl-dev, or set "
    "DNNL_INCLUDE_DIR and DNNL_LIBRARY.")
endif()
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(SYSTOLE_TESTS)
  find_path(CATCH2_INCLUDE_DIR catch2/catch.hpp REQUIRED)
endif()
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(verilator 5.006 REQUIRED HINTS /usr/share/verilator)

# Optional: without it there is no SystemC bench.
find_path(SYSTEMC_INCLUDE_DIR tlm_utils/simple_initiator_socket.h)
find_library(SYSTEMC_LIBRARY systemc)

# Optional: without it, a training has one rank.
find_package(MPI QUIET COMPONENTS C)

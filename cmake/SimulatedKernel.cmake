# Systole::sim_kernel, in a project that uses the package: memory on AXI4 with a monitor of the
# protocol, and a bus for AXI4-Lite, for tests of functions over arrays (systole_add_kernel_test with
# AXI, and sim/kernel/simulated_block.h). Compiled once, from sources in the package; needs fmt.
include_guard()

find_package(fmt QUIET)
if(NOT fmt_FOUND)
  return()
endif()
get_filename_component(sim ${CMAKE_CURRENT_LIST_DIR}/../../../share/systole/sim ABSOLUTE)
file(GLOB files ${sim}/sim/kernel/*.cpp ${sim}/sim/memory/*.cpp ${sim}/sim/monitor/*.cpp)
add_library(systole_sim_kernel STATIC EXCLUDE_FROM_ALL ${files} ${sim}/host/device/device_memory.cpp)
add_library(Systole::sim_kernel ALIAS systole_sim_kernel)
target_include_directories(systole_sim_kernel SYSTEM PUBLIC ${sim})
target_link_libraries(systole_sim_kernel PUBLIC Systole::hls fmt::fmt)

# The package `Systole`. Nothing in it refers to this tree. Its components:
#
#   hlsc  the compiler, the types of kernels, the cells, and the CMake functions that generate,
#         Verilate, test and synthesise
#   host  the training library and its devices `cpu` and `model` (InstallHost.cmake)
#   capi  libsystole.so and systole.h (host/capi)
#
#   cmake --install build --component hlsc|host|capi --prefix PREFIX
include(CMakePackageConfigHelpers)

set(SYSTOLE_PACKAGE_DIR lib/cmake/Systole)
include(InstallHost)
if(SYSTOLE_HLSC)
  set_target_properties(hlsc hlsc_prove PROPERTIES
    INSTALL_RPATH_USE_LINK_PATH ON)  # LLVM may be in a folder of its own
  install(TARGETS hlsc hlsc_prove systole_hls EXPORT SystoleTargets
          RUNTIME DESTINATION bin COMPONENT hlsc)
  install(EXPORT SystoleTargets NAMESPACE Systole:: FILE Systole_hlsc_targets.cmake
          DESTINATION ${SYSTOLE_PACKAGE_DIR} COMPONENT hlsc)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/hls/include/ DESTINATION include COMPONENT hlsc
          FILES_MATCHING PATTERN *.h)
  install(FILES ${SYSTOLE_CELLS} DESTINATION share/systole/rtl/cells COMPONENT hlsc)
  install(TARGETS systole_lanes LIBRARY DESTINATION lib/systole COMPONENT hlsc)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/cmake/join_verilated.sh
                   ${PROJECT_SOURCE_DIR}/cmake/for_verilator.sh
          DESTINATION ${SYSTOLE_PACKAGE_DIR} COMPONENT hlsc)

  # The memory and the bus of simulated devices, as sources: a project compiles them once.
  foreach(folder IN ITEMS sim/kernel sim/memory sim/monitor)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION share/systole/sim/sim COMPONENT hlsc
            FILES_MATCHING PATTERN *.h PATTERN *.cpp)
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/host/device DESTINATION share/systole/sim/host
          COMPONENT hlsc FILES_MATCHING PATTERN *.h PATTERN device_memory.cpp)
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/SystoleConfig.cmake.in ${PROJECT_BINARY_DIR}/SystoleConfig.cmake
  INSTALL_DESTINATION ${SYSTOLE_PACKAGE_DIR}
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SystoleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
foreach(component IN ITEMS hlsc host capi)
  install(FILES ${PROJECT_BINARY_DIR}/SystoleConfig.cmake
                ${PROJECT_BINARY_DIR}/SystoleConfigVersion.cmake
          DESTINATION ${SYSTOLE_PACKAGE_DIR} COMPONENT ${component})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/cmake/AddLockstepTest.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SimulatedKernel.cmake
              ${PROJECT_SOURCE_DIR}/cmake/flat_top.cmake
              ${PROJECT_SOURCE_DIR}/cmake/kernel_case.cpp.in
              ${PROJECT_SOURCE_DIR}/cmake/lockstep_case.cpp.in
              ${PROJECT_SOURCE_DIR}/cmake/lockstep_main.cpp.in
              ${PROJECT_SOURCE_DIR}/cmake/GenerateRtl.cmake
              ${PROJECT_SOURCE_DIR}/cmake/VerilateModel.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SynthesizeRtl.cmake
        DESTINATION ${SYSTOLE_PACKAGE_DIR} COMPONENT hlsc)

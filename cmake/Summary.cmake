set(systemc "SystemC")
if(NOT SYSTEMC_LIBRARY)
  set(systemc "no SystemC (libsystemc-dev): sim/systemc is left out")
endif()
message(STATUS "Systole ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, arrays ${SYSTOLE_ARRAYS}, "
               "LLVM ${LLVM_PACKAGE_VERSION}, Verilator ${verilator_VERSION}, ${systemc}, "
               "tests ${SYSTOLE_TESTS}")

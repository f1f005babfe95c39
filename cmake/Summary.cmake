set(systemc "SystemC")
if(NOT SYSTEMC_LIBRARY)
  set(systemc "no SystemC (libsystemc-dev): sim/systemc is left out")
endif()
set(rtl "RTL by hlsc with LLVM ${LLVM_PACKAGE_VERSION}")
if(NOT SYSTOLE_HLSC)
  set(rtl "RTL as committed")
endif()
message(STATUS "Systole ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, arrays ${SYSTOLE_ARRAYS}, "
               "${rtl}, Verilator ${verilator_VERSION}, ${systemc}, "
               "tests ${SYSTOLE_TESTS}")

message(STATUS "Systole ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, arrays ${SYSTOLE_ARRAYS}, "
               "LLVM ${LLVM_PACKAGE_VERSION}, Verilator ${verilator_VERSION}, tests ${SYSTOLE_TESTS}")

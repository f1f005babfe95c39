#include "tests/rtl/lockstep_arrays.h"

#include "tests/rtl/kernels/matrix_unit.h"
#include "tests/rtl/kernels/systolic_array.h"
#ifdef SYSTOLE_VERILATED_4
#include <Vmatrix_unit_4.h>
#include <Vsystolic_array_4.h>
#endif
#ifdef SYSTOLE_VERILATED_8
#include <Vmatrix_unit_8.h>
#include <Vsystolic_array_8.h>
#endif
#ifdef SYSTOLE_VERILATED_16
#include <Vmatrix_unit_16.h>
#endif

namespace systole::tests {

std::vector<LockstepKernel> lockstep_arrays() {
  return {
#ifdef SYSTOLE_VERILATED_4
      lockstep_kernel<SystolicArrayTop<Vsystolic_array_4, 4>>("systolic_array_4", 300'000),
      lockstep_kernel<MatrixUnitTop<Vmatrix_unit_4, 4>>("matrix_unit_4", 300'000),
#endif
#ifdef SYSTOLE_VERILATED_8
      lockstep_kernel<SystolicArrayTop<Vsystolic_array_8, 8>>("systolic_array_8", 100'000),
      lockstep_kernel<MatrixUnitTop<Vmatrix_unit_8, 8>>("matrix_unit_8", 100'000),
#endif
#ifdef SYSTOLE_VERILATED_16
      lockstep_kernel<MatrixUnitTop<Vmatrix_unit_16, 16>>("matrix_unit_16", 50'000),
#endif
  };
}

}  // namespace systole::tests

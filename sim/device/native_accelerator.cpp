#include "sim/device/native_accelerator_clock.h"

namespace systole::sim {

template class NativeAccelerator<SYSTOLE_ARRAY_SIZE, SYSTOLE_WITH_DATA, SYSTOLE_BUS_BYTES>;

}  // namespace systole::sim

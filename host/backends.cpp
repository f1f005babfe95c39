// The backends of this build besides `cpu`, in one list, so that a reader sees them all and a
// linker drops none. Linking systole::systole runs it before main.
#include "host/device/registry.h"

#ifdef SYSTOLE_HAS_BOARD_BACKEND
#include "host/board/board_backend.h"
#endif
#ifdef SYSTOLE_HAS_PJRT_BACKEND
#include "host/pjrt/pjrt_backend.h"
#endif
#ifdef SYSTOLE_HAS_MODEL_BACKEND
#include "sim/model/model_backend.h"
#endif
#ifdef SYSTOLE_HAS_RTL_BACKEND
#include "sim/verilator/rtl_backend.h"
#endif
#ifdef SYSTOLE_HAS_SYSTEMC_BACKEND
#include "sim/systemc/systemc_backend.h"
#endif

namespace systole {
namespace {

[[maybe_unused]] const bool kRegistered = [] {
#ifdef SYSTOLE_HAS_MODEL_BACKEND
  register_backend(model_backend_entry());
#endif
#ifdef SYSTOLE_HAS_RTL_BACKEND
  register_backend(rtl_backend_entry());
#endif
#ifdef SYSTOLE_HAS_SYSTEMC_BACKEND
  register_backend(systemc_backend_entry());
#endif
#ifdef SYSTOLE_HAS_BOARD_BACKEND
  register_backend(board_backend_entry());
#endif
#ifdef SYSTOLE_HAS_PJRT_BACKEND
  register_backend(pjrt_backend_entry());
#endif
  return true;
}();

}  // namespace
}  // namespace systole

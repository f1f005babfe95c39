#include <stdexcept>

#include "sim/device/vector_operations.h"

namespace systole::vector {

namespace avx512 {
void execute(const Instruction&, std::uint32_t*, Operand, Operand, Operand, std::size_t);
}
namespace avx2 {
void execute(const Instruction&, std::uint32_t*, Operand, Operand, Operand, std::size_t);
}

const Operations& operations() {
  static const Operations here = [] {
    Operations found;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4")) {
      found.sets[found.count++] = {"avx512", avx512::execute};
    }
    if (__builtin_cpu_supports("x86-64-v3")) found.sets[found.count++] = {"avx2", avx2::execute};
#endif
    if (found.count == 0) {
      throw std::runtime_error("micro-programs need a processor with AVX2 and FMA");
    }
    return found;
  }();
  return here;
}

}  // namespace systole::vector

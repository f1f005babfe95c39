#include "hls/reference/matmul.h"

#include "hls/reference/mac.h"

namespace systole::reference {
namespace {

// One loop nest for both types; mac and add are the oracles of that type, padding is T{} times T{}.
template <typename Operand, typename Sum>
void matmul(const MatmulShape& shape, std::span<const Operand> a, std::span<const Operand> b,
            std::span<Sum> c, Sum (*mac)(Operand, Operand, Sum), Sum (*add)(Sum, Sum)) {
  const auto index = [](int row, int col, int cols) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(col);
  };
  for (int m = 0; m < shape.rows; ++m) {
    for (int n = 0; n < shape.cols; ++n) {
      Sum& total = c[index(m, n, shape.cols)];
      for (int tile = 0; tile < shape.depth; tile += shape.array_size) {
        Sum sum{};
        for (int k = tile; k < tile + shape.array_size; ++k) {
          const bool inside = k < shape.depth;
          sum = mac(inside ? a[index(m, k, shape.depth)] : Operand{},
                    inside ? b[index(k, n, shape.cols)] : Operand{}, sum);
        }
        total = tile == 0 && !shape.accumulate ? sum : add(total, sum);
      }
    }
  }
}

}  // namespace

void matmul_bf16(const MatmulShape& shape, std::span<const std::uint16_t> a,
                 std::span<const std::uint16_t> b, std::span<std::uint32_t> c) {
  matmul<std::uint16_t, std::uint32_t>(shape, a, b, c, mac_bf16, add_fp32);
}

void matmul_int8(const MatmulShape& shape, std::span<const std::int8_t> a,
                 std::span<const std::int8_t> b, std::span<std::int32_t> c) {
  matmul<std::int8_t, std::int32_t>(shape, a, b, c, mac_int8, add_int32);
}

}  // namespace systole::reference

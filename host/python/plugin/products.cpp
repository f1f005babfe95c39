// MatMul and BatchMatMul as products of matrices.
#include "host/python/plugin/context.h"

namespace systole::tensorflow {
namespace {

// The last two dimensions are matrices; the others select them, and repeat where they are 1.
class BatchMatMul {
 public:
  BatchMatMul(const Construction& made, const char* transpose_a, const char* transpose_b)
      : transpose_a_(made.flag(transpose_a)), transpose_b_(made.flag(transpose_b)) {}

  void compute(const Context& context) const {
    const Tensor a = context.input(0), b = context.input(1);
    if (a.rank() < 2 || b.rank() < 2) refuse(a, b);
    const Shape left(a.shape().end() - 2, a.shape().end());
    const Shape right(b.shape().end() - 2, b.shape().end());
    if (left[transpose_a_ ? 0 : 1] != right[transpose_b_ ? 1 : 0]) refuse(a, b);
    const Shape product{left[transpose_a_ ? 1 : 0], right[transpose_b_ ? 0 : 1]};

    const int rank = std::max(a.rank(), b.rank());
    Shape shape(static_cast<std::size_t>(rank));
    std::ranges::copy(product, shape.end() - 2);
    for (int i = 0; i < rank - 2; ++i) {
      const std::int64_t x = dimension(a, rank, i), y = dimension(b, rank, i);
      if (x != y && x != 1 && y != 1) refuse(a, b);
      shape[static_cast<std::size_t>(i)] = x == 1 ? y : x;
    }
    const Tensor y = context.output(0, TF_FLOAT, shape);
    if (!needs_device(a, b, y)) return;

    const std::string text =
        product_text(left, right, product, transpose_a_, transpose_b_, asked(a, b));
    const std::int64_t products = y.size() / count(product);
    for (std::int64_t i = 0; i < products; ++i) {
      const systole_buffer operands[] = {part(a, left, place(a, shape, i)),
                                         part(b, right, place(b, shape, i))};
      context.core().run(text, operands, part(y, product, i));
    }
  }

 private:
  static std::int64_t dimension(const Tensor& tensor, int rank, int i) {
    const int own = i - (rank - tensor.rank());
    return own < 0 ? 1 : tensor.shape()[static_cast<std::size_t>(own)];
  }
  // Which matrix of the tensor the result's matrix `index` needs.
  static std::int64_t place(const Tensor& tensor, const Shape& result, std::int64_t index) {
    std::int64_t matrix = 0, step = 1;
    for (int i = static_cast<int>(result.size()) - 3; i >= 0; --i) {
      const std::int64_t own = dimension(tensor, static_cast<int>(result.size()), i);
      const std::int64_t extent = result[static_cast<std::size_t>(i)];
      matrix += own == 1 ? 0 : index % extent * step;
      step *= own;
      index /= extent;
    }
    return matrix;
  }
  static systole_buffer part(const Tensor& tensor, const Shape& matrix, std::int64_t index) {
    const auto values = tensor.values<float>().subspan(
        static_cast<std::size_t>(index * count(matrix)), static_cast<std::size_t>(count(matrix)));
    return {.name = nullptr,
            .data = values.data(),
            .size_bytes = static_cast<std::int64_t>(values.size_bytes())};
  }
  [[noreturn]] void refuse(const Tensor& a, const Tensor& b) const {
    tensorflow::refuse("matrices {}{} and {}{} have no product", a.shape(),
                       transpose_a_ ? " transposed" : "", b.shape(),
                       transpose_b_ ? " transposed" : "");
  }

  bool transpose_a_, transpose_b_;
};

struct MatMul : BatchMatMul {
  explicit MatMul(const Construction& made) : BatchMatMul(made, "transpose_a", "transpose_b") {}
};
struct BatchMatMulV2 : BatchMatMul {
  explicit BatchMatMulV2(const Construction& made) : BatchMatMul(made, "adj_x", "adj_y") {}
};

void add_with_result(TF_DataType operands, TF_DataType result) {
  add_kernel<BatchMatMulV2>("BatchMatMulV3",
                            {{"Ta", operands}, {"Tb", operands}, {"Tout", result}});
}

}  // namespace

void add_products() {
  add_float_kernel<MatMul>("MatMul");
  add_float_kernel<BatchMatMulV2>("BatchMatMulV2");
  for (const TF_DataType type : kFloats) {
    add_with_result(type, type);
    if (type != TF_FLOAT) add_with_result(type, TF_FLOAT);
  }
}

}  // namespace systole::tensorflow

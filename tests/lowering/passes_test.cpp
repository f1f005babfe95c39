// What each pass makes of a graph, as text before and after, and what it leaves alone. join_sums
// and simplify are in tests/graph.
#include <catch2/catch.hpp>

#include "host/compiler/pipeline.h"
#include "host/compiler/rewrites/chosen_elements.h"
#include "host/compiler/rewrites/copied_rows.h"
#include "host/compiler/rewrites/cut_parts.h"
#include "host/compiler/rewrites/fold_rows.h"
#include "host/compiler/rewrites/plain_functions.h"
#include "host/compiler/rewrites/plain_layouts.h"
#include "host/compiler/rewrites/plain_shapes.h"
#include "host/compiler/rewrites/quantized_products.h"
#include "host/compiler/rewrites/row_sums.h"
#include "host/compiler/rewrites/rows_by_products.h"
#include "host/compiler/rewrites/separate_outputs.h"
#include "host/compiler/rewrites/split_reductions.h"
#include "host/compiler/rewrites/split_windows.h"
#include "host/compiler/rewrites/wide_convolutions.h"
#include "pass_cases.h"

namespace systole::tests {
namespace {

TEST_CASE("is_finite is a comparison with infinity", "[plain_functions]") {
  check_rewrite({"%x: tensor<3xf32>", "tensor<3xi1>"}, R"(
  %0 = stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>)",
                lowering::plain_functions, R"(
  %0 = stablehlo.abs %x : tensor<3xf32>
  %1 = stablehlo.constant dense<0x7F800000> : tensor<3xf32>
  %2 = stablehlo.compare LT, %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %2 : tensor<3xi1>)");
}

TEST_CASE("functions of floats follow from others", "[plain_functions]") {
  check_rewrite({"%x: tensor<3xf32>", "tensor<3xf32>, tensor<3xf32>, tensor<3xf32>"}, R"(
  %0 = stablehlo.ceil %x : tensor<3xf32>
  %1 = stablehlo.tan %x : tensor<3xf32>
  %2 = stablehlo.exponential_minus_one %x : tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)",
                lowering::plain_functions, R"(
  %0 = stablehlo.negate %x : tensor<3xf32>
  %1 = stablehlo.floor %0 : tensor<3xf32>
  %2 = stablehlo.negate %1 : tensor<3xf32>
  %3 = stablehlo.sine %x : tensor<3xf32>
  %4 = stablehlo.cosine %x : tensor<3xf32>
  %5 = stablehlo.divide %3, %4 : tensor<3xf32>
  %6 = stablehlo.constant dense<0.5> : tensor<3xf32>
  %7 = stablehlo.multiply %x, %6 : tensor<3xf32>
  %8 = stablehlo.tanh %7 : tensor<3xf32>
  %9 = stablehlo.exponential %x : tensor<3xf32>
  %10 = stablehlo.constant dense<1.0> : tensor<3xf32>
  %11 = stablehlo.add %9, %10 : tensor<3xf32>
  %12 = stablehlo.multiply %8, %11 : tensor<3xf32>
  return %2, %5, %12 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)",
                Sums::kInAnotherOrder);
}

TEST_CASE("a logarithm of 1 + x, and a number rounded away from zero", "[plain_functions]") {
  check_rewrite({"%x: tensor<3xf32>", "tensor<3xf32>, tensor<3xf32>"}, R"(
  %0 = stablehlo.abs %x : tensor<3xf32>
  %1 = stablehlo.log_plus_one %0 : tensor<3xf32>
  %2 = stablehlo.round_nearest_afz %x : tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>)",
                lowering::plain_functions, R"(
  %0 = stablehlo.abs %x : tensor<3xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<3xf32>
  %2 = stablehlo.add %0, %1 : tensor<3xf32>
  %3 = stablehlo.subtract %2, %1 : tensor<3xf32>
  %4 = stablehlo.compare EQ, %2, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %5 = stablehlo.compare EQ, %3, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %6 = stablehlo.log %2 : tensor<3xf32>
  %7 = stablehlo.divide %0, %3 : tensor<3xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<3xf32>
  %9 = stablehlo.select %5, %6, %8 : tensor<3xi1>, tensor<3xf32>
  %10 = stablehlo.select %4, %0, %9 : tensor<3xi1>, tensor<3xf32>
  %11 = stablehlo.floor %0 : tensor<3xf32>
  %12 = stablehlo.subtract %0, %11 : tensor<3xf32>
  %13 = stablehlo.constant dense<0.5> : tensor<3xf32>
  %14 = stablehlo.compare GE, %12, %13 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %15 = stablehlo.add %11, %1 : tensor<3xf32>
  %16 = stablehlo.select %14, %15, %11 : tensor<3xi1>, tensor<3xf32>
  %17 = stablehlo.sign %x : tensor<3xf32>
  %18 = stablehlo.multiply %16, %17 : tensor<3xf32>
  return %10, %18 : tensor<3xf32>, tensor<3xf32>)",
                Sums::kInAnotherOrder);
}

TEST_CASE("an integer's size and sign follow from others", "[plain_functions]") {
  check_rewrite({"%x: tensor<3xi32>", "tensor<3xi32>, tensor<3xi32>"}, R"(
  %0 = stablehlo.abs %x : tensor<3xi32>
  %1 = stablehlo.sign %x : tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>)",
                lowering::plain_functions, R"(
  %0 = stablehlo.negate %x : tensor<3xi32>
  %1 = stablehlo.maximum %x, %0 : tensor<3xi32>
  %2 = stablehlo.constant dense<-1> : tensor<3xi32>
  %3 = stablehlo.constant dense<1> : tensor<3xi32>
  %4 = stablehlo.clamp %2, %x, %3 : tensor<3xi32>
  return %1, %4 : tensor<3xi32>, tensor<3xi32>)");
}

TEST_CASE("an integer's low byte becomes int8", "[plain_functions]") {
  check_rewrite({"%x: tensor<3xi32>", "tensor<3xi8>"}, R"(
  %0 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xi8>
  return %0 : tensor<3xi8>)",
                lowering::plain_functions, R"(
  %0 = stablehlo.constant dense<255> : tensor<3xi32>
  %1 = stablehlo.and %x, %0 : tensor<3xi32>
  %2 = stablehlo.constant dense<128> : tensor<3xi32>
  %3 = stablehlo.and %x, %2 : tensor<3xi32>
  %4 = stablehlo.constant dense<2> : tensor<3xi32>
  %5 = stablehlo.multiply %3, %4 : tensor<3xi32>
  %6 = stablehlo.subtract %1, %5 : tensor<3xi32>
  %7 = stablehlo.convert %6 : (tensor<3xi32>) -> tensor<3xi8>
  return %7 : tensor<3xi8>)");
}

TEST_CASE("a broadcast loses its dimensions of one, and one that moves nothing is a reshape",
          "[plain_shapes]") {
  check_rewrite(
      {"%x: tensor<1x5x1xf32>, %row: tensor<5xf32>", "tensor<3x5x7xf32>, tensor<1x5xf32>"}, R"(
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2] : (tensor<1x5x1xf32>) -> tensor<3x5x7xf32>
  %1 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
  return %0, %1 : tensor<3x5x7xf32>, tensor<1x5xf32>)",
      lowering::plain_shapes, R"(
  %0 = stablehlo.reshape %x : (tensor<1x5x1xf32>) -> tensor<5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<5xf32>) -> tensor<3x5x7xf32>
  %2 = stablehlo.reshape %row : (tensor<5xf32>) -> tensor<1x5xf32>
  return %1, %2 : tensor<3x5x7xf32>, tensor<1x5xf32>)");
}

TEST_CASE("a broadcast of a row stays", "[plain_shapes]") {
  check_stays({"%row: tensor<5xf32>", "tensor<3x5xf32>"}, R"(
  %0 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>)",
              lowering::plain_shapes);
}

TEST_CASE("a product with a batch inside is a batch of transposed operands", "[plain_layouts]") {
  check_rewrite({"%a: tensor<2x5x3x4xf32>, %b: tensor<2x6x3x4xf32>", "tensor<2x3x5x6xf32>"}, R"(
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x6x3x4xf32>) -> tensor<2x3x5x6xf32>
  return %0 : tensor<2x3x5x6xf32>)",
                lowering::plain_layouts, R"(
  %0 = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x3x5x4xf32>) -> tensor<6x5x4xf32>
  %2 = stablehlo.transpose %b, dims = [0, 2, 1, 3] : (tensor<2x6x3x4xf32>) -> tensor<2x3x6x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x3x6x4xf32>) -> tensor<6x6x4xf32>
  %4 = stablehlo.dot_general %1, %3, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x5x4xf32>, tensor<6x6x4xf32>) -> tensor<6x5x6xf32>
  %5 = stablehlo.reshape %4 : (tensor<6x5x6xf32>) -> tensor<2x3x5x6xf32>
  return %5 : tensor<2x3x5x6xf32>)");
}

TEST_CASE("a transpose of the last dimension is one of rows of one element", "[plain_layouts]") {
  check_rewrite({"%x: tensor<3x5xf32>", "tensor<5x3xf32>"}, R"(
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>)",
                lowering::plain_layouts, R"(
  %0 = stablehlo.reshape %x : (tensor<3x5xf32>) -> tensor<3x5x1xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<3x5x1xf32>) -> tensor<5x3x1xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x3x1xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>)");
}

TEST_CASE("a transpose of rows stays", "[plain_layouts]") {
  check_stays({"%x: tensor<3x5x7xf32>", "tensor<5x3x7xf32>"}, R"(
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x5x7xf32>) -> tensor<5x3x7xf32>
  return %0 : tensor<5x3x7xf32>)",
              lowering::plain_layouts);
}

TEST_CASE("a sum over a dimension in the middle is one of rows of a transpose", "[plain_layouts]") {
  check_rewrite({"%x: tensor<3x5x7xf32>", "tensor<3x7xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x7xf32>
  return %1 : tensor<3x7xf32>)",
                lowering::plain_layouts, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x5x7xf32>) -> tensor<5x3x7xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x3x7xf32>) -> tensor<5x21xf32>
  %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<5x21xf32>, tensor<f32>) -> tensor<21xf32>
  %4 = stablehlo.reshape %3 : (tensor<21xf32>) -> tensor<3x7xf32>
  return %4 : tensor<3x7xf32>)");
}

TEST_CASE("a transpose that is read by other rows is copied", "[copy_rows]") {
  check_rewrite({"%x: tensor<3x5x1xf32>, %y: tensor<5x3xf32>", "tensor<5x3xf32>"}, R"(
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x5x1xf32>) -> tensor<5x3x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<5x3x1xf32>) -> tensor<5x3xf32>
  %2 = stablehlo.add %1, %y : tensor<5x3xf32>
  return %2 : tensor<5x3xf32>)",
                lowering::copy_rows, R"(
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x5x1xf32>) -> tensor<5x3x1xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<5x3x1xf32>) -> tensor<5x3x1xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x3x1xf32>) -> tensor<5x3xf32>
  %3 = stablehlo.add %2, %y : tensor<5x3xf32>
  return %3 : tensor<5x3xf32>)");
}

TEST_CASE("a transpose that a product reads, or its own rows, stays", "[copy_rows]") {
  check_stays({"%x: tensor<3x5x4xf32>, %w: tensor<12x7xf32>, %y: tensor<15x4xf32>",
               "tensor<5x7xf32>, tensor<15x4xf32>"},
              R"(
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x5x4xf32>) -> tensor<5x3x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<5x3x4xf32>) -> tensor<5x12xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<5x12xf32>, tensor<12x7xf32>) -> tensor<5x7xf32>
  %3 = stablehlo.reshape %0 : (tensor<5x3x4xf32>) -> tensor<15x4xf32>
  %4 = stablehlo.add %3, %y : tensor<15x4xf32>
  return %2, %4 : tensor<5x7xf32>, tensor<15x4xf32>)",
              lowering::copy_rows);
}

TEST_CASE("the element that a label chooses is the sum of a row of zeros and that element",
          "[chosen_elements]") {
  check_rewrite({"%x: tensor<3x5xf32>, %label: tensor<3x1xi32>", "tensor<3xf32>"}, R"(
  %0 = stablehlo.iota dim = 0 : tensor<3x1xi32>
  %1 = stablehlo.concatenate %0, %label, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  %2 = "stablehlo.gather"(%x, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x5xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>)",
                lowering::chosen_elements, R"(
  %0 = stablehlo.reshape %label : (tensor<3x1xi32>) -> tensor<3xi32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.constant dense<0.0> : tensor<3x5xf32>
  %3 = stablehlo.constant dense<0> : tensor<3xi32>
  %4 = stablehlo.constant dense<4> : tensor<3xi32>
  %5 = stablehlo.clamp %3, %0, %4 : tensor<3xi32>
  %6 = stablehlo.iota dim = 1 : tensor<3x5xi32>
  %7 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x5xi32>
  %8 = stablehlo.compare EQ, %6, %7 : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
  %9 = stablehlo.select %8, %x, %2 : tensor<3x5xi1>, tensor<3x5xf32>
  %10 = stablehlo.reduce(%9 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
  return %10 : tensor<3xf32>)");
}

TEST_CASE("an element of a row that a number chooses stays a gather", "[chosen_elements]") {
  check_stays({"%x: tensor<3x5xf32>, %place: tensor<3x2xi32>", "tensor<3xf32>"}, R"(
  %0 = "stablehlo.gather"(%x, %place) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x5xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>)",
              lowering::chosen_elements);
}

TEST_CASE("an embedding is a product with a one in each row", "[rows_by_products]") {
  check_rewrite({"%table: tensor<4x3xf32>, %word: tensor<2xi32>", "tensor<2x3xf32>"}, R"(
  %0 = "stablehlo.gather"(%table, %word) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>)",
                lowering::rows_by_products, R"(
  %0 = stablehlo.constant dense<0> : tensor<2xi32>
  %1 = stablehlo.constant dense<3> : tensor<2xi32>
  %2 = stablehlo.clamp %0, %word, %1 : tensor<2xi32>
  %3 = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %4 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi32>) -> tensor<2x4xi32>
  %5 = stablehlo.compare EQ, %3, %4 : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
  %6 = stablehlo.convert %5 : (tensor<2x4xi1>) -> tensor<2x4xf32>
  %7 = stablehlo.dot_general %6, %table, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %7 : tensor<2x3xf32>)");
}

TEST_CASE(
    "an embedding's gradient is the transposed product, and a number outside of the table gives to "
    "no row",
    "[rows_by_products]") {
  check_rewrite(
      {"%table: tensor<4x3xf32>, %word: tensor<2xi32>, %d: tensor<2x3xf32>", "tensor<4x3xf32>"}, R"(
  %0 = "stablehlo.scatter"(%table, %word, %d) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%r) : (tensor<f32>) -> () }) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>)",
      lowering::rows_by_products, R"(
  %0 = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %1 = stablehlo.broadcast_in_dim %word, dims = [0] : (tensor<2xi32>) -> tensor<2x4xi32>
  %2 = stablehlo.compare EQ, %0, %1 : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
  %3 = stablehlo.convert %2 : (tensor<2x4xi1>) -> tensor<2x4xf32>
  %4 = stablehlo.dot_general %3, %d, contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.add %table, %4 : tensor<4x3xf32>
  return %5 : tensor<4x3xf32>)");
}

TEST_CASE("a scatter of maxima stays", "[rows_by_products]") {
  check_stays(
      {"%table: tensor<4x3xf32>, %word: tensor<2xi32>, %d: tensor<2x3xf32>", "tensor<4x3xf32>"}, R"(
  %0 = "stablehlo.scatter"(%table, %word, %d) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%r) : (tensor<f32>) -> () }) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>)",
      lowering::rows_by_products);
}

TEST_CASE("a gather of parts of rows stays", "[rows_by_products]") {
  check_stays({"%table: tensor<4x3xf32>, %word: tensor<2xi32>", "tensor<2x2xf32>"}, R"(
  %0 = "stablehlo.gather"(%table, %word) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>)",
              lowering::rows_by_products);
}

TEST_CASE("an average pooling's sums add slices", "[split_windows]") {
  check_rewrite({"%x: tensor<2x1x4x3xf32>", "tensor<2x1x2x3xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %0) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 1, 2, 1>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%r) : (tensor<f32>) -> () }) : (tensor<2x1x4x3xf32>, tensor<f32>) -> tensor<2x1x2x3xf32>
  return %1 : tensor<2x1x2x3xf32>)",
                lowering::split_windows, R"(
  %0 = stablehlo.slice %x [0:2, 0:1, 0:4:2, 0:3] : (tensor<2x1x4x3xf32>) -> tensor<2x1x2x3xf32>
  %1 = stablehlo.slice %x [0:2, 0:1, 1:4:2, 0:3] : (tensor<2x1x4x3xf32>) -> tensor<2x1x2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x1x2x3xf32>
  return %2 : tensor<2x1x2x3xf32>)");
}

TEST_CASE("a maximum pooling takes the larger of two slices", "[split_windows]") {
  check_rewrite({"%x: tensor<2x1x4x3xf32>", "tensor<2x1x2x3xf32>"}, R"(
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %0) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 1, 2, 1>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%r) : (tensor<f32>) -> () }) : (tensor<2x1x4x3xf32>, tensor<f32>) -> tensor<2x1x2x3xf32>
  return %1 : tensor<2x1x2x3xf32>)",
                lowering::split_windows, R"(
  %0 = stablehlo.slice %x [0:2, 0:1, 0:4:2, 0:3] : (tensor<2x1x4x3xf32>) -> tensor<2x1x2x3xf32>
  %1 = stablehlo.slice %x [0:2, 0:1, 1:4:2, 0:3] : (tensor<2x1x4x3xf32>) -> tensor<2x1x2x3xf32>
  %2 = stablehlo.maximum %0, %1 : tensor<2x1x2x3xf32>
  return %2 : tensor<2x1x2x3xf32>)");
}

TEST_CASE("windows that overlap stay", "[split_windows]") {
  check_stays({"%x: tensor<2x1x4x3xf32>", "tensor<2x1x3x3xf32>"}, R"(
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %0) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%r) : (tensor<f32>) -> () }) : (tensor<2x1x4x3xf32>, tensor<f32>) -> tensor<2x1x3x3xf32>
  return %1 : tensor<2x1x3x3xf32>)",
              lowering::split_windows);
}

TEST_CASE("the sum of a multiple is the multiple of the sum", "[row_sums]") {
  check_rewrite({"%d: tensor<8x3xf32>, %scale: tensor<3xf32>", "tensor<3xf32>, tensor<3xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%d init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
  %3 = stablehlo.multiply %d, %2 : tensor<8x3xf32>
  %4 = stablehlo.reduce(%3 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %1, %4 : tensor<3xf32>, tensor<3xf32>)",
                lowering::merge_row_sums, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%d init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %1, %scale : tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>)",
                Sums::kInAnotherOrder);
}

TEST_CASE("a sum that no other one tells is added up itself", "[row_sums]") {
  check_stays({"%d: tensor<8x3xf32>, %scale: tensor<8x3xf32>", "tensor<3xf32>, tensor<3xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%d init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %d, %scale : tensor<8x3xf32>
  %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %1, %3 : tensor<3xf32>, tensor<3xf32>)",
              lowering::merge_row_sums);
}

TEST_CASE("rows of two lie side by side in words of four", "[fold_rows]") {
  check_rewrite(
      {"%x: tensor<128x2xf32>, %column: tensor<2xf32>", "tensor<128x2xf32>, tensor<2xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %column, dims = [1] : (tensor<2xf32>) -> tensor<128x2xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<128x2xf32>
  %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<128x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %2, %3 : tensor<128x2xf32>, tensor<2xf32>)",
      [](const graph::Graph& graph) { return lowering::fold_rows(graph, 4); }, R"(
  %0 = stablehlo.broadcast_in_dim %column, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x2xf32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<64x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<64x4xf32>) -> tensor<128x2xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<128x2xf32>
  %5 = stablehlo.reshape %4 : (tensor<128x2xf32>) -> tensor<64x4xf32>
  %6 = stablehlo.constant dense<0.0> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [0] : (tensor<64x4xf32>, tensor<f32>) -> tensor<4xf32>
  %8 = stablehlo.reshape %7 : (tensor<4xf32>) -> tensor<2x2xf32>
  %9 = stablehlo.reduce(%8 init: %6) applies stablehlo.add across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %4, %9 : tensor<128x2xf32>, tensor<2xf32>)");
}

TEST_CASE("fewer than 64 words stay as they are", "[fold_rows]") {
  check_stays({"%x: tensor<64x2xf32>, %column: tensor<2xf32>", "tensor<64x2xf32>, tensor<2xf32>"},
              R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %column, dims = [1] : (tensor<2xf32>) -> tensor<64x2xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<64x2xf32>
  %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<64x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %2, %3 : tensor<64x2xf32>, tensor<2xf32>)",
              [](const graph::Graph& graph) { return lowering::fold_rows(graph, 4); });
}

TEST_CASE("a row of ten is reduced in parts of four", "[split_reductions]") {
  check_rewrite(
      {"%x: tensor<2x10xf32>", "tensor<2xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>)",
      [](const graph::Graph& graph) { return lowering::split_reductions(graph, 4); }, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.slice %x [0:2, 0:4] : (tensor<2x10xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.slice %x [0:2, 4:8] : (tensor<2x10xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.reduce(%3 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %5 = stablehlo.add %2, %4 : tensor<2xf32>
  %6 = stablehlo.slice %x [0:2, 8:10] : (tensor<2x10xf32>) -> tensor<2x2xf32>
  %7 = stablehlo.reduce(%6 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %8 = stablehlo.add %5, %7 : tensor<2xf32>
  return %8 : tensor<2xf32>)");
}

TEST_CASE("rows of four, and sums over rows, stay", "[split_reductions]") {
  check_stays({"%x: tensor<9x4xf32>", "tensor<9xf32>, tensor<4xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<9x4xf32>, tensor<f32>) -> tensor<9xf32>
  %2 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : (tensor<9x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %2 : tensor<9xf32>, tensor<4xf32>)",
              [](const graph::Graph& graph) { return lowering::split_reductions(graph, 4); });
}

TEST_CASE("a step of a sum is the sum of the steps, and a constant has no parts", "[cut_parts]") {
  check_rewrite({"%a: tensor<4x3xf32>, %b: tensor<4x3xf32>", "tensor<1x3xf32>"}, R"(
  %0 = stablehlo.constant dense<2.0> : tensor<4x3xf32>
  %1 = stablehlo.add %a, %b : tensor<4x3xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<4x3xf32>
  %3 = stablehlo.slice %2 [1:2, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
  return %3 : tensor<1x3xf32>)",
                lowering::cut_parts, R"(
  %0 = stablehlo.slice %a [1:2, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.slice %b [1:2, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x3xf32>
  %3 = stablehlo.constant dense<2.0> : tensor<1x3xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<1x3xf32>
  return %4 : tensor<1x3xf32>)");
}

TEST_CASE("a step of a sum that is needed whole is a slice of it", "[cut_parts]") {
  check_stays({"%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %w: tensor<3x2xf32>",
               "tensor<1x3xf32>, tensor<4x3xf32>"},
              R"(
  %0 = stablehlo.add %a, %b : tensor<4x3xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<4x3xf32>
  %2 = stablehlo.slice %1 [1:2, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
  return %2, %1 : tensor<1x3xf32>, tensor<4x3xf32>)",
              lowering::cut_parts);
}

TEST_CASE("a part of a concatenation, of a pad or of a broadcast is one of its operand",
          "[cut_parts]") {
  check_rewrite({"%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %row: tensor<3xf32>",
                 "tensor<1x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>"},
                R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.slice %1 [3:4, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
  %3 = stablehlo.pad %a, %0, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %4 = stablehlo.slice %3 [0:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %5 = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.slice %5 [0:2, 1:3] : (tensor<4x3xf32>) -> tensor<2x2xf32>
  return %2, %4, %6 : tensor<1x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>)",
                lowering::cut_parts, R"(
  %0 = stablehlo.slice %b [1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %2 = stablehlo.slice %row [1:3] : (tensor<3xf32>) -> tensor<2xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  return %0, %1, %3 : tensor<1x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>)");
}

TEST_CASE("a sum of four tensors adds two pairs", "[cut_parts]") {
  check_rewrite({"%x: tensor<4x2x3xf32>", "tensor<2x3xf32>"}, R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>)",
                lowering::cut_parts, R"(
  %0 = stablehlo.slice %x [0:1, 0:2, 0:3] : (tensor<4x2x3xf32>) -> tensor<1x2x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.slice %x [1:2, 0:2, 0:3] : (tensor<4x2x3xf32>) -> tensor<1x2x3xf32>
  %3 = stablehlo.reshape %2 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.slice %x [2:3, 0:2, 0:3] : (tensor<4x2x3xf32>) -> tensor<1x2x3xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %6 = stablehlo.slice %x [3:4, 0:2, 0:3] : (tensor<4x2x3xf32>) -> tensor<1x2x3xf32>
  %7 = stablehlo.reshape %6 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %8 = stablehlo.add %1, %3 : tensor<2x3xf32>
  %9 = stablehlo.add %5, %7 : tensor<2x3xf32>
  %10 = stablehlo.add %8, %9 : tensor<2x3xf32>
  return %10 : tensor<2x3xf32>)");
}

TEST_CASE("columns are concatenated as rows of one", "[cut_parts]") {
  check_rewrite({"%a: tensor<4x3xf32>, %b: tensor<4x3xf32>", "tensor<4x6xf32>"}, R"(
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>)",
                lowering::cut_parts, R"(
  %0 = stablehlo.reshape %a : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
  %1 = stablehlo.reshape %b : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x1x3xf32>, tensor<4x1x3xf32>) -> tensor<4x2x3xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>)");
}

TEST_CASE("what is concatenated twice, or is an input, is copied", "[separate_parts]") {
  check_rewrite({"%a: tensor<2x3xf32>", "tensor<6x3xf32>"}, R"(
  %0 = stablehlo.multiply %a, %a : tensor<2x3xf32>
  %1 = stablehlo.concatenate %0, %a, %0, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  return %1 : tensor<6x3xf32>)",
                lowering::separate_parts, R"(
  %0 = stablehlo.multiply %a, %a : tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  return %3 : tensor<6x3xf32>)");
}

TEST_CASE("results that one tensor has, and columns, stay", "[separate_parts]") {
  check_stays({"%a: tensor<2x3xf32>", "tensor<4x3xf32>, tensor<2x6xf32>"}, R"(
  %0 = stablehlo.multiply %a, %a : tensor<2x3xf32>
  %1 = stablehlo.add %a, %a : tensor<2x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %2, %3 : tensor<4x3xf32>, tensor<2x6xf32>)",
              lowering::separate_parts);
}

TEST_CASE("four pixels of one channel are packed into one", "[wide]") {
  check_rewrite(
      {"%x: tensor<1x4x8x1xf32>, %w: tensor<3x3x1x3xf32>", "tensor<1x4x8x3xf32>"}, R"(
  %0 = "stablehlo.convolution"(%x, %w) <{window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x8x1xf32>, tensor<3x3x1x3xf32>) -> tensor<1x4x8x3xf32>
  return %0 : tensor<1x4x8x3xf32>)",
      [](const graph::Graph& graph) {
        return lowering::widen_convolutions(graph, {.array_size = 16});
      },
      R"(
  %0 = stablehlo.reshape %x : (tensor<1x4x8x1xf32>) -> tensor<1x4x2x4xf32>
  %1 = "systole.wide_kernel"(%w) <{pixels = 4 : i64, apart = 1 : i64, width = 3 : i64, first = 3 : i64}> : (tensor<3x3x1x3xf32>) -> tensor<3x3x4x12xf32>
  %2 = "stablehlo.convolution"(%0, %1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> : (tensor<1x4x2x4xf32>, tensor<3x3x4x12xf32>) -> tensor<1x4x2x12xf32>
  %3 = stablehlo.reshape %2 : (tensor<1x4x2x12xf32>) -> tensor<1x4x8x3xf32>
  return %3 : tensor<1x4x8x3xf32>)");
}

TEST_CASE("pixels that fill the array stay", "[wide]") {
  check_stays({"%x: tensor<1x4x8x16xf32>, %w: tensor<3x3x16x16xf32>", "tensor<1x4x8x16xf32>"}, R"(
  %0 = "stablehlo.convolution"(%x, %w) <{window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x4x8x16xf32>
  return %0 : tensor<1x4x8x16xf32>)",
              [](const graph::Graph& graph) {
                return lowering::widen_convolutions(graph, {.array_size = 16});
              });
}

TEST_CASE("a product of f32 becomes one of i8 with a scale for each operand", "[quantized]") {
  check_rewrite(
      {"%x: tensor<2x3xf32>, %w: tensor<3x2xf32>", "tensor<2x2xf32>"}, R"(
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>)",
      [](const graph::Graph& graph) { return lowering::quantize_products(graph, {}); }, R"(
  %0 = stablehlo.abs %x : tensor<2x3xf32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.constant dense<0.007874016> : tensor<f32>
  %4 = stablehlo.multiply %2, %3 : tensor<f32>
  %5 = stablehlo.constant dense<7.888609e-31> : tensor<f32>
  %6 = stablehlo.compare GE, %2, %5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %7 = stablehlo.constant dense<127.0> : tensor<f32>
  %8 = stablehlo.divide %7, %2 : tensor<f32>
  %9 = stablehlo.constant dense<0.0> : tensor<f32>
  %10 = stablehlo.select %6, %8, %9 : tensor<i1>, tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %12 = stablehlo.multiply %x, %11 : tensor<2x3xf32>
  %13 = stablehlo.constant dense<0.5> : tensor<2x3xf32>
  %14 = stablehlo.add %12, %13 : tensor<2x3xf32>
  %15 = stablehlo.floor %14 : tensor<2x3xf32>
  %16 = stablehlo.convert %15 : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %17 = stablehlo.abs %w : tensor<3x2xf32>
  %18 = stablehlo.reduce(%17 init: %1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
  %19 = stablehlo.multiply %18, %3 : tensor<f32>
  %20 = stablehlo.compare GE, %18, %5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %21 = stablehlo.divide %7, %18 : tensor<f32>
  %22 = stablehlo.select %20, %21, %9 : tensor<i1>, tensor<f32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
  %24 = stablehlo.multiply %w, %23 : tensor<3x2xf32>
  %25 = stablehlo.constant dense<0.5> : tensor<3x2xf32>
  %26 = stablehlo.add %24, %25 : tensor<3x2xf32>
  %27 = stablehlo.floor %26 : tensor<3x2xf32>
  %28 = stablehlo.convert %27 : (tensor<3x2xf32>) -> tensor<3x2xi8>
  %29 = stablehlo.dot_general %16, %28, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  %30 = stablehlo.convert %29 : (tensor<2x2xi32>) -> tensor<2x2xf32>
  %31 = stablehlo.multiply %4, %19 : tensor<f32>
  %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  %33 = stablehlo.multiply %30, %32 : tensor<2x2xf32>
  return %33 : tensor<2x2xf32>)",
      Sums::kRounded);
}

TEST_CASE("an output that is an input, a constant or another output is copied",
          "[separate_outputs]") {
  check_rewrite({"%x: tensor<3xf32>", "tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>"},
                R"(
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  return %x, %0, %0, %1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>)",
                lowering::separate_outputs, R"(
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3xf32> loc("result0")
  %3 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3xf32> loc("result2")
  %4 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<2xi32>) -> tensor<2xi32> loc("result3")
  return %2, %0, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>)");
}

TEST_CASE("an output that is concatenated, or is a concatenation, is copied",
          "[separate_outputs]") {
  check_rewrite({"%x: tensor<2x3xf32>", "tensor<2x3xf32>, tensor<4x3xf32>"}, R"(
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  %1 = stablehlo.multiply %x, %x : tensor<2x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0, %2 : tensor<2x3xf32>, tensor<4x3xf32>)",
                lowering::separate_outputs, R"(
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  %1 = stablehlo.multiply %x, %x : tensor<2x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("result0")
  %4 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x3xf32>) -> tensor<4x3xf32> loc("result1")
  return %3, %4 : tensor<2x3xf32>, tensor<4x3xf32>)");
}

TEST_CASE("outputs that are computed once each stay", "[separate_outputs]") {
  check_stays({"%x: tensor<3xf32>, %y: tensor<3xf32>", "tensor<3xf32>, tensor<3xf32>"}, R"(
  %0 = stablehlo.add %x, %y : tensor<3xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>)",
              lowering::separate_outputs);
}

TEST_CASE("a long row is added to what it starts from once", "[split_reductions]") {
  check_rewrite(
      {"%x: tensor<2x10xf32>", "tensor<2xf32>"}, R"(
  %0 = stablehlo.constant dense<7.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>)",
      [](const graph::Graph& graph) { return lowering::split_reductions(graph, 8); }, R"(
  %0 = stablehlo.constant dense<7.0> : tensor<f32>
  %1 = stablehlo.slice %x [0:2, 0:5] : (tensor<2x10xf32>) -> tensor<2x5xf32>
  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.slice %x [0:2, 5:10] : (tensor<2x10xf32>) -> tensor<2x5xf32>
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %6 = stablehlo.add %2, %5 : tensor<2xf32>
  return %6 : tensor<2xf32>)");
}

// ---- Refusals ----

std::unique_ptr<graph::Graph> sums_of_products() {
  return lowering::read_lowered(R"(func.func @main(%x: tensor<2x10xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.multiply across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})");
}

TEST_CASE("a long row that is multiplied up is refused", "[split_reductions]") {
  CHECK_THROWS_WITH(lowering::split_reductions(*sums_of_products(), 4),
                    Catch::Contains("the device adds rows of more than 4 elements up, or takes "
                                    "their maximum or minimum"));
  CHECK_NOTHROW(lowering::split_reductions(*sums_of_products(), 10));
}

TEST_CASE("a product that is too deep for int8 is refused", "[quantized]") {
  const auto graph = lowering::read_lowered(
      R"(func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})");
  CHECK_THROWS_WITH(lowering::quantize_products(*graph, {.most_depth = 2}),
                    Catch::Contains("the device adds up to 2 products of int8, and these are 3"));
}

}  // namespace
}  // namespace systole::tests

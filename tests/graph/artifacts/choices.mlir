module @jit_choices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf32>, %arg1: tensor<i32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[true, false, true, true, false, false, true, false, true, false]> : tensor<10xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_1, %iterArg_5 = %c_0, %iterArg_6 = %arg0) : tensor<i32>, tensor<i32>, tensor<10xf32>
    cond {
      %c_7 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:2 = func.call @closed_call(%iterArg_5, %iterArg_6) : (tensor<i32>, tensor<10xf32>) -> (tensor<i32>, tensor<10xf32>)
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_7 : tensor<i32>
      stablehlo.return %9, %8#0, %8#1 : tensor<i32>, tensor<i32>, tensor<10xf32>
    }
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.clamp %c_2, %arg1, %c_3 : tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %8 = stablehlo.negate %0#2 : tensor<10xf32>
      stablehlo.return %8 : tensor<10xf32>
    }, {
      %8 = func.call @twice(%0#2) : (tensor<10xf32>) -> tensor<10xf32>
      stablehlo.return %8 : tensor<10xf32>
    }, {
      %8 = func.call @twice(%0#2) : (tensor<10xf32>) -> tensor<10xf32>
      %9 = stablehlo.multiply %8, %0#2 : tensor<10xf32>
      stablehlo.return %9 : tensor<10xf32>
    }) : (tensor<i32>) -> tensor<10xf32>
    %3 = call @_flip(%2) : (tensor<10xf32>) -> tensor<10xf32>
    %4 = call @_where(%c, %2, %3) : (tensor<10xi1>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare GT, %arg1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.convert %5 : (tensor<i1>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %8 = stablehlo.reduce(%2 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %4, %7 : tensor<10xf32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<10xf32>) -> (tensor<i32>, tensor<10xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %3 = stablehlo.add %arg1, %2 : tensor<10xf32>
    return %0, %3 : tensor<i32>, tensor<10xf32>
  }
  func.func private @twice(%arg0: tensor<10xf32>) -> tensor<10xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<10xf32>
    %2 = chlo.erf %arg0 : tensor<10xf32> -> tensor<10xf32>
    %3 = stablehlo.add %1, %2 : tensor<10xf32>
    return %3 : tensor<10xf32>
  }
  func.func private @_flip(%arg0: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<10xf32>
    return %0 : tensor<10xf32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10xi1>, tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}

// Two steppers, and their product, whose path is longer.
module pair (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] step_i,
  output logic [7:0] product_o,
  output logic [1:0] odd_o
);
  logic [3:0] first, second;
  stepper u_first (.clk_i, .rst_ni, .step_i, .sum_o(first), .odd_o(odd_o[0]));
  stepper u_second (.clk_i, .rst_ni, .step_i(first), .sum_o(second), .odd_o(odd_o[1]));
  assign product_o = first * second;
endmodule

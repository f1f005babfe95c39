module rgb_to_yuv (
  input  logic        clk_i,
  input  logic [23:0] rgb_i,
  output logic [23:0] result_o
);
  logic signed [17:0] r, g, b, y, u, v;

  assign r = 18'(rgb_i[23:16]);
  assign g = 18'(rgb_i[15:8]);
  assign b = 18'(rgb_i[7:0]);
  assign y = 18'sd66 * r + 18'sd129 * g + 18'sd25 * b + 18'sd128;
  assign u = -18'sd38 * r - 18'sd74 * g + 18'sd112 * b + 18'sd128;
  assign v = 18'sd112 * r - 18'sd94 * g - 18'sd18 * b + 18'sd128;

  always_ff @(posedge clk_i) result_o <= {y[15:8] + 8'd16, u[15:8] + 8'd128, v[15:8] + 8'd128};
endmodule

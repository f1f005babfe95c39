// Symmetric: taps that share a coefficient are added before they are multiplied.
module fir (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic signed [11:0] x_i,
  input  logic               valid_i,
  output logic signed [26:0] y_o
);
  // the sample of this clock counts as tap 0
  logic signed [11:0] tap_q [1:7];
  logic signed [12:0] ends, second, middle;

  assign ends   = x_i + tap_q[7];
  assign second = tap_q[2] + tap_q[5];
  assign middle = tap_q[3] + tap_q[4];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int i = 1; i < 8; i++) tap_q[i] <= '0;
      y_o <= '0;
    end else if (valid_i) begin
      tap_q[1] <= x_i;
      for (int i = 2; i < 8; i++) tap_q[i] <= tap_q[i-1];
      y_o <= 27'(ends) * -27'sd53 + 27'(second) * 27'sd512 + 27'(middle) * 27'sd1433;
    end
  end
endmodule

// A design for silicon_test: registers that step, cleared by a reset, with gates between them.
module stepper (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] step_i,
  output logic [3:0] sum_o,
  output logic       odd_o
);
  logic [3:0] sum_q;
  logic [3:0] last_q, before_q;
  always_ff @(posedge clk_i) begin
    sum_q <= rst_ni ? sum_q + step_i : 4'd0;
    last_q <= rst_ni ? (sum_q ^ step_i) : 4'd0;
    before_q <= last_q & ~sum_q;
  end
  assign sum_o = sum_q;
  assign odd_o = ^before_q;
endmodule

// A design for silicon_test: registers that step, cleared by a reset, with gates between them, and
// a table that a register addresses.
module stepper (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] step_i,
  output logic [3:0] sum_o,
  output logic       odd_o
);
  logic [3:0] sum_q;
  logic [3:0] last_q, before_q;
  logic [1:0] place_q;
  logic       bit_of [4];
  initial begin
    bit_of[0] = 1'b0;
    bit_of[1] = 1'b1;
    bit_of[2] = 1'b1;
    bit_of[3] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    sum_q <= rst_ni ? sum_q + step_i : 4'd0;
    last_q <= rst_ni ? (sum_q ^ step_i) : 4'd0;
    before_q <= last_q & ~sum_q;
    place_q <= rst_ni ? place_q + step_i[1:0] : 2'd0;
  end
  assign sum_o = sum_q;
  assign odd_o = ^before_q ^ bit_of[place_q];
endmodule

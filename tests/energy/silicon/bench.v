// Steps the design by a fixed sequence and writes its signals as Verilator's traces have them:
// registers change at even times, inputs at the odd ones after.
module bench;
  reg clk = 0, rst = 0;
  reg [3:0] step = 0;
  reg [7:0] state = 8'h5a;
  wire [3:0] sum;
  wire odd;
  integer i;
  stepper u_stepper (.clk_i(clk), .rst_ni(rst), .step_i(step), .sum_o(sum), .odd_o(odd));
  initial begin
    #1 clk = 0;
    for (i = 0; i < 8; i = i + 1) begin #1 clk = 1; #1 clk = 0; rst = i > 5; end
    $dumpfile("trace.vcd");
    $dumpvars(0, bench);
    for (i = 0; i < 60; i = i + 1) begin
      #1 clk = 1;
      #1 clk = 0;
      state = {state[6:0], state[7] ^ state[5] ^ state[4] ^ state[3]};
      step = state[3:0];
    end
    $finish;
  end
endmodule

module absolute_differences (
  input  logic        clk_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [9:0]  result_o
);
  logic [7:0] difference [4];

  for (genvar i = 0; i < 4; i++) begin : gen_lane
    logic [7:0] a, b;
    assign a = a_i[8*i +: 8];
    assign b = b_i[8*i +: 8];
    assign difference[i] = (a < b) ? b - a : a - b;
  end

  always_ff @(posedge clk_i) begin
    result_o <= (10'(difference[0]) + 10'(difference[1])) + (10'(difference[2]) + 10'(difference[3]));
  end
endmodule

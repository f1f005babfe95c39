module priority_encoder (
  input  logic        clk_i,
  input  logic [15:0] request_i,
  output logic [4:0]  result_count_o,
  output logic [3:0]  result_highest_o,
  output logic [15:0] result_one_hot_o,
  output logic        result_parity_o,
  output logic        result_any_o
);
  logic [4:0]  count;
  logic [3:0]  highest;
  logic [15:0] above;

  always_comb begin
    count   = '0;
    highest = '0;
    for (int i = 0; i < 16; i++) begin
      count += 5'(request_i[i]);
      if (request_i[i]) highest = 4'(i);
    end
    above[15] = 1'b0;
    for (int i = 14; i >= 0; i--) above[i] = above[i+1] | request_i[i+1];
  end

  always_ff @(posedge clk_i) begin
    result_count_o   <= count;
    result_highest_o <= highest;
    result_one_hot_o <= request_i & ~above;
    result_parity_o  <= ^request_i;
    result_any_o     <= |request_i;
  end
endmodule

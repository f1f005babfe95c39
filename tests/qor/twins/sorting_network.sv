module sorting_network (
  input  logic        clk_i,
  input  logic [79:0] in_key_i,
  output logic [79:0] result_key_o
);
  // {low, high} of each comparison, in order; Batcher's odd-even merge
  localparam logic [113:0] Pairs = {
    3'd0, 3'd1, 3'd2, 3'd3, 3'd4, 3'd5, 3'd6, 3'd7, 3'd0, 3'd2, 3'd1, 3'd3, 3'd4, 3'd6, 3'd5, 3'd7,
    3'd1, 3'd2, 3'd5, 3'd6, 3'd0, 3'd4, 3'd1, 3'd5, 3'd2, 3'd6, 3'd3, 3'd7, 3'd2, 3'd4, 3'd3, 3'd5,
    3'd1, 3'd2, 3'd3, 3'd4, 3'd5, 3'd6};

  logic [79:0] keys [20];
  assign keys[0] = in_key_i;

  for (genvar i = 0; i < 19; i++) begin : gen_pair
    localparam int Low  = 32'(Pairs[6*(18-i) + 3 +: 3]);
    localparam int High = 32'(Pairs[6*(18-i) +: 3]);
    logic signed [9:0] low, high;
    assign low  = keys[i][10*Low +: 10];
    assign high = keys[i][10*High +: 10];
    for (genvar k = 0; k < 8; k++) begin : gen_key
      if (k == Low) assign keys[i+1][10*k +: 10] = (low > high) ? high : low;
      else if (k == High) assign keys[i+1][10*k +: 10] = (low > high) ? low : high;
      else assign keys[i+1][10*k +: 10] = keys[i][10*k +: 10];
    end
  end

  always_ff @(posedge clk_i) result_key_o <= keys[19];
endmodule

// Round robin of eight: the masked requests first, and of those the lowest.
module arbiter (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [7:0] request_i,
  output logic [7:0] grant_o
);
  logic [7:0] mask_q, high, chosen;

  assign high    = request_i & mask_q;
  assign chosen  = (high != '0) ? high : request_i;
  assign grant_o = chosen & (~chosen + 8'd1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || grant_o[7]) mask_q <= 8'hff;
    else if (grant_o != '0) mask_q <= ~((grant_o << 1) - 8'd1);
  end
endmodule

module gray_lfsr (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        enable_i,
  input  logic [15:0] seed_i,
  input  logic        load_i,
  output logic [7:0]  gray_o,
  output logic [7:0]  binary_o,
  output logic [15:0] random_o
);
  logic [7:0] count_q;

  assign gray_o   = count_q ^ (count_q >> 1);
  assign binary_o = count_q;  // Gray to binary undoes binary to Gray

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q  <= '0;
      random_o <= 16'hACE1;
    end else begin
      if (enable_i) count_q <= count_q + 8'd1;
      if (load_i) random_o <= seed_i;
      else if (enable_i) begin
        random_o <= {random_o[14:0], random_o[15] ^ random_o[13] ^ random_o[12] ^ random_o[10]};
      end
    end
  end
endmodule

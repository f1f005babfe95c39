module saturating_mac (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic signed [7:0]  a_i,
  input  logic signed [7:0]  b_i,
  input  logic               clear_i,
  output logic signed [19:0] sum_o,
  output logic               saturated_o
);
  logic signed [15:0] product;
  logic signed [20:0] exact;
  logic               overflows;

  assign product   = a_i * b_i;
  assign exact     = 21'(clear_i ? 20'sd0 : sum_o) + 21'(product);
  assign overflows = exact[20] != exact[19];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sum_o       <= '0;
      saturated_o <= 1'b0;
    end else begin
      sum_o       <= overflows ? {exact[20], {19{!exact[20]}}} : exact[19:0];
      saturated_o <= overflows;
    end
  end
endmodule

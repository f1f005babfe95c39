module extremes (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic signed [11:0] sample_i,
  input  logic               clear_i,
  output logic signed [11:0] least_o,
  output logic signed [11:0] greatest_o,
  output logic        [11:0] span_o
);
  assign span_o = greatest_o - least_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      least_o    <= 12'sh7ff;
      greatest_o <= 12'sh800;
    end else begin
      if (clear_i || sample_i < least_o) least_o <= sample_i;
      if (clear_i || sample_i > greatest_o) greatest_o <= sample_i;
    end
  end
endmodule

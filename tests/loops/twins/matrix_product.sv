// One product a clock: a counter walks row, column and k, and every sixteenth sum is written.
module matrix_product (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,
  output logic               done_o,
  output logic               a_read_enable_o,
  output logic         [7:0] a_read_address_o,
  input  logic signed [15:0] a_read_data_i,
  output logic               b_read_enable_o,
  output logic         [7:0] b_read_address_o,
  input  logic signed [15:0] b_read_data_i,
  output logic               c_write_enable_o,
  output logic         [7:0] c_write_address_o,
  output logic        [31:0] c_write_data_o
);
  logic               reads_q, adds_q, writes_q, ends_q;
  logic         [3:0] row_q, column_q, k_q;
  logic               first_q, last_q;
  logic         [7:0] at_q, to_q;
  logic signed [31:0] sum_q;

  wire is_last = {row_q, column_q, k_q} == '1;

  always_ff @(posedge clk_i) begin
    {row_q, column_q, k_q} <= reads_q ? {row_q, column_q, k_q} + 12'd1 : '0;
    first_q <= k_q == '0;
    last_q  <= k_q == '1;
    at_q    <= {row_q, column_q};
    to_q    <= at_q;
    if (adds_q) sum_q <= (first_q ? 32'sd0 : sum_q) + 32'(a_read_data_i) * 32'(b_read_data_i);
    reads_q  <= start_i || (reads_q && !is_last);
    adds_q   <= reads_q;
    writes_q <= adds_q && last_q;
    ends_q   <= writes_q && to_q == '1;
    if (!rst_ni) begin
      reads_q  <= 1'b0;
      adds_q   <= 1'b0;
      writes_q <= 1'b0;
      ends_q   <= 1'b0;
    end
  end

  assign a_read_enable_o   = reads_q;
  assign a_read_address_o  = {row_q, k_q};
  assign b_read_enable_o   = reads_q;
  assign b_read_address_o  = {k_q, column_q};
  assign c_write_enable_o  = writes_q;
  assign c_write_address_o = to_q;
  assign c_write_data_o    = sum_q;
  assign done_o            = ends_q;
endmodule

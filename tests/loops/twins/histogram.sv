// Clears the counts, then counts a value a clock: a count that was written last is forwarded.
module histogram (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  output logic        done_o,
  output logic        values_read_enable_o,
  output logic  [7:0] values_read_address_o,
  input  logic  [7:0] values_read_data_i,
  output logic        counts_read_enable_o,
  output logic  [7:0] counts_read_address_o,
  input  logic [15:0] counts_read_data_i,
  output logic        counts_write_enable_o,
  output logic  [7:0] counts_write_address_o,
  output logic [15:0] counts_write_data_o
);
  logic        clears_q, reads_q, looks_q, writes_q, repeats_q, ends_q;
  logic  [7:0] i_q, value_q;
  logic [15:0] written_q, count;

  assign count = (repeats_q ? written_q : counts_read_data_i) + 16'd1;

  always_ff @(posedge clk_i) begin
    i_q       <= clears_q || reads_q ? i_q + 8'd1 : '0;
    value_q   <= values_read_data_i;
    repeats_q <= writes_q && values_read_data_i == value_q;
    written_q <= count;
    clears_q  <= start_i || (clears_q && i_q != '1);
    reads_q   <= (clears_q && i_q == '1) || (reads_q && i_q != '1);
    looks_q   <= reads_q;
    writes_q  <= looks_q;
    ends_q    <= writes_q && !looks_q;
    if (!rst_ni) begin
      clears_q <= 1'b0;
      reads_q  <= 1'b0;
      looks_q  <= 1'b0;
      writes_q <= 1'b0;
      ends_q   <= 1'b0;
    end
  end

  assign values_read_enable_o   = reads_q;
  assign values_read_address_o  = i_q;
  assign counts_read_enable_o   = looks_q;
  assign counts_read_address_o  = values_read_data_i;
  assign counts_write_enable_o  = clears_q || writes_q;
  assign counts_write_address_o = clears_q ? i_q : value_q;
  assign counts_write_data_o    = clears_q ? '0 : count;
  assign done_o                 = ends_q;
endmodule

// Direct form: the taps first, then a sample a clock; products and their sum take a clock each.
module fir (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,
  output logic               done_o,
  output logic               samples_read_enable_o,
  output logic         [6:0] samples_read_address_o,
  input  logic signed [15:0] samples_read_data_i,
  output logic               taps_read_enable_o,
  output logic         [2:0] taps_read_address_o,
  input  logic signed [15:0] taps_read_data_i,
  output logic               filtered_write_enable_o,
  output logic         [6:0] filtered_write_address_o,
  output logic        [34:0] filtered_write_data_o
);
  logic               loads_q, loaded_q, reads_q, multiplies_q, writes_q, ends_q;
  logic         [6:0] n_q, at_q, to_q;
  logic signed [15:0] tap_q [8];
  logic signed [15:0] line_q [1:7];
  logic signed [31:0] product_q [8];
  logic signed [34:0] sum;

  always_comb begin
    sum = '0;
    for (int k = 0; k < 8; k++) sum += 35'(product_q[k]);
  end

  always_ff @(posedge clk_i) begin
    n_q  <= (loads_q && n_q != 7'd7) || (reads_q && n_q != '1) ? n_q + 7'd1 : '0;
    at_q <= n_q;
    to_q <= at_q;
    if (loaded_q) begin
      for (int k = 0; k < 7; k++) tap_q[k] <= tap_q[k+1];
      tap_q[7] <= taps_read_data_i;
    end
    if (loads_q) begin
      for (int k = 1; k < 8; k++) line_q[k] <= '0;
    end else if (multiplies_q) begin
      line_q[1] <= samples_read_data_i;
      for (int k = 2; k < 8; k++) line_q[k] <= line_q[k-1];
    end
    if (multiplies_q) begin
      product_q[0] <= samples_read_data_i * tap_q[0];
      for (int k = 1; k < 8; k++) product_q[k] <= line_q[k] * tap_q[k];
    end
    loads_q      <= start_i || (loads_q && n_q != 7'd7);
    loaded_q     <= loads_q;
    reads_q      <= (loads_q && n_q == 7'd7) || (reads_q && n_q != '1);
    multiplies_q <= reads_q;
    writes_q     <= multiplies_q;
    ends_q       <= writes_q && to_q == '1;
    if (!rst_ni) begin
      loads_q      <= 1'b0;
      loaded_q     <= 1'b0;
      reads_q      <= 1'b0;
      multiplies_q <= 1'b0;
      writes_q     <= 1'b0;
      ends_q       <= 1'b0;
    end
  end

  assign taps_read_enable_o       = loads_q;
  assign taps_read_address_o      = n_q[2:0];
  assign samples_read_enable_o    = reads_q;
  assign samples_read_address_o   = n_q;
  assign filtered_write_enable_o  = writes_q;
  assign filtered_write_address_o = to_q;
  assign filtered_write_data_o    = sum;
  assign done_o                   = ends_q;
endmodule

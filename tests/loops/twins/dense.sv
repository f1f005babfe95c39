// One product a clock; a neuron's bias is read with its first weight, and written with the last.
module dense (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,
  output logic               done_o,
  output logic               input_read_enable_o,
  output logic         [4:0] input_read_address_o,
  input  logic signed  [7:0] input_read_data_i,
  output logic               weight_read_enable_o,
  output logic         [8:0] weight_read_address_o,
  input  logic signed  [7:0] weight_read_data_i,
  output logic               bias_read_enable_o,
  output logic         [3:0] bias_read_address_o,
  input  logic signed [23:0] bias_read_data_i,
  output logic               output_write_enable_o,
  output logic         [3:0] output_write_address_o,
  output logic        [22:0] output_write_data_o
);
  logic               reads_q, adds_q, writes_q, ends_q;
  logic         [3:0] neuron_q, at_q, to_q;
  logic         [4:0] i_q;
  logic               first_q, last_q;
  logic signed [23:0] sum_q;

  always_ff @(posedge clk_i) begin
    {neuron_q, i_q} <= reads_q ? {neuron_q, i_q} + 9'd1 : '0;
    first_q <= i_q == '0;
    last_q  <= i_q == '1;
    at_q    <= neuron_q;
    to_q    <= at_q;
    if (adds_q) begin
      sum_q <= (first_q ? bias_read_data_i : sum_q) +
               24'(input_read_data_i) * 24'(weight_read_data_i);
    end
    reads_q  <= start_i || (reads_q && {neuron_q, i_q} != '1);
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

  assign input_read_enable_o    = reads_q;
  assign input_read_address_o   = i_q;
  assign weight_read_enable_o   = reads_q;
  assign weight_read_address_o  = {neuron_q, i_q};
  assign bias_read_enable_o     = reads_q && i_q == '0;
  assign bias_read_address_o    = neuron_q;
  assign output_write_enable_o  = writes_q;
  assign output_write_address_o = to_q;
  assign output_write_data_o    = sum_q[23] ? 23'd0 : sum_q[22:0];
  assign done_o                 = ends_q;
endmodule

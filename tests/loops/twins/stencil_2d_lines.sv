// The weights first, then a pixel a clock into a window over two kept rows; products and their sum
// take a clock each.
module stencil_2d_lines (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,
  output logic               done_o,
  output logic               image_read_enable_o,
  output logic         [8:0] image_read_address_o,
  input  logic         [7:0] image_read_data_i,
  output logic               weight_read_enable_o,
  output logic         [3:0] weight_read_address_o,
  input  logic signed  [7:0] weight_read_data_i,
  output logic               filtered_write_enable_o,
  output logic         [8:0] filtered_write_address_o,
  output logic        [19:0] filtered_write_data_o
);
  localparam logic [8:0] Last = 9'd323;

  logic               loads_q, loaded_q, reads_q, shifts_q, writes_q, ends_q;
  logic         [8:0] at_q, shifted_q, to_q;
  logic         [4:0] column_q, kept_q;
  logic               has_one_q, has_two_q, has_one_shifted_q, has_two_shifted_q;
  logic signed  [7:0] weight_q [9];
  logic         [7:0] window_q [3][2];
  logic         [7:0] above, further_above, entering [3];
  logic signed [15:0] product_q [9];
  logic signed [19:0] sum;

  systole_ram #(.Width(8), .Depth(18)) u_above (
    .clk_i(clk_i), .read_enable_i(reads_q), .read_address_i(column_q), .read_data_o(above),
    .write_enable_i(shifts_q), .write_address_i(kept_q), .write_data_i(image_read_data_i)
  );
  systole_ram #(.Width(8), .Depth(18)) u_further_above (
    .clk_i(clk_i), .read_enable_i(reads_q), .read_address_i(column_q), .read_data_o(further_above),
    .write_enable_i(shifts_q), .write_address_i(kept_q), .write_data_i(entering[1])
  );

  assign entering[0] = has_two_shifted_q ? further_above : '0;
  assign entering[1] = has_one_shifted_q ? above : '0;
  assign entering[2] = image_read_data_i;

  always_comb begin
    sum = '0;
    for (int i = 0; i < 9; i++) sum += 20'(product_q[i]);
  end

  always_ff @(posedge clk_i) begin
    at_q      <= loads_q && at_q != 9'd8 || reads_q ? at_q + 9'd1 : '0;
    shifted_q <= at_q;
    to_q      <= shifted_q;
    column_q  <= !reads_q || column_q == 5'd17 ? '0 : column_q + 5'd1;
    kept_q    <= column_q;
    if (loads_q) begin
      has_one_q <= 1'b0;
      has_two_q <= 1'b0;
    end else if (column_q == 5'd17) begin
      has_one_q <= 1'b1;
      has_two_q <= has_one_q;
    end
    has_one_shifted_q <= has_one_q;
    has_two_shifted_q <= has_two_q;
    if (loaded_q) begin
      for (int i = 0; i < 8; i++) weight_q[i] <= weight_q[i+1];
      weight_q[8] <= weight_read_data_i;
    end
    for (int i = 0; i < 3; i++) begin
      if (loads_q) begin
        window_q[i][0] <= '0;
        window_q[i][1] <= '0;
      end else if (shifts_q) begin
        window_q[i][0] <= window_q[i][1];
        window_q[i][1] <= entering[i];
      end
      product_q[3*i]   <= $signed({1'b0, window_q[i][0]}) * weight_q[3*i];
      product_q[3*i+1] <= $signed({1'b0, window_q[i][1]}) * weight_q[3*i+1];
      product_q[3*i+2] <= $signed({1'b0, entering[i]}) * weight_q[3*i+2];
    end
    loads_q  <= start_i || (loads_q && at_q != 9'd8);
    loaded_q <= loads_q;
    reads_q  <= (loads_q && at_q == 9'd8) || (reads_q && at_q != Last);
    shifts_q <= reads_q;
    writes_q <= shifts_q;
    ends_q   <= writes_q && to_q == Last;
    if (!rst_ni) begin
      loads_q  <= 1'b0;
      loaded_q <= 1'b0;
      reads_q  <= 1'b0;
      shifts_q <= 1'b0;
      writes_q <= 1'b0;
      ends_q   <= 1'b0;
    end
  end

  assign weight_read_enable_o     = loads_q;
  assign weight_read_address_o    = at_q[3:0];
  assign image_read_enable_o      = reads_q;
  assign image_read_address_o     = at_q;
  assign filtered_write_enable_o  = writes_q;
  assign filtered_write_address_o = to_q;
  assign filtered_write_data_o    = sum;
  assign done_o                   = ends_q;
endmodule

module cordic (
  input  logic               clk_i,
  input  logic signed [15:0] theta_i,
  output logic signed [15:0] result_cosine_o,
  output logic signed [15:0] result_sine_o
);
  localparam int Steps = 12;

  // step 0 lowest
  localparam logic [16*Steps-1:0] Angles = {
    16'd4, 16'd8, 16'd16, 16'd32, 16'd64, 16'd128, 16'd256, 16'd511, 16'd1019, 16'd2007, 16'd3798,
    16'd6434};

  logic signed [15:0] x [Steps+1];
  logic signed [15:0] y [Steps+1];
  logic signed [15:0] z [Steps+1];

  assign x[0] = 16'sd4975;
  assign y[0] = 16'sd0;
  assign z[0] = theta_i;

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    localparam logic signed [15:0] Angle = Angles[16*i +: 16];
    logic turns_back;
    assign turns_back = z[i][15];
    assign x[i+1] = turns_back ? x[i] + (y[i] >>> i) : x[i] - (y[i] >>> i);
    assign y[i+1] = turns_back ? y[i] - (x[i] >>> i) : y[i] + (x[i] >>> i);
    assign z[i+1] = turns_back ? z[i] + Angle : z[i] - Angle;
  end

  always_ff @(posedge clk_i) begin
    result_cosine_o <= x[Steps];
    result_sine_o   <= y[Steps];
  end
endmodule

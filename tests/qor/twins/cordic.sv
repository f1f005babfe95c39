module cordic (
  input  logic               clk_i,
  input  logic signed [15:0] theta_i,
  output logic signed [15:0] result_cosine_o,
  output logic signed [15:0] result_sine_o
);
  localparam int Steps = 12;

  function automatic logic signed [15:0] angle(int step);
    case (step)  // 256, 128, 64, 32, 16, 8, 4 from step 5 on
      0:       return 16'sd6434;
      1:       return 16'sd3798;
      2:       return 16'sd2007;
      3:       return 16'sd1019;
      4:       return 16'sd511;
      default: return 16'sd256 >>> (step - 5);
    endcase
  endfunction

  logic signed [15:0] x [Steps+1];
  logic signed [15:0] y [Steps+1];
  logic signed [15:0] z [Steps+1];

  assign x[0] = 16'sd4975;
  assign y[0] = 16'sd0;
  assign z[0] = theta_i;

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    localparam logic signed [15:0] Angle = angle(i);
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

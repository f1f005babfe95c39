// One counter times the half bit, the eight bits and the stop bit.
module uart_receiver (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       line_i,
  output logic [7:0] byte_o,
  output logic       valid_o
);
  typedef enum logic [1:0] {StIdle, StStart, StData, StStop} state_e;

  state_e     state_q;
  logic [3:0] timer_q;  // clocks until the next sample
  logic [2:0] count_q;
  logic [7:0] bits_q;

  always_ff @(posedge clk_i) begin
    timer_q <= timer_q - 4'd1;
    unique case (state_q)
      StIdle: begin
        timer_q <= 4'd6;
        valid_o <= 1'b0;
        if (!line_i) state_q <= StStart;
      end
      StStart: begin
        count_q <= 3'd7;
        if (timer_q == '0) begin
          timer_q <= 4'd15;
          state_q <= StData;
        end
      end
      StData: begin
        if (timer_q == '0) begin
          bits_q  <= {line_i, bits_q[7:1]};
          count_q <= count_q - 3'd1;
          if (count_q == '0) state_q <= StStop;
        end
      end
      default: begin  // StStop
        if (timer_q == '0) begin
          byte_o  <= bits_q;
          valid_o <= line_i;
          state_q <= StIdle;
        end
      end
    endcase
    if (!rst_ni) begin
      state_q <= StIdle;
      valid_o <= 1'b0;
      byte_o  <= '0;
    end
  end
endmodule

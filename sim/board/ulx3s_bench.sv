// ulx3s_bench: systole_ulx3s with the SDRAM's data bus taken apart, since a C++ test drives no
// tristate wires: the chip's end is driven whenever the board does not.

module ulx3s_bench #(
  parameter int BaudRate = 3_000_000,
  parameter int Patience = 2_097_152
) (
  input  logic        clk_25mhz,
  input  logic        btn_fire1,
  input  logic        ftdi_txd,
  output logic        ftdi_rxd,
  output logic [7:0]  led,
  output logic        sdram_rasn,
  output logic        sdram_casn,
  output logic        sdram_wen,
  output logic [1:0]  sdram_ba,
  output logic [12:0] sdram_a,
  output logic [1:0]  sdram_dqm,
  input  logic [15:0] chip_d,
  output logic [15:0] board_d,
  output logic        board_drives
);

  wire [15:0] sdram_d;

  assign board_drives = !u_top.releases;
  assign board_d      = sdram_d;
  assign sdram_d      = board_drives ? 16'bz : chip_d;

  logic unused_wifi, unused_clk, unused_cke, unused_csn;

  systole_ulx3s #(.BaudRate(BaudRate), .Patience(Patience)) u_top (
    .clk_25mhz,
    .btn_fire1,
    .ftdi_txd,
    .ftdi_rxd,
    .wifi_gpio0 (unused_wifi),
    .led,
    .sdram_clk  (unused_clk),
    .sdram_cke  (unused_cke),
    .sdram_csn  (unused_csn),
    .sdram_rasn,
    .sdram_casn,
    .sdram_wen,
    .sdram_ba,
    .sdram_a,
    .sdram_dqm,
    .sdram_d
  );

endmodule

// The cells of an ECP5 that rtl/shell/systole_ulx3s.sv uses, as simulators and linters need them:
// the clock generator passes its input on, without its division and its phase, and the register of
// a clock's pad its inputs without their clock's delay.

/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */

module EHXPLLL #(
  parameter int    CLKI_DIV     = 1,
  parameter int    CLKFB_DIV    = 1,
  parameter string FEEDBK_PATH  = "CLKOP",
  parameter string CLKOP_ENABLE = "ENABLED",
  parameter int    CLKOP_DIV    = 1,
  parameter int    CLKOP_CPHASE = 0,
  parameter int    CLKOP_FPHASE = 0,
  parameter string CLKOS_ENABLE = "ENABLED",
  parameter int    CLKOS_DIV    = 1,
  parameter int    CLKOS_CPHASE = 0,
  parameter int    CLKOS_FPHASE = 0
) (
  input  logic CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
  input  logic PLLWAKESYNC, ENCLKOP,
  output logic CLKOP, CLKOS, LOCK
);
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  assign LOCK  = !RST;
endmodule

module ODDRX1F (
  input  logic SCLK, RST, D0, D1,
  output logic Q
);
  assign Q = RST ? 1'b0 : SCLK ? D0 : D1;
endmodule

module BB (
  input  logic I,
  input  logic T,
  output logic O,
  inout  wire  B
);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule

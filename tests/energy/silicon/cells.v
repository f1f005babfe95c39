// The cells of small.lib, to simulate a netlist of them.
module INV (input A, output Y); assign Y = !A; endmodule
module BUF (input A, output Y); assign Y = A; endmodule
module NAND2 (input A, input B, output Y); assign Y = !(A & B); endmodule
module NOR2 (input A, input B, output Y); assign Y = !(A | B); endmodule
module DFF (input D, input CK, output reg Q); always @(posedge CK) Q <= D; endmodule

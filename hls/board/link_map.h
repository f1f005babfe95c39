#pragma once

namespace systole::link {

/// The numbers of the link between host and board, for the host and for the hardware.
///
/// Source   docs/board.md
inline constexpr unsigned kMagic = 0x4b4c5953;  ///< "SYLK"
inline constexpr unsigned kVersion = 1;         ///< of this file

inline constexpr unsigned kRequestStart = 0xa5, kReplyStart = 0x5a;

/// Bytes of a request between its start and its payload, of a checksum, of a word.
inline constexpr int kHeaderBytes = 8, kCheckBytes = 4, kWordBytes = 4;
inline constexpr unsigned kMostWords = 1024;  ///< of a request's or a reply's payload

/// Commands.
inline constexpr unsigned kReadIdentity = 0;
inline constexpr unsigned kReadRegisters = 2, kWriteRegisters = 3;
inline constexpr unsigned kReadMemory = 4, kWriteMemory = 5;

/// How a command ended: done; no such command; a register answered with an error; an address
/// outside memory.
inline constexpr unsigned kDone = 0, kUnknown = 1, kRefused = 2, kOutside = 3;

/// Words of the identity.
inline constexpr unsigned kIdentityMagic = 0, kIdentityVersion = 1, kIdentityArraySize = 2,
                          kIdentityMemoryBytes = 3, kIdentityClockKhz = 4, kIdentityWords = 5;

/// CRC-32 as in Ethernet: where it starts, and what it is after a frame and its checksum.
inline constexpr unsigned kCheckStart = 0xffffffff, kCheckResidue = 0xdebb20e3;

}  // namespace systole::link

// Package hashing is SHA-256 at its full speed. It must not know what is hashed.
//
// When Go 1.26 interrupts a goroutine on a processor with AVX-512, it saves and restores the whole
// vector registers, and their upper parts count as used from then on. Until an instruction says that
// they aren't, the processor's instructions for SHA-256 wait for them: 85 to 105 ns a byte instead of
// .8 were measured after a loop of 40 ms. So that instruction is executed before anything is hashed.
package hashing

import (
	"crypto/sha256"
	"strings"
)

// Size is the length of a sum in bytes.
const Size = sha256.Size

// Sum256 returns the SHA-256 of data.
func Sum256(data []byte) [Size]byte {
	Ready()
	return sha256.Sum256(data)
}

// Ready makes the next hash in this goroutine fast. It takes a few nanoseconds.
func Ready() {
	// The library looks for a byte 32 bytes at a time where it can, and then ends with the
	// instruction.
	_ = strings.IndexByte(nothing, 1)
}

const nothing = "................................................................"

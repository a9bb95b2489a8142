//go:build cgo

// Package parsers owns how the tables of the generated parsers are kept: packed in
// the program, and unpacked once a language is asked for. Its subfolders are the
// parsers. It must not know any of them.
package parsers

// #include <stdlib.h>
import "C"

import (
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unsafe"
)

//go:generate go run generate.go

// Unpack returns where the tables of one language are in memory, for good: C keeps
// pointers into them, so that they can't be where Go's collector is. The packed
// tables begin with their length.
func Unpack(packed string) unsafe.Pointer {
	size := int(binary.LittleEndian.Uint32([]byte(packed[:4])))
	memory := C.malloc(C.size_t(size))
	if memory == nil {
		panic("no memory for the tables of a parser")
	}
	if _, err := io.ReadFull(flate.NewReader(strings.NewReader(packed[4:])), unsafe.Slice((*byte)(memory), size)); err != nil {
		panic(fmt.Sprintf("tables of a parser: %v", err)) // they are part of the program
	}
	return memory
}

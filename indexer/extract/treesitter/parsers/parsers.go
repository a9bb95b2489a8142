//go:build cgo

// Package parsers owns how the tables of the generated parsers are kept: packed in
// the program, and unpacked once a language is asked for. Its subfolders are the
// parsers. It must not know any of them.
package parsers

// #include <stdlib.h>
import "C"

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/klauspost/compress/zstd"
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
	into := unsafe.Slice((*byte)(memory), size)
	unpacked, err := decode([]byte(packed[4:]), into[:0])
	if err != nil || len(unpacked) != size {
		panic(fmt.Sprintf("tables of a parser: %d bytes of %d: %v", len(unpacked), size, err)) // they are part of the program
	}
	if &unpacked[0] != &into[0] { // it may have wanted more room
		copy(into, unpacked)
	}
	return memory
}

// decode appends what was packed. A decoder is made for each of the few languages, as it would
// keep some megabytes of buffers otherwise.
func decode(packed, into []byte) ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(packed, into)
}

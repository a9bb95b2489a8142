package scip

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// The wire types of protocol buffers
// (https://protobuf.dev/programming-guides/encoding/).
const (
	wireVarint     = 0
	wireFixed64    = 1
	wireBytes      = 2
	wireStartGroup = 3
	wireEndGroup   = 4
	wireFixed32    = 5
)

// maxGroups is how deep groups may nest. SCIP has none.
const maxGroups = 100

var errWire = errors.New("it is no protocol buffer message")

// varint returns the number at the start of data and what follows it.
func varint(data []byte) (v uint64, rest []byte, err error) {
	v, size := binary.Uvarint(data)
	switch {
	case size == 0:
		return 0, nil, io.ErrUnexpectedEOF
	case size < 0:
		return 0, nil, errWire
	}
	return v, data[size:], nil
}

// tag returns the number and the wire type of the field at the start of data, and what
// follows them.
func tag(data []byte) (number, wire int, rest []byte, err error) {
	v, rest, err := varint(data)
	if err != nil {
		return 0, 0, nil, err
	}
	if n := v >> 3; n < 1 || n > math.MaxInt32 {
		return 0, 0, nil, errWire
	}
	return int(v >> 3), int(v & 7), rest, nil
}

// take returns the first n bytes of data, not nil, and what follows them.
func take(data []byte, n uint64) (value, rest []byte, err error) {
	if n > uint64(len(data)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return data[:n:n], data[n:], nil
}

// bytesOf returns the length-delimited value at the start of data and what follows it.
func bytesOf(data []byte) (value, rest []byte, err error) {
	n, rest, err := varint(data)
	if err != nil {
		return nil, nil, err
	}
	return take(rest, n)
}

// skip returns what follows the value of a field.
func skip(number, wire int, data []byte, groups int) (rest []byte, err error) {
	switch wire {
	case wireVarint:
		_, rest, err = varint(data)
	case wireFixed32:
		_, rest, err = take(data, 4)
	case wireFixed64:
		_, rest, err = take(data, 8)
	case wireBytes:
		_, rest, err = bytesOf(data)
	case wireStartGroup:
		return skipGroup(number, data, groups)
	default:
		err = errWire
	}
	return rest, err
}

func skipGroup(number int, data []byte, groups int) (rest []byte, err error) {
	if groups == maxGroups {
		return nil, errWire
	}
	for {
		n, wire, rest, err := tag(data)
		if err != nil {
			return nil, err
		}
		if wire == wireEndGroup {
			if n != number {
				return nil, errWire
			}
			return rest, nil
		}
		if data, err = skip(n, wire, rest, groups+1); err != nil {
			return nil, err
		}
	}
}

// fields calls f with each field of a message: its number, and its value as a varint
// or, for a length-delimited field, as non-nil bytes.
func fields(data []byte, f func(n int, number uint64, value []byte) error) error {
	for len(data) > 0 {
		n, wire, rest, err := tag(data)
		if err != nil {
			return err
		}
		var number uint64
		var value []byte
		switch wire {
		case wireVarint:
			number, data, err = varint(rest)
		case wireBytes:
			value, data, err = bytesOf(rest)
		default:
			data, err = skip(n, wire, rest, 0)
		}
		if err == nil {
			err = f(n, number, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package scip

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// byProtowire is fields as Google's library reads a message.
func byProtowire(data []byte, f func(n int, number uint64, value []byte) error) error {
	for len(data) > 0 {
		n, typ, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		var number uint64
		var value []byte
		switch typ {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			if value, size = protowire.ConsumeBytes(data); value == nil {
				value = []byte{}
			}
		default:
			size = protowire.ConsumeFieldValue(n, typ, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		if err := f(int(n), number, value); err != nil {
			return err
		}
	}
	return nil
}

type fieldReader func([]byte, func(n int, number uint64, value []byte) error) error

func described(read fieldReader, data []byte) (out string, failed bool) {
	err := read(data, func(n int, number uint64, value []byte) error {
		out += fmt.Sprintf("%d %d %v %x\n", n, number, value == nil, value)
		return nil
	})
	return out, err != nil
}

func wireSamples() [][]byte {
	group := protowire.AppendTag(nil, 7, protowire.StartGroupType)
	group = protowire.AppendVarint(protowire.AppendTag(group, 1, protowire.VarintType), 300)
	group = protowire.AppendTag(protowire.AppendTag(group, 8, protowire.StartGroupType), 8, protowire.EndGroupType)
	open := bytes.Clone(group)
	group = protowire.AppendTag(group, 7, protowire.EndGroupType)
	fixed := protowire.AppendFixed32(protowire.AppendTag(nil, 3, protowire.Fixed32Type), 9)
	fixed = protowire.AppendFixed64(protowire.AppendTag(fixed, 4, protowire.Fixed64Type), 9)
	return [][]byte{
		nil, index(), group, open, fixed, fixed[:len(fixed)-1],
		protowire.AppendVarint(protowire.AppendTag(nil, math.MaxInt32, protowire.VarintType), math.MaxUint64),
		protowire.AppendVarint(nil, (math.MaxInt32+1)<<3),    // too large a number
		protowire.AppendVarint(nil, 0),                       // field 0
		protowire.AppendTag(nil, 7, protowire.EndGroupType),  // an end without a start
		protowire.AppendTag(nil, 7, 6),                       // a reserved type
		protowire.AppendTag(open, 9, protowire.EndGroupType), // the end of another
		{0x08, 0x80}, // a truncated number
		{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, // one that overflows
		{0x12, 0x05, 'a'}, {0x12, 0x00}, {0x12},
	}
}

// TestFieldsAreThoseOfProtowire on sound and damaged messages.
func TestFieldsAreThoseOfProtowire(t *testing.T) {
	for _, data := range wireSamples() {
		sameAsProtowire(t, data)
	}
	deep := bytes.Repeat(protowire.AppendTag(nil, 7, protowire.StartGroupType), 1_000_000)
	if _, failed := described(fields, deep); !failed {
		t.Error("groups nest without a limit")
	}
}

func FuzzFieldsAreThoseOfProtowire(f *testing.F) {
	for _, data := range wireSamples() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < maxGroups { // the limits of nested groups differ
			sameAsProtowire(t, data)
		}
	})
}

func sameAsProtowire(t *testing.T, data []byte) {
	t.Helper()
	want, wantFailed := described(byProtowire, data)
	if got, failed := described(fields, data); got != want || failed != wantFailed {
		t.Errorf("%x:\n%sfails: %v, protowire:\n%sfails: %v", data, got, failed, want, wantFailed)
	}
}

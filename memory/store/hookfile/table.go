package hookfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
)

// A table is blocks of sorted keys and values, an index with the first key of each block, and a
// footer. Each block and the index end in a checksum.
const (
	blockSize  = 8 << 10 // from which a block is closed, in bytes
	footerSize = 40
	magic      = "☞HF\x01"
)

type tableWriter struct {
	out    io.Writer
	at     int64
	block  []byte
	first  []byte // key of the block
	starts []byte // offset and size of each block
	keys   []byte // their first keys
	ends   []byte // where each key ends in keys
	err    error
}

func (t *tableWriter) put(key, value []byte) {
	if len(t.block) == 0 {
		t.first = append(t.first[:0], key...)
	}
	t.block = binary.AppendUvarint(t.block, uint64(len(key)))
	t.block = append(t.block, key...)
	t.block = binary.AppendUvarint(t.block, uint64(len(value)))
	t.block = append(t.block, value...)
	if len(t.block) >= blockSize {
		t.flush()
	}
}

func (t *tableWriter) write(data []byte) {
	if t.err == nil {
		_, t.err = t.out.Write(data)
	}
	t.at += int64(len(data))
}

func (t *tableWriter) flush() {
	if len(t.block) == 0 {
		return
	}
	t.starts = binary.LittleEndian.AppendUint64(t.starts, uint64(t.at))
	t.starts = binary.LittleEndian.AppendUint32(t.starts, uint32(len(t.block)))
	t.keys = append(t.keys, t.first...)
	t.ends = binary.LittleEndian.AppendUint32(t.ends, uint32(len(t.keys)))
	t.write(binary.LittleEndian.AppendUint32(t.block, crc32.ChecksumIEEE(t.block)))
	t.block = t.block[:0]
}

// finish writes the index and the footer, and returns the size of the table.
func (t *tableWriter) finish(s statistics) (int64, error) {
	t.flush()
	blocks, from := len(t.ends)/4, t.at
	index := bytes.Join([][]byte{t.starts, t.ends, t.keys}, nil)
	t.write(binary.LittleEndian.AppendUint32(index, crc32.ChecksumIEEE(index)))
	foot := append(make([]byte, 0, footerSize), magic...)
	foot = append(foot, 0, 0)
	foot = foot[:8]
	foot = binary.LittleEndian.AppendUint64(foot, uint64(from))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(blocks))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(s.docs))
	foot = binary.LittleEndian.AppendUint64(foot, uint64(s.words))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(s.spent))
	foot = binary.LittleEndian.AppendUint32(foot, crc32.ChecksumIEEE(foot))
	t.write(foot)
	return t.at, t.err
}

// statistics describe the documents of a table.
type statistics struct {
	docs, spent int   // all, and the superseded ones among them
	words       int64 // in all of them
}

// table reads one.
type table struct {
	from   io.ReaderAt
	blocks int
	index  []byte
	stats  statistics
	kept   map[int][]byte // blocks that were read: a hook asks for what lies together
}

// openTable reads the index of a table that ends at size.
func openTable(from io.ReaderAt, size int64) (*table, error) {
	foot := make([]byte, footerSize)
	if size < footerSize {
		return nil, fmt.Errorf("a table of %d bytes: %w", size, ErrCorrupt)
	}
	if _, err := from.ReadAt(foot, size-footerSize); err != nil {
		return nil, fmt.Errorf("read the end of the table: %w", err)
	}
	sum := footerSize - 4
	if string(foot[:len(magic)]) != magic || binary.LittleEndian.Uint32(foot[sum:]) != crc32.ChecksumIEEE(foot[:sum]) {
		return nil, fmt.Errorf("the end of the table: %w", ErrCorrupt)
	}
	start := int64(binary.LittleEndian.Uint64(foot[8:]))
	t := &table{from: from, kept: map[int][]byte{}, blocks: int(binary.LittleEndian.Uint32(foot[16:])), stats: statistics{
		docs: int(binary.LittleEndian.Uint32(foot[20:])), words: int64(binary.LittleEndian.Uint64(foot[24:])), spent: int(binary.LittleEndian.Uint32(foot[32:]))}}
	if start < 0 || start > size-footerSize-4 || int64(t.blocks)*16 > size-footerSize-4-start {
		return nil, fmt.Errorf("the index of the table: %w", ErrCorrupt)
	}
	var err error
	t.index, err = readSummed(from, start, size-footerSize-4-start)
	if err != nil {
		return nil, fmt.Errorf("the index of the table: %w", err)
	}
	return t, nil
}

// readSummed reads size bytes and the checksum behind them.
func readSummed(from io.ReaderAt, at, size int64) ([]byte, error) {
	data := make([]byte, size+4)
	if _, err := from.ReadAt(data, at); err != nil {
		return nil, fmt.Errorf("read %d bytes at %d: %w", size, at, err)
	}
	data, sum := data[:size], data[size:]
	if binary.LittleEndian.Uint32(sum) != crc32.ChecksumIEEE(data) {
		return nil, fmt.Errorf("%d bytes at %d: %w", size, at, ErrCorrupt)
	}
	return data, nil
}

// firstKey returns the first key of a block.
func (t *table) firstKey(block int) []byte {
	ends, keys := t.index[12*t.blocks:], t.index[16*t.blocks:]
	from := uint32(0)
	if block > 0 {
		from = binary.LittleEndian.Uint32(ends[4*(block-1):])
	}
	to := binary.LittleEndian.Uint32(ends[4*block:])
	if from > to || int(to) > len(keys) {
		return nil // the checksum of the index rules this out
	}
	return keys[from:to]
}

func (t *table) read(block int) ([]byte, error) {
	if data, ok := t.kept[block]; ok {
		return data, nil
	}
	at := t.index[12*block:]
	data, err := readSummed(t.from, int64(binary.LittleEndian.Uint64(at)), int64(binary.LittleEndian.Uint32(at[8:])))
	if err == nil {
		t.kept[block] = data
	}
	return data, err
}

// each calls f with the keys from low on, in order, until it returns false.
func (t *table) each(low []byte, f func(key, value []byte) bool) error {
	block := sort.Search(t.blocks, func(i int) bool { return bytes.Compare(t.firstKey(i), low) > 0 })
	for block = max(0, block-1); block < t.blocks; block++ {
		data, err := t.read(block)
		if err != nil {
			return err
		}
		d := decoder{data: data}
		for d.more() {
			key, value := d.bytes(), d.bytes()
			if d.bad {
				return d.err("a block")
			}
			if bytes.Compare(key, low) >= 0 && !f(key, value) {
				return nil
			}
		}
	}
	return nil
}

// get returns the value of a key, nil if there is none.
func (t *table) get(key []byte) (value []byte, err error) {
	err = t.each(key, func(k, v []byte) bool {
		if bytes.Equal(k, key) {
			value = v
		}
		return false
	})
	return value, err
}

package hookfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
)

// A table is blocks of sorted keys and values, then blocks of the same form that give the place of each
// of them by its first key, an index with the places of those, and a footer. Each block and the index
// end in a checksum.
const (
	blockSize  = 8 << 10 // from which a block is closed, in bytes
	footerSize = 36
	magic      = "☞HOOK\x02"
)

// blockWriter fills blocks.
type blockWriter struct {
	out    *tableWriter
	block  []byte
	first  []byte // key of the block
	closed func(first, place []byte)
}

func (w *blockWriter) put(key, value []byte) {
	if len(value) >= blockSize {
		w.flush() // who asks for a key before it need not read it
	}
	if len(w.block) == 0 {
		w.first = append(w.first[:0], key...)
	}
	w.block = binary.AppendUvarint(w.block, uint64(len(key)))
	w.block = append(w.block, key...)
	w.block = binary.AppendUvarint(w.block, uint64(len(value)))
	w.block = append(w.block, value...)
	if len(w.block) >= blockSize {
		w.flush()
	}
}

func (w *blockWriter) flush() {
	if len(w.block) == 0 {
		return
	}
	w.closed(w.first, place(w.out.at, len(w.block)))
	w.out.write(binary.LittleEndian.AppendUint32(w.block, crc32.ChecksumIEEE(w.block)))
	w.block = w.block[:0]
}

// place encodes where a block is.
func place(at int64, size int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(at)), uint32(size))
}

const placeSize = 12

// tableWriter writes a table to out.
type tableWriter struct {
	out    io.Writer
	at     int64
	blocks blockWriter
	lower  []byte // first key and place of each block
	err    error
}

func newTableWriter(out io.Writer) *tableWriter {
	t := &tableWriter{out: out}
	t.blocks = blockWriter{out: t, closed: func(first, place []byte) {
		t.lower = append(appendString(t.lower, string(first)), place...)
	}}
	return t
}

func (t *tableWriter) put(key, value []byte) { t.blocks.put(key, value) }

func (t *tableWriter) write(data []byte) {
	if t.err == nil {
		_, t.err = t.out.Write(data)
	}
	t.at += int64(len(data))
}

// finish writes the index and the footer, and returns the size of the table.
func (t *tableWriter) finish(s statistics) (int64, error) {
	t.blocks.flush()
	var index []byte
	upper := blockWriter{out: t, closed: func(first, place []byte) {
		index = append(appendString(index, string(first)), place...)
	}}
	for d := (decoder{data: t.lower}); d.more(); {
		upper.put(d.bytes(), d.take(placeSize))
	}
	upper.flush()
	from := t.at
	t.write(binary.LittleEndian.AppendUint32(index, crc32.ChecksumIEEE(index)))
	foot := append(make([]byte, 0, footerSize), magic...)
	foot = binary.LittleEndian.AppendUint64(foot, uint64(from))
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
	from  io.ReaderAt
	size  int64
	index []indexed
	stats statistics
	kept  map[int64][]byte // blocks that were read: a hook asks for what lies together
}

// indexed is a block of the index.
type indexed struct {
	first []byte
	at    int64
	size  int
}

// indexedAt decodes a block's place; it has no size if that is damaged.
func indexedAt(first, place []byte) indexed {
	if len(place) != placeSize {
		return indexed{}
	}
	return indexed{first, int64(binary.LittleEndian.Uint64(place)), int(binary.LittleEndian.Uint32(place[8:]))}
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
	if start < 0 || start > size-footerSize-4 {
		return nil, fmt.Errorf("the index of the table: %w", ErrCorrupt)
	}
	data, err := readSummed(from, start, size-footerSize-4-start)
	if err != nil {
		return nil, fmt.Errorf("the index of the table: %w", err)
	}
	t := &table{from: from, size: size, kept: map[int64][]byte{}, stats: statistics{
		docs: int(binary.LittleEndian.Uint32(foot[16:])), words: int64(binary.LittleEndian.Uint64(foot[20:])), spent: int(binary.LittleEndian.Uint32(foot[28:]))}}
	d := decoder{data: data}
	for d.more() {
		t.index = append(t.index, indexedAt(d.bytes(), d.take(placeSize)))
	}
	return t, d.err("the index of the table")
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

func (t *table) read(b indexed) ([]byte, error) {
	if data, ok := t.kept[b.at]; ok {
		return data, nil
	}
	if b.at < 0 || b.at > t.size-int64(b.size) {
		return nil, fmt.Errorf("a block of %d bytes at %d: %w", b.size, b.at, ErrCorrupt)
	}
	data, err := readSummed(t.from, b.at, int64(b.size))
	if err == nil {
		t.kept[b.at] = data
	}
	return data, err
}

// eachBlock calls f with the blocks that may have keys from low on, in order, until it returns false.
func (t *table) eachBlock(low []byte, f func(indexed) (bool, error)) error {
	at := sort.Search(len(t.index), func(i int) bool { return bytes.Compare(t.index[i].first, low) > 0 })
	for at = max(0, at-1); at < len(t.index); at++ {
		data, err := t.read(t.index[at])
		if err != nil {
			return err
		}
		var last indexed // its keys may still be below low
		for d := (decoder{data: data}); d.more() || last.size > 0; {
			var b indexed
			if d.more() {
				b = indexedAt(d.bytes(), d.bytes())
				if d.bad || b.size == 0 {
					return fmt.Errorf("the index of the table: %w", ErrCorrupt)
				}
			}
			if last.size > 0 && (b.size == 0 || bytes.Compare(b.first, low) > 0) {
				if more, err := f(last); err != nil || !more {
					return err
				}
			}
			last = b
		}
	}
	return nil
}

// each calls f with the keys from low on, in order, until it returns false.
func (t *table) each(low []byte, f func(key, value []byte) bool) error {
	return t.eachBlock(low, func(b indexed) (bool, error) {
		data, err := t.read(b)
		if err != nil {
			return false, err
		}
		d := decoder{data: data}
		for d.more() {
			key, value := d.bytes(), d.bytes()
			if d.bad {
				return false, d.err("a block")
			}
			if bytes.Compare(key, low) >= 0 && !f(key, value) {
				return false, nil
			}
		}
		return true, nil
	})
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

package matrix

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// The file of a matrix: a head of fixed size, the model's name, the keys, zeros up to a multiple of
// 64, and the values in their in-memory layout. It is a cache: a bad file is built again.
//
// History: 1, the first.
const (
	magic    = "manicule matrix\n"
	version  = 1
	headSize = len(magic) + 8*4
	align    = 64
)

// errNoMatrix is returned for a file that is damaged, or belongs to another version or model.
var errNoMatrix = errors.New("no matrix of this model")

// castagnoli has a hardware instruction on common processors.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Save writes the matrix into a file atomically.
func (m *Matrix) Save(path string) error {
	m.mu.RLock()
	head, keys := m.head()
	body := asBytes(m.data)
	err := atomicfile.WriteParts(path, 0o600, head, keys, body)
	m.mu.RUnlock()
	if err != nil {
		return fmt.Errorf("save the vectors: %w", err)
	}
	return nil
}

// head returns the head of the file, and the model and keys, padded to align the values.
func (m *Matrix) head() (head, keys []byte) {
	keys = appendText(keys, m.model)
	for _, k := range m.keys {
		keys = appendText(keys, k)
	}
	for (headSize+len(keys))%align != 0 {
		keys = append(keys, 0)
	}
	head = append(head, magic...)
	head = binary.LittleEndian.AppendUint32(head, version)
	head = binary.LittleEndian.AppendUint32(head, uint32(m.dims))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(m.keys)))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(keys)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Update(crc32.Checksum(keys, castagnoli()), castagnoli(), asBytes(m.data)))
	return append(head, 0, 0, 0, 0), keys
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Load reads a file that Save wrote for a model. It uses the values in place and decodes nothing.
func Load(path, model string, dims int) (*Matrix, error) {
	data, err := treefile.Read(path, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("load the vectors: %w", err)
	}
	m, err := decode(data, model, dims)
	if err != nil {
		return nil, fmt.Errorf("load the vectors from %s: %w", path, err)
	}
	return m, nil
}

func decode(data []byte, model string, dims int) (*Matrix, error) {
	if len(data) < headSize || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no head", errNoMatrix)
	}
	h := data[len(magic):]
	n, keysLen := binary.LittleEndian.Uint64(h[8:]), binary.LittleEndian.Uint64(h[16:])
	rest := data[headSize:]
	if binary.LittleEndian.Uint32(h) != version || dims <= 0 || int(binary.LittleEndian.Uint32(h[4:])) != dims {
		return nil, fmt.Errorf("%w: another version, or vectors of another length", errNoMatrix)
	}
	if keysLen > uint64(len(rest)) || n > uint64(len(rest)) || n*uint64(dims)*4 != uint64(len(rest))-keysLen {
		return nil, fmt.Errorf("%w: cut off", errNoMatrix)
	}
	if crc32.Checksum(rest, castagnoli()) != binary.LittleEndian.Uint32(h[24:]) {
		return nil, fmt.Errorf("%w: another checksum", errNoMatrix)
	}
	m := New(model, dims)
	if err := m.readKeys(rest[:keysLen], int(n)); err != nil {
		return nil, err
	}
	m.data = asFloats(rest[keysLen:])
	return m, nil
}

func (m *Matrix) readKeys(b []byte, n int) error {
	next := func() (string, bool) {
		size, used := binary.Uvarint(b)
		if used <= 0 || size > uint64(len(b)-used) {
			return "", false
		}
		s := string(b[used : used+int(size)])
		b = b[used+int(size):]
		return s, true
	}
	if name, ok := next(); !ok || name != m.model {
		return fmt.Errorf("%w: it is of %q, want %q", errNoMatrix, name, m.model)
	}
	m.keys, m.row = make([]string, n), make(map[string]int, n)
	for i := range n {
		k, ok := next()
		if _, twice := m.row[k]; !ok || twice {
			return fmt.Errorf("%w: its keys are damaged", errNoMatrix)
		}
		m.keys[i], m.row[k] = k, i
	}
	return nil
}

// little reports whether this machine has the file's byte order.
func little() bool {
	var b [2]byte
	binary.NativeEndian.PutUint16(b[:], 1)
	return b[0] == 1
}

// asBytes returns values as in the file.
func asBytes(v []float32) []byte {
	if len(v) == 0 {
		return nil
	}
	if little() {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
	}
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// asFloats returns bytes as values. It copies them only if they can't be used in place.
func asFloats(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	if p := unsafe.Pointer(unsafe.SliceData(b)); little() && uintptr(p)%unsafe.Alignof(float32(0)) == 0 {
		n := len(b) / 4
		return unsafe.Slice((*float32)(p), n)[:n:n]
	}
	return decodeFloats(b)
}

func decodeFloats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

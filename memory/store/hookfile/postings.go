package hookfile

import (
	"encoding/binary"
	"math"
)

// postings reads the occurrences of a word. A common word has a hundred thousand, of mostly one byte.
type postings struct {
	data      []byte
	at        int // of the next byte
	doc, many int // the occurrence that was read last
	bad       bool
}

func (p *postings) next() bool {
	if p.at >= len(p.data) {
		return false
	}
	step := int(p.data[p.at])
	p.at++
	if step >= 0x80 {
		p.at--
		step = p.number()
	}
	if step < 0 || step>>1 > math.MaxInt32 {
		p.bad = true
		return false
	}
	p.doc += step >> 1
	p.many = 1
	if step&1 != 0 {
		p.many = p.number()
	}
	return !p.bad
}

func (p *postings) number() int {
	n, size := binary.Uvarint(p.data[p.at:])
	if size <= 0 {
		p.bad = true
		return 0
	}
	p.at += size
	return int(n)
}

// skip passes over some numbers.
func (d *decoder) skip(n int) {
	for ; n > 0 && !d.bad; n-- {
		d.number()
	}
}

// positions decodes the places of a word in a document.
func (d *decoder) positions(n int) (out []int) {
	at := 0
	for ; n > 0 && !d.bad; n-- {
		at += int(d.number())
		out = append(out, at)
	}
	return out
}

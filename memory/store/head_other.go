//go:build !unix

package store

import "manicule/indexer/treefile"

// endsOf reads a file as far as [fileScan] searches it.
func endsOf(name string, buf []byte) []byte {
	data, err := treefile.ReadOwn(name, int64(1<<20))
	if err != nil {
		return nil
	}
	if len(data) <= scannedWhole {
		return buf[:copy(buf, data)]
	}
	n := copy(buf, data[:scannedHead])
	return buf[:n+copy(buf[n:], data[len(data)-scannedTail:])]
}

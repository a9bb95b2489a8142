//go:build !unix

package store

import "manicule/indexer/treefile"

// headOf reads the beginning of a file.
func headOf(name string, buf []byte) []byte {
	data, err := treefile.ReadOwn(name, int64(1<<20))
	if err != nil {
		return nil
	}
	return buf[:copy(buf, data)]
}

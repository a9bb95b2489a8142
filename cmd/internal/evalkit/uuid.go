package evalkit

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"time"
)

// UUID returns a version 7 UUID with a random part from rng, so that a generated
// workspace is the same in each run.
func UUID(rng *rand.Rand, at time.Time) string {
	var b [16]byte
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	for i := 6; i < 16; i++ {
		b[i] = byte(rng.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x70, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

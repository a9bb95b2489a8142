package matrix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"manicule/indexer/must"
)

// random is a matrix of n random vectors, the same for the same seed.
func random(n, dims int, seed uint64) (*Matrix, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 1))
	m := New("minilm", dims)
	for i := range n {
		if err := m.Set(fmt.Sprintf("key %d", i), vector(r, dims)); err != nil {
			panic(err) // of the right length
		}
	}
	return m, r
}

func vector(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// naive scores every key that is kept and sorts.
func naive(m *Matrix, q []float32, k int, keep func(string) bool) []string {
	type pair struct {
		key   string
		score float64
	}
	var all []pair
	for key, i := range m.row {
		if !keep(key) {
			continue
		}
		s := 0.0
		for d := range m.dims {
			s += float64(q[d]) * float64(m.data[i*m.dims+d])
		}
		all = append(all, pair{key, s})
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
	var out []string
	for _, p := range all[:min(k, len(all))] {
		out = append(out, p.key)
	}
	return out
}

func keys(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Key)
	}
	return out
}

// TestSearchIsExact: it finds what scoring everything finds, before and after
// changes, in all and in a part.
func TestSearchIsExact(t *testing.T) {
	m, r := random(500, 37, 7)
	for range 100 {
		m.Delete(fmt.Sprintf("key %d", r.IntN(500)))
		must.OK(t, m.Set(fmt.Sprintf("key %d", r.IntN(600)), vector(r, 37)))
	}
	for range 50 {
		q, k := vector(r, 37), r.IntN(20)
		got, err := m.Search(q, k)
		if want := naive(m, q, k, func(string) bool { return true }); err != nil || !slices.Equal(keys(got), want) {
			t.Fatalf("k = %d: %v, want %v: %v", k, keys(got), want, err)
		}
		among := []string{"absent"}
		for i := range 30 {
			among = append(among, fmt.Sprintf("key %d", i*i%500))
		}
		slices.Sort(among)
		among = slices.Compact(among)
		got, err = m.SearchAmong(q, k, among)
		if want := naive(m, q, k, func(s string) bool { return slices.Contains(among, s) }); err != nil || !slices.Equal(keys(got), want) {
			t.Fatalf("among: %v, want %v: %v", keys(got), want, err)
		}
	}
}

func TestLengthsAreHeld(t *testing.T) {
	m, _ := random(3, 4, 1)
	if err := m.Set("x", make([]float32, 5)); err == nil {
		t.Error("a vector of another length was taken")
	}
	if _, err := m.Search(make([]float32, 3), 1); err == nil {
		t.Error("a query of another length was answered")
	}
}

func TestEqualScoresComeByKey(t *testing.T) {
	m := New("m", 1)
	for _, k := range []string{"d", "b", "a", "c"} {
		must.OK(t, m.Set(k, []float32{1}))
	}
	got, err := m.Search([]float32{1}, 2)
	if err != nil || !slices.Equal(keys(got), []string{"a", "b"}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	for _, n := range []int{0, 1, 200} {
		m, r := random(n, 19, 3)
		path := filepath.Join(t.TempDir(), "m.bin")
		must.OK(t, m.Save(path))
		back, err := Load(path, "minilm", 19)
		if err != nil || back.Len() != n {
			t.Fatalf("%d of %d: %v", back.Len(), n, err)
		}
		if !slices.Equal(m.keys, back.keys) || !slices.Equal(m.data, back.data) {
			t.Error("another content")
		}
		// What was loaded can be changed and grows.
		if err := back.Set("new", vector(r, 19)); err != nil || back.Len() != n+1 {
			t.Errorf("%d: %v", back.Len(), err)
		}
	}
}

// TestLoadRefuses: of another model, of another length, cut off, changed.
func TestLoadRefuses(t *testing.T) {
	m, _ := random(20, 8, 5)
	path := filepath.Join(t.TempDir(), "m.bin")
	must.OK(t, m.Save(path))
	if _, err := Load(path, "other", 8); !errors.Is(err, errNoMatrix) {
		t.Errorf("another model: %v", err)
	}
	if _, err := Load(path, "minilm", 9); !errors.Is(err, errNoMatrix) {
		t.Errorf("another length: %v", err)
	}
	if _, err := Load(path+"x", "minilm", 8); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	data := must.Read(t, path)
	for _, damaged := range [][]byte{data[:len(data)-4], append(slices.Clone(data), 0, 0, 0, 0), flipped(data, len(data)-1), flipped(data, headSize+2), nil} {
		if _, err := decode(damaged, "minilm", 8); !errors.Is(err, errNoMatrix) {
			t.Errorf("damaged: %v", err)
		}
	}
}

func flipped(data []byte, at int) []byte {
	out := slices.Clone(data)
	out[at] ^= 1
	return out
}

func TestDecodeFloats(t *testing.T) {
	v := []float32{1, -2.5, 3e-9}
	if got := decodeFloats(asBytes(v)); !slices.Equal(got, v) {
		t.Errorf("%v", got)
	}
	if !bytes.Equal(asBytes(nil), nil) {
		t.Error("nothing became something")
	}
}

func FuzzDecode(f *testing.F) {
	m, _ := random(3, 8, 5)
	head, keys := m.head()
	f.Add(slices.Concat(head, keys, asBytes(m.data)))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := decode(data, "minilm", 8); err == nil {
			_, _ = m.Search(make([]float32, 8), 3) // it must not panic
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		m, r := random(n, 384, 9)
		q := vector(r, 384)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Search(q, 30); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		m, _ := random(n, 384, 9)
		path := filepath.Join(b.TempDir(), "m.bin")
		must.OK(b, m.Save(path))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Load(path, "minilm", 384); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package graph

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestAlarms holds the thresholds.
func TestAlarms(t *testing.T) {
	tests := []struct {
		symbols int
		bytes   int64
		p99     time.Duration
		want    string
	}{
		{500_000, 500 << 20, 100 * time.Millisecond, ""},
		{500_001, 0, 0, "the graph has 500001 symbols"},
		{0, 501 << 20, 0, "graph.db has 501 MB"},
		{0, 0, 101 * time.Millisecond, "one of a hundred questions takes 101 ms"},
	}
	for _, tt := range tests {
		got := strings.Join(exceededThresholds(tt.symbols, tt.bytes, tt.p99), "; ")
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestMeasure holds that slow questions are found, remembered and told.
func TestMeasure(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	if st, err := ix.State(t.Context()); err != nil || st.Slow != 0 || len(st.Alarms) > 0 {
		t.Errorf("before: %+v, %v", st, err)
	}
	at := time.Now()
	ix.held.o.Now = func() time.Time { // a machine on which everything takes long
		at = at.Add(150 * time.Millisecond)
		return at
	}
	if p99, err := ix.Measure(t.Context()); err != nil || p99 != 150*time.Millisecond {
		t.Errorf("%v, %v", p99, err)
	}
	st, err := s.open().State(t.Context())
	if err != nil || st.Slow != 150*time.Millisecond || len(st.Alarms) != 1 || !strings.Contains(st.Alarms[0], "150 ms") {
		t.Errorf("after: %+v, %v", st, err)
	}
}

// TestMeasureClosed: who closes the graph while it is measured does not end the process.
func TestMeasureClosed(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	ix := s.open()
	at, closed := time.Now(), 0
	ix.held.o.Now = func() time.Time {
		if ix.mu.TryLock() { // a question is timed, which holds nothing
			closed++
			check(t, ix.held.s.close())
			ix.mu.Unlock()
		}
		at = at.Add(time.Millisecond)
		return at
	}
	if p99, err := ix.Measure(t.Context()); err != nil || p99 != time.Millisecond || closed == 0 {
		t.Errorf("%v, %v, closed %d times", p99, err, closed)
	}
}

// TestMeasuredOnce: a graph that nobody wrote since is not loaded to be measured again.
func TestMeasuredOnce(t *testing.T) {
	s := newSpace(t, shop)
	measure := func(each time.Duration) (time.Duration, *Index) {
		ix, at := s.open(), time.Now()
		s.sync(ix)
		ix.held.o.Now = func() time.Time {
			at = at.Add(each)
			return at
		}
		p99, err := ix.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p99, ix
	}
	if p99, _ := measure(150 * time.Millisecond); p99 != 150*time.Millisecond {
		t.Errorf("at first: %v", p99)
	}
	if p99, ix := measure(200 * time.Millisecond); p99 != 150*time.Millisecond || ix.held.g != nil {
		t.Errorf("again: %v, loaded: %v", p99, ix.held.g != nil)
	}
	s.write("new.go", "package shop\n\nfunc Added() {}\n")
	if p99, _ := measure(250 * time.Millisecond); p99 != 250*time.Millisecond {
		t.Errorf("after a change: %v", p99)
	}
}

// TestOutlineOfOneFile: the outline of a file says what the whole graph says of it, which is not loaded for it.
func TestOutlineOfOneFile(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	whole := s.open()
	g := s.graph(whole)
	ix := s.open()
	for file := range g.byPath {
		got, stale, ok, err := ix.Outline(t.Context(), file)
		if want := g.Outline(file); err != nil || !ok || stale || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %t, %t, %v, want %+v", file, got, stale, ok, err, want)
		}
	}
	if ix.held.g != nil {
		t.Error("the graph was loaded")
	}
	if _, _, ok, err := ix.Outline(t.Context(), "absent.go"); ok || err != nil {
		t.Errorf("of no file: %t, %v", ok, err)
	}
}

func TestStoredSize(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	if n := ix.StoredSize(); n != 0 {
		t.Errorf("before the first index: %d bytes", n)
	}
	s.sync(ix)
	if n := s.open().StoredSize(); n < 4096 {
		t.Errorf("after it: %d bytes", n)
	}
}

// TestFaultsAfterFiles: what read the list of files first has read the faults, too.
func TestFaultsAfterFiles(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	check(t, ix.held.s.note(t.Context(), func(b *batch) error {
		return b.exec(t.Context(), qPutMeta, metaFaults, `{"auth/token.go":"it panicked"}`)
	}))
	ix = s.open()
	_, err := ix.Files(t.Context())
	check(t, err)
	st, err := ix.State(t.Context())
	check(t, err)
	if len(st.Faults) != 1 {
		t.Errorf("%d faults are known", len(st.Faults))
	}
}

// TestReadFilesKeepsLittle: what the declarations of a file were decoded from is not kept beside them.
func TestReadFilesKeepsLittle(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	h := s.open().held
	check(t, h.s.open(t.Context()))
	kept, err := h.s.readFiles(t.Context(), qLoadDecls, 2)
	if check(t, err); len(kept) == 0 {
		t.Fatal("no file was read")
	}
	for _, k := range kept {
		if k.blobs[0] != nil || k.file == nil {
			t.Errorf("%s: what was decoded is kept beside the declarations", k.path)
		}
	}
}

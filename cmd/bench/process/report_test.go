package process

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	b := &report{megabytes: 25, initMillis: 100, floorMillis: 2, ratio: 1000}
	err := b.withinBudget()
	if err == nil || !strings.Contains(err.Error(), "median of the hook") || !strings.Contains(err.Error(), "initialisation") || strings.Contains(err.Error(), "size") {
		t.Errorf("withinBudget = %v", err)
	}
}

// TestTimesTable: sizes stand beside each other, and a name that comes twice is two lines.
func TestTimesTable(t *testing.T) {
	ms := func(n int) sample { return slices.Repeat(sample{time.Duration(n) * time.Millisecond}, 3) }
	b := &report{n: 3, rows: []row{
		{1000, "hook", ms(2), ms(1), "10", "1", "2"},
		{1000, "– a file", ms(3), nil, "", "1", "2"},
		{1000, "– a file", ms(4), nil, "", "1", "2"},
		{10000, "hook", ms(5), ms(1), "10", "2", "3"},
		{10000, "– a file", ms(6), nil, "", "2", "3"},
		{10000, "– a file", ms(7), nil, "", "2", "3"},
		{10000, "hover", ms(8)[:2], nil, "", "2", "3"},
	}}
	want := `| measured | 1000 memories: median, p99 ms | times static | 10000 memories: median, p99 ms | times static | target ms | load |
|---|---:|---:|---:|---:|---:|---:|
| hook | 2.0, 2.0 | 2.0 | 5.0, 5.0 | 5.0 | 10 | 2–3 |
| – a file | 3.0, 3.0 | – | 6.0, 6.0 | – | – | 2–3 |
| – a file | 4.0, 4.0 | – | 7.0, 7.0 | – | – | 2–3 |
| hover (2 runs) |  |  | 8.0, 8.0 | – | – | 2–3 |
`
	if got := b.timesTable().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

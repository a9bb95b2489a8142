package file

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestExtremes: what a file may say at the edge of its types is written so that it can be read again.
func TestExtremes(t *testing.T) {
	const text = `{"uuid": "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", "type": "gotcha", "what": "%s", "created_at": "%s", "lineage": {"version": %d, "change_kind": "create"}}`
	for _, c := range []struct {
		at, want string
		version  int
	}{
		{"9999-12-31T23:30:00-01:00", "9999-12-31T23:59:59.999Z", 1},
		{"0000-01-01T00:30:00+01:00", "0000-01-01T00:00:00.000Z", 1},
		{"2026-04-06T12:00:00Z", "2026-04-06T12:00:00.000Z", math.MaxInt},
	} {
		base := parsed(t, fmt.Sprintf(text, "one", c.at, c.version))
		a, b := base.Clone(), parsed(t, fmt.Sprintf(text, "two", c.at, c.version))
		a.Tags = []string{"tag"}
		m, err := Merge(base, a, b)
		must.OK(t, err)
		data, err := m.Marshal()
		must.OK(t, err)
		again, err := Parse(data)
		if err != nil {
			t.Fatalf("%s, version %d: %v:\n%s", c.at, c.version, err, data)
		}
		if again.What != "two" || len(again.Tags) != 1 || !strings.Contains(string(data), `"created_at": "`+c.want+`"`) {
			t.Errorf("%s:\n%s", c.at, data)
		}
		if changed, err := MarkDeleted(m, base, "ada", base.CreatedAt); err != nil || !changed || m.Lineage.Version < 1 {
			t.Errorf("%s: after a deletion the version is %d, %v", c.at, m.Lineage.Version, err)
		}
	}
	if at := At(time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)); at.Year() != 9999 {
		t.Errorf("a clock far ahead says %v", at)
	}
}

// TestNestedMembers reads files with members that are nested as deep as JSON may be: their faults are found in time that
// grows with their length.
func TestNestedMembers(t *testing.T) {
	const depth = 9000
	nested := strings.Repeat(`["a",`, depth) + "1" + strings.Repeat("]", depth)
	for _, c := range []struct{ text, where string }{
		{`{"format":1,"x":` + nested + `}`, "1:1"},
		{`{"format":1,"x":` + nested + ",\n" + `"tags":["a","b",3]}`, "2:17"},
		{`{"format":1,"x":` + nested + ",\n" + `"lineage":{"y":` + nested + ",\n" + `"version":"2"}}`, "3:11"},
	} {
		allocs := testing.AllocsPerRun(1, func() {
			_, _ = Parse([]byte(c.text))
		})
		if allocs > 3*depth {
			t.Errorf("%.0f allocations for %d levels", allocs, depth)
		}
		_, err := Parse([]byte(c.text))
		e, _ := errors.AsType[*Error](err)
		if e == nil || fmt.Sprintf("%d:%d", e.Line, e.Column) != c.where {
			t.Errorf("got %+v, want a fault at %s", e, c.where)
		}
	}
}

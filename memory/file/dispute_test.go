package file_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/memory/file"
)

func viewAt(by, says string, minute int) file.Dispute {
	return file.Dispute{By: by, Says: says, At: file.At(time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC))}
}

// said lists views in short.
func said(t file.Trust) string {
	var out []string
	for _, d := range t.Views() {
		out = append(out, d.By+":"+d.Says)
	}
	return strings.Join(out, " ")
}

func TestViews(t *testing.T) {
	one, two := viewAt("ann", "a", 1), viewAt("ben", "b", 2)
	agents := one
	agents.Agent = "claude-code"
	for name, c := range map[string]struct {
		views  []file.Dispute
		listed int // in the member that older versions do not know
		by     string
	}{
		"none":           {nil, 0, ""},
		"one":            {[]file.Dispute{one}, 0, "ann"},
		"an agent's":     {[]file.Dispute{agents}, 1, "ann"},
		"two":            {[]file.Dispute{two, one}, 2, "ben"},
		"without a name": {[]file.Dispute{viewAt("", "no", 1)}, 0, ""},
	} {
		var tr file.Trust
		tr.SetViews(c.views)
		if len(tr.Disputes) != c.listed || tr.DisputedBy != c.by || tr.Disputed() != (len(c.views) > 0) || len(tr.Views()) != len(c.views) {
			t.Errorf("%s: %+v", name, tr)
		}
		m := versioned("Close the pool first", 1, func(m *file.Memory) { m.Trust = tr })
		back, err := file.Parse([]byte(text(t, m)))
		if err != nil || said(back.Trust) != said(tr) {
			t.Errorf("%s: %q came back as %q, %v", name, said(tr), said(back.Trust), err)
		}
	}
	// A version that knows one view at most writes its own and keeps the others.
	var tr file.Trust
	tr.SetViews([]file.Dispute{one, two})
	three := viewAt("cem", "c", 3)
	tr.DisputedBy, tr.DisputedAt, tr.DisputeNote = three.By, &three.At, three.Says
	if got := said(tr); got != "ann:a ben:b cem:c" {
		t.Errorf("with the view of an older version: %s", got)
	}
	// When it settles the dispute, the views that it does not know of are over, too.
	tr.DisputedBy, tr.DisputedAt, tr.DisputeNote = "", nil, ""
	if got := said(tr); got != "" || tr.Disputed() {
		t.Errorf("settled by an older version: %s", got)
	}
}

func TestMergeOfDisputes(t *testing.T) {
	with := func(minute int, views ...file.Dispute) *file.Memory {
		return versioned("Close the pool first", minute, func(m *file.Memory) { m.Trust.SetViews(views) })
	}
	ann, ben, cem := viewAt("ann", "a", 1), viewAt("ben", "b", 2), viewAt("cem", "c", 3)
	for name, c := range map[string]struct {
		base, a, b *file.Memory
		want       string
	}{
		"both dispute":                  {with(0), with(1, ann), with(2, ben), "ann:a ben:b"},
		"both, and one before":          {with(0, ann), with(1, ann, cem), with(2, ann, ben), "ann:a ben:b cem:c"},
		"withdrawn here, another there": {with(0, ann), with(1), with(2, ann, ben), "ben:b"},
		"withdrawn on both sides":       {with(0, ann, ben), with(1, ann), with(2, ben), ""},
		"another view of the same":      {with(0, ann), with(1, viewAt("ann", "x", 4)), with(2, ann, ben), "ben:b ann:x"},
		"disputed on one side":          {with(0), with(1, ann, ben), with(2), "ann:a ben:b"},
	} {
		if m := mustMerge(t, c.base, c.a, c.b); said(m.Trust) != c.want {
			t.Errorf("%s: %q, want %q", name, said(m.Trust), c.want)
		}
	}
}

// TestDisputesAreTexts: what is checked for secrets and orders includes each view.
func TestDisputesAreTexts(t *testing.T) {
	m := versioned("Close the pool first", 1, func(m *file.Memory) {
		m.Trust.SetViews([]file.Dispute{viewAt("ann", "first view", 1), viewAt("ben", "second view", 2)})
	})
	for _, want := range []string{"first view", "second view", "ann"} {
		if !slices.ContainsFunc(m.Texts(), func(x file.Text) bool { return strings.Contains(x.Text, want) }) {
			t.Errorf("%q is in no text", want)
		}
	}
}

package consolidate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

func TestWorded(t *testing.T) {
	texts := []string{"Run the linter and all 12 tests before each commit", "Run the linter and all the 12 tests before each single commit"}
	tests := []struct {
		name, answer, want, err string
	}{
		{"a text", `{"what": "Run the linter and all 12 tests before each single commit."}`, "Run the linter and all 12 tests before each single commit.", ""},
		{"with words around it", "Here it is:\n```json\n{\"what\": \"Run the linter and all 12 tests before each commit\"}\n```", "Run the linter and all 12 tests before each commit", ""},
		{"another number", `{"what": "Run the linter and all 13 tests before each commit"}`, "", "the text differs from “Run the linter and all 12 tests"},
		{"a negation", `{"what": "Never run the linter and all 12 tests before each commit"}`, "", "negates"},
		{"no JSON", "Run the linter.", "", errNoText.Error()},
		{"JSON of another form", `{"text": "Run the linter."}`, "", errNoText.Error()},
		{"broken JSON", `{"what": "Run }`, "", errNoText.Error()},
		{"markup", `{"what": "Run the <b>linter</b> and all 12 tests before each commit"}`, "", errMarkup.Error()},
		{"several lines", `{"what": "Run the linter\nand all 12 tests before each commit"}`, "", errMarkup.Error()},
		{"too long", `{"what": "` + strings.Repeat("Run the linter and all 12 tests before each commit. ", 7) + `"}`, "", errTooLong.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := worded(test.answer, texts)
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q, %v; want %q, %q", got, err, test.want, test.err)
			}
		})
	}
}

// TestWord: a model is asked with the texts alone, and not at all about what must not leave the machine.
func TestWord(t *testing.T) {
	tests := []struct {
		name   string
		change func(*file.Memory)
		err    error
	}{
		{"of the project", func(*file.Memory) {}, nil},
		{"personal", func(m *file.Memory) { m.Visibility = file.Personal }, errPrivate},
		{"tainted", func(m *file.Memory) { m.Trust.Tainted = true }, errOutside},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := openIn(t, t.TempDir())
			kept, other := &file.Memory{What: refresh, Confidence: 0.9, Why: "nobody may read this"}, &file.Memory{What: refresh2, Confidence: 0.4}
			test.change(kept)
			test.change(other)
			put(t, w, kept, other)
			o := Options{Workspace: w, Model: model(t), Expect: expect}
			c := New(o)
			r := find(t, w, o)
			if len(r.Clusters) != 1 {
				t.Fatalf("%d clusters", len(r.Clusters))
			}
			sent := ""
			by := Writer{Model: "tiny", Complete: func(_ context.Context, _, user string, _ int) (string, error) {
				sent = user
				return `{"what": "` + refresh2 + `"}`, nil
			}}
			x := r.Clusters[0]
			var err error
			if x.Wording, err = c.Word(t.Context(), x, by); !errors.Is(err, test.err) {
				t.Fatalf("%v, want %v", err, test.err)
			}
			if err != nil {
				if sent != "" {
					t.Errorf("the model was sent %q", sent)
				}
				return
			}
			if strings.Contains(sent, "nobody may read") || !strings.Contains(sent, refresh) || !strings.Contains(sent, refresh2) {
				t.Errorf("the model was sent %q", sent)
			}
			if out := c.Apply(t.Context(), []Cluster{x}, nil); len(out.Merged) != 1 {
				t.Fatalf("%+v", out)
			}
			h, err := w.Get(t.Context(), x.Kept.UUID)
			must.OK(t, err)
			m := h.Memory
			if m.What != refresh2 || m.GeneratedBy == nil || m.GeneratedBy.Model == nil || *m.GeneratedBy.Model != "tiny" || m.Trust.VerifiedBy == "" || !strings.HasSuffix(m.Lineage.ChangeNote, ", worded by tiny") {
				t.Errorf("merged: %+v", m)
			}
		})
	}
}

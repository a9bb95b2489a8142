package exporter

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestReadMarkdown reads what was written, whatever is in it, and nothing else.
func TestReadMarkdown(t *testing.T) {
	one := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000001", Type: file.Gotcha, Layer: file.AreaContext, What: "Never call **Refresh** (twice) without a deadline",
		Why: "Redis hangs.\n\n- **No** reconnect\n\nSince May", Visibility: file.Project, Importance: file.High, Contributor: "Ada (ops)", Tags: []string{"redis", "auth"},
		Anchors: []anchor.Anchor{{Kind: anchor.KindSymbol, Path: "a.go", Symbol: "Refresh"}}, Scope: file.Scope{"src/`odd`/**", "lib/**"}}
	two := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000002", Type: file.WorkflowRecipe, Layer: file.Guidelines, What: "Run the tests with -race", Visibility: file.Personal, Importance: file.Medium,
		Trust: file.Trust{Deprecated: &file.Deprecation{By: "bob"}}}
	three := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000003", Type: file.WorkflowRecipe, Layer: file.Guidelines, What: "Say it in German", Visibility: file.Personal, Importance: file.Low,
		Trust: file.Trust{Tainted: true}, Owner: &file.Owner{Kind: file.OwnedByAgent, ID: "claude-code"}}
	four := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000004", Type: file.WorkflowRecipe, Layer: file.Guidelines, What: "Trust the proxy", Visibility: file.Project, Importance: file.Low, CreatedAt: file.At(time.Unix(1, 0)),
		Trust: file.Trust{Unreviewed: true}}
	var b bytes.Buffer
	must.OK(t, Markdown(&b, []*file.Memory{four, three, two, one}, Options{Personal: true}))
	got, others, ok := ReadMarkdown(b.Bytes())
	for i := range got {
		if got[i].Line == 0 {
			t.Errorf("no line of %+v", got[i])
		}
		got[i].Line = 0
	}
	want := []Shown{
		{UUID: one.UUID, Type: one.Type, What: one.What, Why: one.Why, Places: []string{"a.go#Refresh", "src/`odd`/**", "lib/**"}, Tags: one.Tags},
		{UUID: two.UUID, Type: two.Type, What: two.What, Personal: true, Past: true},
		{UUID: three.UUID, Type: three.Type, What: three.What, Personal: true, Outside: true, For: "claude-code"},
		{UUID: four.UUID, Type: four.Type, What: four.What, Outside: true},
	}
	if !ok || len(others) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v, want\n%+v of\n%s and not of it %v", ok, got, want, b.String(), others)
	}
	for _, text := range []string{"", "# Memories\n", "# Memories\n\n0 memories.\n", "# Memories\n\n## Gotchas\n\n- **Never** do\n", "# Rules\n" + b.String()} {
		if _, _, ok := ReadMarkdown([]byte(text)); ok {
			t.Errorf("%.40q is read", text)
		}
	}
	// What somebody added, and a memory whose last line is gone, is said not to be read.
	text := strings.Replace(b.String(), "  *Applies to `a.go#Refresh`", "  *Applied to `a.go#Refresh`", 1) + "\nNever push on Fridays\n"
	got, others, ok = ReadMarkdown([]byte(text))
	if !ok || len(got) != 3 || got[0].UUID != two.UUID || len(others) < 2 || !strings.Contains(others[0].Text, one.What) || others[len(others)-1].Text != "Never push on Fridays" {
		t.Errorf("%v %+v, others %v of\n%s", ok, got, others, text)
	}
}

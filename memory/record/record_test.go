package record_test

import (
	"strings"
	"testing"

	"manicule/memory/record"
)

func TestContent(t *testing.T) {
	for _, tt := range []struct{ in, json, text string }{
		{` { "a": [1, 2] } `, `{"a":[1,2]}`, `{"a":[1,2]}`},
		{"plain words", `"plain words"`, "plain words"},
		{`{"a": `, `"{\"a\":"`, `{"a":`},
		{"", `""`, ""},
		{"\xff", `"�"`, "�"},
		{`"quoted"`, `"\"quoted\""`, `"quoted"`},
	} {
		r := record.Record{Content: record.Content(tt.in)}
		if string(r.Content) != tt.json || r.Text() != tt.text {
			t.Errorf("%q: %s, %q", tt.in, r.Content, r.Text())
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    record.Record
		want string
	}{
		{"an identity", record.Record{Kind: record.Identity, Name: "persona"}, ""},
		{"an entry", record.Record{Kind: record.Entry, Parent: "x", Type: "question", Content: record.Content("why?")}, ""},
		{"an entry without a text", record.Record{Kind: record.Entry, Parent: "x", Type: "question", Content: record.Content(" \n")}, "an entry needs a text"},
		{"an entry without its conversation", record.Record{Kind: record.Entry, Type: "question"}, "needs its conversation"},
		{"an entry of no type", record.Record{Kind: record.Entry, Parent: "x", Type: "guess"}, "unknown type"},
		{"a torn object", record.Record{Kind: record.Identity, Name: "persona", Content: record.Content(`{"network": "ask`)}, "begins as a JSON object"},
		{"an object", record.Record{Kind: record.Identity, Name: "persona", Content: record.Content(`{"network": "ask"}`)}, ""},
		{"an entry about JSON", record.Record{Kind: record.Entry, Parent: "x", Type: "question", Content: record.Content("{ or [?")}, ""},
		{"no kind", record.Record{Kind: "wish", Name: "x"}, "unknown kind"},
		{"no name", record.Record{Kind: record.Touchstone, Name: " "}, "needs a name"},
		{"a long name", record.Record{Kind: record.Touchstone, Name: strings.Repeat("é", record.MaxName+1)}, "the name has more"},
		{"a long content", record.Record{Kind: record.Identity, Name: "x", Content: record.Content(strings.Repeat("é", record.MaxContent))}, "the content has more"},
	} {
		err := tt.r.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

package learn

import (
	"testing"

	"manicule/hooks/eventlog"
)

// TestOnlyMemories: a session in which the person only kept or looked up memories was no work, so it has no outcome. With a request
// or a call beside them it was.
func TestOnlyMemories(t *testing.T) {
	p := newPlace(t)
	prompt := func(text string) eventlog.Record { return eventlog.Record{Kind: "prompt", Prompt: text} }
	said := eventlog.Record{Kind: "stop", Text: "Noted."}
	for _, x := range []struct {
		session string
		records []eventlog.Record
		kept    bool
	}{
		{"keeps", []eventlog.Record{prompt("/remember Tokens expire by the clock of the server"), said}, false},
		{"looks up", []eventlog.Record{prompt("/manicule:recall src"), prompt("/forget 1f2e3d4c"), said}, false},
		{"and asks", []eventlog.Record{prompt("/remember Tokens expire by the clock of the server"), prompt("Why does the retry give up?"), said}, true},
		{"and calls", []eventlog.Record{prompt("/remember Tokens expire by the clock of the server"), sh("go test ./queue", "")}, true},
		{"asks", []eventlog.Record{prompt("Why does the retry give up?"), said}, true},
	} {
		before := must(p.w.State().Episodes().Count(t.Context()))(t).All
		p.log(x.session, append(x.records, end())...)
		must(Pending(t.Context(), p.options(), 0))(t)
		if got := must(p.w.State().Episodes().Count(t.Context()))(t).All > before; got != x.kept {
			t.Errorf("%s: an episode is kept: %v, want %v", x.session, got, x.kept)
		}
		if list := must(p.w.State().Sessions().RecordsOf(t.Context(), x.session))(t); len(list) != 1 || list[0].OnlyMemories == x.kept {
			t.Errorf("%s: %d records: %+v", x.session, len(list), list)
		}
	}
}

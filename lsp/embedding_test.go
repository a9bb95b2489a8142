package lsp_test

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// TestEmbeddingIsShown holds that an editor sees how far the code is embedded, once a second at most,
// from a begin to an end.
func TestEmbeddingIsShown(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.ProgressAfter = time.Hour // opening shows no progress of its own
	var passed atomic.Int64
	opts.Now = func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(passed.Load())) }
	told := make(chan func(done, total int), 1)
	opts.OnEmbed = func(_ lsp.Memories, f func(done, total int)) { told <- f }
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	tell := <-told
	for done := range 10 {
		tell(1000+done, 4000) // several in each second
		passed.Add(int64(400 * time.Millisecond))
	}
	tell(4000, 4000)
	tell(4000, 4000) // another round that has nothing to do shows nothing
	ended := func(round int) (token string) {
		t.Helper()
		e.Await(lsptest.When("the progress ended", func(lsptest.State) bool {
			tokens := progressTokens(t, e)
			if len(tokens) < round {
				return false
			}
			token = tokens[round-1]
			kinds, _, _ := progressOf(t, e, token)
			return len(kinds) > 0 && kinds[len(kinds)-1] == "end"
		}))
		return token
	}
	token := ended(1)
	kinds, percents, _ := progressOf(t, e, token)
	if !slices.Equal(kinds, []string{"begin", "report", "report", "report", "end"}) || !slices.Equal(percents, []float64{25, 25, 25, 25}) {
		t.Errorf("%v, %v", kinds, percents)
	}
	passed.Add(int64(time.Second))
	tell(1, 2)
	tell(2, 2)
	if ended(2) == token {
		t.Errorf("the token %s was used twice", token)
	}
}

// progressTokens returns the tokens that the server has asked the editor to show, in order.
func progressTokens(t *testing.T, e *lsptest.Editor) []string {
	t.Helper()
	var out []string
	for _, m := range e.Traffic() {
		var p struct{ Token string }
		if m.Method != protocol.MethodWindowWorkDoneProgressCreate || m.Result {
			continue
		}
		must.OK(t, json.Unmarshal(m.Raw, &p))
		out = append(out, p.Token)
	}
	return out
}

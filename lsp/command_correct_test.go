package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
)

// correctionAnswer is what manicule.correctMemory answers, with changes or without.
type correctionAnswer struct {
	NeedsCorrection bool
	Version         int
	Type, What, Why string
	URI             string
	Accepted        bool
	Code, Reason    string
}

func correct(t *testing.T, e *lsptest.Editor, args ...string) correctionAnswer {
	t.Helper()
	var out correctionAnswer
	must.OK(t, json.Unmarshal([]byte(execute(t, e, "manicule.correctMemory", args...)), &out))
	return out
}

// TestCorrectMemory: a form starts from the server's answer, and sends it back with
// what is right and what was wrong.
func TestCorrectMemory(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	e.Open("a.go")
	id := quoted(uuid1)
	start := correct(t, e, id)
	if !start.NeedsCorrection || start.Version != 1 || start.Type != "gotcha" || start.What != "first" || start.URI != string(e.URI(where+uuid1+".json")) {
		t.Errorf("to start from: %+v", start)
	}
	if shown := e.State().Shown; len(shown) != 0 {
		t.Errorf("a client with a form is shown %v", shown)
	}
	for name, tt := range map[string]struct{ change, code string }{
		"nothing":         {`{"what": "first", "note": "it is wrong", "version": 1}`, "malformed"},
		"a secret":        {`{"why": "ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o", "version": 1}`, "secret"},
		"another version": {`{"what": "second", "version": 7}`, "conflict"},
		"no such type":    {`{"type": "nonsense", "version": 1}`, "malformed"},
	} {
		if got := correct(t, e, id, tt.change); got.Accepted || got.Code != tt.code || got.Reason == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := correct(t, e, id, fmt.Sprintf(`{"what": "what is right", "type": "convention", "note": "it was the cache", "version": %d}`, start.Version)); !got.Accepted {
		t.Fatalf("refused: %+v", got)
	}
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "what is right") || !strings.Contains(got, "convention") || !strings.Contains(got, "verified by ahmed") {
		t.Errorf("hover: %s", got)
	}
	raw, err := e.Call("manicule/history", map[string]string{"uuid": uuid1})
	must.OK(t, err)
	var history struct {
		Versions []struct {
			Kind, Note, Author, Text string
			Current                  bool
		}
	}
	if err := json.Unmarshal(raw, &history); err != nil || len(history.Versions) != 2 {
		t.Fatalf("history: %s %v", raw, err)
	}
	now, before := history.Versions[0], history.Versions[1]
	if now.Kind != "correct" || now.Note != "it was the cache" || now.Author != "ahmed" || !now.Current || !strings.Contains(before.Text, `"first"`) || !strings.Contains(now.Text, `"layer": "guidelines"`) {
		t.Errorf("history: %+v", history)
	}
}

// TestFormsSayWhy: a client whose form shows why nothing was stored is not told so by a message as well.
func TestFormsSayWhy(t *testing.T) {
	e := started(t)
	id := quoted(uuid1)
	secret := `"why": "ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o"`
	if got := correct(t, e, id, "{"+secret+`, "quiet": true}`); got.Accepted || got.Reason == "" {
		t.Errorf("a correction: %+v", got)
	}
	if got := execute(t, e, "manicule.editMemory", id, "{"+secret+`, "quiet": true}`); !strings.Contains(got, `"secret"`) {
		t.Errorf("an edit: %s", got)
	}
	correct(t, e, id, `{"what": "first", "note": "it is wrong"}`) // messages come in their order
	st := e.Await(lsptest.When("a message", func(st lsptest.State) bool { return len(st.Messages) > 0 }))
	if got := st.Messages[0].Message; len(st.Messages) != 1 || !strings.Contains(got, "not stored: nothing was corrected") {
		t.Errorf("%d messages, the first %q", len(st.Messages), got)
	}
}

// TestCorrectWithoutAForm: a client without a form gets the file, and a message on how
// to record what was wrong.
func TestCorrectWithoutAForm(t *testing.T) {
	e := started(t)
	correct(t, e, quoted(uuid1))
	st := e.Await(lsptest.When("the file and a message", func(st lsptest.State) bool { return len(st.Shown) == 1 && len(st.Messages) == 1 }))
	if st.Shown[0].URI != e.URI(where+uuid1+".json") || !strings.Contains(st.Messages[0].Message, "manicule edit ") {
		t.Errorf("shown %s, said %q", st.Shown[0].URI, st.Messages[0].Message)
	}
}

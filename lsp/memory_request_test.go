package lsp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestMemoryRequest holds that an editor's card gets all that it shows, and that its edit is refused
// if the memory was changed since.
func TestMemoryRequest(t *testing.T) {
	e := started(t)
	type card struct {
		UUID, What, Why, Type, URI, Path string
		Instead                          string
		Tags                             []string
		Version                          int
		Location                         *struct{ URI string }
		Disputes                         []struct{ By, Says string }
	}
	execute(t, e, "manicule.editMemory", quoted(uuid1), `{"why": "because\n`+"`code`"+` says so", "tags": ["a", "b"]}`)
	got := askOwn[card](t, e, "manicule/memory", `{"uuid": `+quoted(uuid1)+`}`)
	if got.UUID != uuid1 || got.Version != 2 || !slices.Equal(got.Tags, []string{"a", "b"}) || got.Why != "because\n`code` says so" || got.Location == nil || !strings.HasSuffix(got.URI, uuid1+".json") {
		t.Errorf("%+v", got)
	}
	raw, err := tryExecute(e, "manicule.editMemory", quoted(uuid1), `{"what": "what nobody should lose", "version": 1}`)
	var res struct {
		Accepted bool
		Reason   string
	}
	if err != nil || json.Unmarshal(raw, &res) != nil || res.Accepted || !strings.Contains(res.Reason, "it is at version 2") {
		t.Errorf("an edit of an older version: %s, %v", raw, err)
	}
	execute(t, e, "manicule.editMemory", quoted(uuid1), `{"what": "the next words", "version": 2}`)
	if got := askOwn[card](t, e, "manicule/memory", `{"uuid": `+quoted(uuid1)+`}`); got.What != "the next words" || got.Version != 3 {
		t.Errorf("%+v", got)
	}
	execute(t, e, "manicule.editMemory", quoted(uuid1), `{"type": "dead_end", "instead": "ask the *list*"}`)
	if got := askOwn[card](t, e, "manicule/memory", `{"uuid": `+quoted(uuid1)+`}`); got.Instead != "ask the *list*" {
		t.Errorf("%+v", got)
	}
	if h := hoverText(t, e, "a.go", 2, 5); !strings.Contains(h, `Instead: ask the \\*list\\*`) {
		t.Errorf("the hover: %s", h)
	}
	if _, err := tryExecute(e, "manicule.editMemory", quoted(uuid1), `{"type": "gotcha", "instead": "x"}`); err == nil {
		t.Error("a gotcha says what works instead")
	}
	if got := askOwn[card](t, e, "manicule/memory", `{"uuid": `+quoted(uuid1[28:])+`}`); got.UUID != uuid1 {
		t.Errorf("by its short id: %+v", got)
	}
	execute(t, e, "manicule.disputeMemory", quoted(uuid1), quoted("it is gone"))
	if got := askOwn[card](t, e, "manicule/memory", `{"uuid": `+quoted(uuid1)+`}`).Disputes; len(got) != 1 || got[0].Says != "it is gone" || got[0].By == "" {
		t.Errorf("who disputes it: %+v", got)
	}
	execute(t, e, "manicule.withdrawDispute", quoted(uuid1))
	if got := askOwn[card](t, e, "manicule/memory", `{"uuid": `+quoted(uuid1)+`}`).Disputes; len(got) != 0 {
		t.Errorf("withdrawn, it is disputed: %+v", got)
	}
	for _, params := range []string{`{}`, `{"uuid": "0198f0c2"}`} {
		if _, err := e.Call("manicule/memory", json.RawMessage(params)); err == nil {
			t.Errorf("%s is answered", params)
		}
	}
}

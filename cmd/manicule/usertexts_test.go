package main

import (
	"strings"
	"testing"
	"time"

	"manicule/hooks"
)

// TestHookFaults: faults of one kind are one line with a count, and a hook that was run by hand has no empty words.
func TestHookFaults(t *testing.T) {
	at := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	var entries []hooks.LogEntry
	for i := range 40 {
		entries = append(entries, hooks.LogEntry{Time: at.Add(time.Duration(i) * time.Minute), Agent: "claude-code", Event: "PreToolUse", Message: "the time was up before there was an answer"})
	}
	entries = append(entries, hooks.LogEntry{Time: at.Add(time.Hour), Message: "the event could not be read: stdin is empty"})
	for i := range 2 * faultsShown {
		entries = append(entries, hooks.LogEntry{Time: at.Add(-time.Hour), Agent: "cursor", Message: "disk " + strings.Repeat("I", i)})
	}
	got := hookFaults(entries[:41], "hook.log")
	if len(got) != 2 || got[0].Text != "40 times, last 2026-05-02 10:39:00 claude-code PreToolUse: the time was up before there was an answer" ||
		got[1].Text != "2026-05-02 11:00:00: the event could not be read: stdin is empty" || got[0].Status != statusNote {
		t.Errorf("%+v", got)
	}
	if got := hookFaults(entries, "hook.log"); len(got) != faultsShown {
		t.Errorf("%d kinds of faults are shown", len(got))
	}
}

// TestSignatureShort: a signature of several lines reads as one, and is cut between two parameters.
func TestSignatureShort(t *testing.T) {
	long := "def request( self, method: str, url: UriType, " + strings.Repeat("another: Parameter, ", 12)
	for _, c := range []struct{ in, want string }{
		{"func (c *Command) Execute() error", "func (c *Command) Execute() error"},
		{"def get( self, url: str, )", "def get(self, url: str)"},
		{"func f( a map[ string ]int )", "func f(a map[string]int)"},
		{long[:200] + "…", "def request(self, method: str, url: UriType, another: Parameter, another: Parameter, another: Parameter, …"},
		{strings.Repeat("x", 300), strings.Repeat("x", signatureWidth) + "…"},
	} {
		if got := signatureShort(c.in); got != c.want {
			t.Errorf("%.40s: got %q, want %q", c.in, got, c.want)
		}
	}
}

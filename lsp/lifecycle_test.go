package lsp

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"
)

// TestGate: each phase lets through what the protocol allows in it.
func TestGate(t *testing.T) {
	methods := []string{protocol.MethodInitialize, protocol.MethodTextDocumentHover, "textDocument/definition", protocol.MethodExit}
	for _, c := range []struct {
		phase   phase
		allowed [4]bool // of the methods above; definitions are not served
	}{
		{created, [4]bool{true, false, false, true}},
		{initializing, [4]bool{false, true, false, true}},
		{running, [4]bool{false, true, false, true}},
		{down, [4]bool{false, false, false, true}},
	} {
		life := newLifecycle()
		life.phase.Store(c.phase)
		for i, method := range methods {
			if err := life.gate(method, true); (err == nil) != c.allowed[i] {
				t.Errorf("phase %d, %s: %v, allowed is %v", c.phase, method, err, c.allowed[i])
			}
		}
	}
}

// TestEndsOnce: the first reason to end counts, and nobody waits for giving another.
func TestEndsOnce(t *testing.T) {
	life := newLifecycle()
	life.end(ErrNoShutdown)
	life.end(nil)
	if err := <-life.exit; err != ErrNoShutdown {
		t.Errorf("the reason is %v", err)
	}
}

// TestWaitForEnd reports the end of the process, and not that of the server.
func TestWaitForEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		looked := 0
		if !waitForEnd(ctx, time.Second, func() bool { looked++; return looked < 3 }) || looked != 3 {
			t.Errorf("a process that was gone at the third look: looked %d times", looked)
		}
		if waitForEnd(ctx, time.Second, func() bool { return true }) {
			t.Error("a process that runs is gone")
		}
	})
}

// TestBackgroundOutlivesPanic: what fails there does not end the server.
func TestBackgroundOutlivesPanic(t *testing.T) {
	b := &background{ctx: t.Context(), log: slog.New(slog.DiscardHandler)}
	done := false
	b.spawn(func(context.Context) { panic("at work") })
	b.wait()
	b.spawn(func(context.Context) { done = true })
	b.wait()
	if !done {
		t.Error("nothing runs after a panic")
	}
}

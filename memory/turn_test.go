package memory

import (
	"crypto/rand"
	"testing"

	"manicule/indexer/must"
	"manicule/indexer/workspace"
)

// TestSyncTurn: of syncs that come while one is at work, the first waits for its turn and the others leave it to that.
func TestSyncTurn(t *testing.T) {
	home := t.TempDir()
	p, err := workspace.Discover(t.TempDir(), workspace.Env{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Random: rand.Reader})
	must.OK(t, err)
	done, ok := SyncTurn(t.Context(), p)
	if !ok {
		t.Fatal("the first has no turn")
	}
	const more = 8
	type turn struct {
		done func()
		ok   bool
	}
	turns := make(chan turn, more)
	for range more {
		go func() {
			done, ok := SyncTurn(t.Context(), p)
			turns <- turn{done, ok}
		}()
	}
	for range more - 1 {
		if x := <-turns; x.ok {
			t.Fatal("two are at work")
		}
	}
	done()
	x := <-turns
	if !x.ok {
		t.Fatal("nobody saw what came meanwhile")
	}
	x.done()
	if done, ok = SyncTurn(t.Context(), p); !ok {
		t.Error("afterwards none has a turn")
	}
	done()
}

package services

import (
	"context"
	"errors"
	"testing"
	"time"

	"manicule/memory/embed"
	"manicule/memory/embed/provider"
)

// TestSharedModels: workspaces of one process have one model, as long as any of
// them needs it; other settings have another.
func TestSharedModels(t *testing.T) {
	var m sharedModels
	opened := 0
	open := func() *embed.Service {
		opened++
		none := func(context.Context) (embed.Embedder, error) { return nil, embed.ErrNone }
		return embed.New(embed.Options{Open: []embed.Opener{none}, Idle: time.Minute, Clock: embed.System()})
	}
	closed := func(s *embed.Service) bool {
		_, _, err := s.Embed(t.Context(), embed.Query, []string{"x"}, nil)
		return errors.Is(err, embed.ErrClosed)
	}
	key := modelKey{settings: provider.Settings{Provider: provider.Local}, dir: "/models"}
	first, releaseFirst := m.acquire(key, open)
	second, releaseSecond := m.acquire(key, open)
	key.settings.Model = "another"
	other, releaseOther := m.acquire(key, open)
	if first != second || first == other || opened != 2 {
		t.Fatalf("%d opened, shared %t", opened, first == second)
	}
	for range 2 { // twice is fine
		if err := releaseFirst(); err != nil || closed(second) {
			t.Fatalf("closed under the second: %v", err)
		}
	}
	if err := releaseSecond(); err != nil || !closed(first) || closed(other) {
		t.Errorf("the last one does not close it, or another: %v", err)
	}
	key.settings.Model = ""
	again, releaseAgain := m.acquire(key, open)
	if again == first || closed(again) {
		t.Error("a closed one is handed out again")
	}
	if err := errors.Join(releaseAgain(), releaseOther()); err != nil || len(m.all) != 0 {
		t.Errorf("%d are left, %v", len(m.all), err)
	}
}

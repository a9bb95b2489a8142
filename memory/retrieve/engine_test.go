package retrieve

import (
	"context"
	"errors"
	"testing"
	"time"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
)

// TestModelThatFails holds that words are answered when no meaning can be
// compared, and that the reason is told unless there is just no model.
func TestModelThatFails(t *testing.T) {
	broken := errors.New("the library does not load")
	for name, c := range map[string]struct {
		open  error
		fault bool
	}{
		"broken": {broken, true},
		"none":   {embed.ErrNone, false},
	} {
		t.Run(name, func(t *testing.T) {
			open := func(context.Context) (embed.Embedder, error) { return nil, c.open }
			model := embed.New(embed.Options{Open: []embed.Opener{open}, Idle: time.Hour, Clock: embed.System()})
			defer func() {
				if err := model.Close(); err != nil {
					t.Error(err)
				}
			}()
			e := &Engine{
				Words: func(context.Context, string, int) ([]memory.Hit, error) {
					return []memory.Hit{{Memory: &file.Memory{UUID: "a"}, Score: 1}}, nil
				},
				All: func() []memory.Hit { return nil }, Model: model,
			}
			got, err := e.Search(t.Context(), "question", 5)
			if err != nil || len(got.Found) != 1 || got.Meaning || (got.Fault != nil) != c.fault {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

package client_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"

	"manicule/lsp/client"
)

// silent is an editor that never answers.
type silent struct{ protocol.Client }

func (silent) WorkDoneProgressCreate(ctx context.Context, _ *protocol.WorkDoneProgressCreateParams) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestProgressOfASilentEditor: work goes on beside an editor that doesn't say whether it shows progress.
func TestProgressOfASilentEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client.New(silent{}, nil, slog.New(slog.DiscardHandler))
		c.Capabilities.Progress = true
		if c.CreateProgress(context.Background(), c.NewToken()) {
			t.Error("progress is shown")
		}
	})
}

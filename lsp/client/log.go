package client

import (
	"context"
	"log/slog"
	"strings"

	"go.lsp.dev/protocol"
)

// logHandler writes to the server's log, and from level Info on also to the client's
// (window/logMessage).
type logHandler struct {
	slog.Handler
	client *Client
	open   func() bool
	attrs  []slog.Attr
}

// Logger returns a logger that writes to the server's log, and to the client's while
// open reports that the protocol allows it.
func (c *Client) Logger(open func() bool) *slog.Logger {
	return slog.New(&logHandler{Handler: c.log.Handler(), client: c, open: open})
}

// Enabled reports whether either log takes a level.
func (l *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || l.Handler.Enabled(ctx, level)
}

// Handle writes r to both logs.
func (l *logHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelInfo && l.open() {
		l.send(r)
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

func (l *logHandler) send(r slog.Record) {
	var b strings.Builder
	b.WriteString(r.Message)
	add := func(a slog.Attr) bool {
		if a.Key != "stack" {
			b.WriteString(" " + a.Key + "=" + a.Value.String())
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	p := &protocol.LogMessageParams{Type: messageType(r.Level), Message: b.String()}
	l.client.Post("window/logMessage", func(ctx context.Context) error { return l.client.Conn.LogMessage(ctx, p) })
}

func messageType(level slog.Level) protocol.MessageType {
	switch {
	case level >= slog.LevelError:
		return protocol.MessageTypeError
	case level >= slog.LevelWarn:
		return protocol.MessageTypeWarning
	default:
		return protocol.MessageTypeInfo
	}
}

// WithAttrs returns a handler whose records carry attrs.
func (l *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{Handler: l.Handler.WithAttrs(attrs), client: l.client, open: l.open, attrs: append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)}
}

// WithGroup returns a handler that groups in the server's log only.
func (l *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{Handler: l.Handler.WithGroup(name), client: l.client, open: l.open, attrs: l.attrs}
}

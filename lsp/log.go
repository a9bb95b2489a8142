package lsp

import (
	"context"
	"log/slog"
	"strings"

	"go.lsp.dev/protocol"
)

// clientLog writes to the server's log, and what concerns a person to the
// client's (window/logMessage) too, which the protocol allows from initialize on.
type clientLog struct {
	slog.Handler
	server *server
	attrs  []slog.Attr
}

// Enabled passes what either log wants.
func (l *clientLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || l.Handler.Enabled(ctx, level)
}

// Handle writes r to both logs.
func (l *clientLog) Handle(ctx context.Context, r slog.Record) error {
	if phase := l.server.phase.Load(); r.Level >= slog.LevelInfo && phase != created && phase != down {
		l.send(r)
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

func (l *clientLog) send(r slog.Record) {
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
	l.server.outbox.post(func(ctx context.Context) {
		if err := l.server.client.LogMessage(ctx, p); err != nil {
			l.server.opts.Log.Debug("window/logMessage", "err", err)
		}
	})
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
func (l *clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &clientLog{Handler: l.Handler.WithAttrs(attrs), server: l.server, attrs: append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)}
}

// WithGroup returns a handler that groups for the server's log only.
func (l *clientLog) WithGroup(name string) slog.Handler {
	return &clientLog{Handler: l.Handler.WithGroup(name), server: l.server, attrs: l.attrs}
}

// say shows a person a message.
func (s *server) say(level protocol.MessageType, text string) {
	s.outbox.post(func(ctx context.Context) {
		if err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: level, Message: text}); err != nil {
			s.opts.Log.Debug("window/showMessage", "err", err)
		}
	})
}

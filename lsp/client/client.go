// Package client represents the editor at the other end of the connection: its
// capabilities, and the messages and questions that the server sends to it. It must
// not know memories, documents or the server.
package client

import (
	"context"
	"log/slog"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Client sends messages to one editor. Notifications are queued and sent in order, so
// no caller waits.
type Client struct {
	Conn protocol.Client // for plain requests
	// Capabilities are set once, before any message that reads them is handled.
	Capabilities Capabilities

	notify  func(ctx context.Context, method string, params any) error
	log     *slog.Logger
	outbox  *outbox
	running cancelFuncs
}

// New returns the client on a connection. notify sends a notification that is not part
// of the protocol. log gets messages that can't be sent.
func New(conn protocol.Client, notify func(ctx context.Context, method string, params any) error, log *slog.Logger) *Client {
	return &Client{Conn: conn, notify: notify, log: log, outbox: newOutbox()}
}

// Run sends queued messages until ctx ends.
func (c *Client) Run(ctx context.Context) { c.outbox.run(ctx) }

// Post queues a message. what names it in the log if it can't be sent.
func (c *Client) Post(what string, send func(context.Context) error) {
	c.outbox.post(func(ctx context.Context) {
		if err := send(ctx); err != nil {
			c.log.Debug(what, "err", err)
		}
	})
}

// Notify queues one of our own notifications.
func (c *Client) Notify(method string, params any) {
	c.Post(method, func(ctx context.Context) error { return c.notify(ctx, method, params) })
}

// Info shows the person a message.
func (c *Client) Info(text string) { c.show(protocol.MessageTypeInfo, text) }

// Warn shows the person a warning.
func (c *Client) Warn(text string) { c.show(protocol.MessageTypeWarning, text) }

// Error shows the person an error.
func (c *Client) Error(text string) { c.show(protocol.MessageTypeError, text) }

func (c *Client) show(level protocol.MessageType, text string) {
	c.Post("window/showMessage", func(ctx context.Context) error {
		return c.Conn.ShowMessage(ctx, &protocol.ShowMessageParams{Type: level, Message: text})
	})
}

// Choose asks the person a question and returns the title that they choose. It returns
// "" if they dismiss it, the client can't ask, or it answers what was not offered. It must run outside of the message
// loop, which reads the answer.
func (c *Client) Choose(ctx context.Context, question string, titles ...string) string {
	p := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: question}
	for _, t := range titles {
		p.Actions = append(p.Actions, protocol.MessageActionItem{Title: t})
	}
	chosen, err := c.Conn.ShowMessageRequest(ctx, p)
	if err != nil || chosen == nil || !slices.Contains(titles, chosen.Title) {
		return ""
	}
	return chosen.Title
}

// Open opens a document with the focus on it, and reports whether the client did.
func (c *Client) Open(ctx context.Context, u uri.URI) bool {
	if !c.Capabilities.ShowDocument {
		return false
	}
	res, err := c.Conn.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: u, TakeFocus: new(true)})
	return err == nil && res != nil && res.Success
}

// Reveal shows a range of a document without moving the focus.
func (c *Client) Reveal(ctx context.Context, u uri.URI, at protocol.Range) {
	if !c.Capabilities.ShowDocument {
		return
	}
	if _, err := c.Conn.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: u, TakeFocus: new(false), Selection: &at}); err != nil {
		c.log.Debug("window/showDocument", "err", err)
	}
}

package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/memory/secret"
)

// masking removes secrets from everything sent to a model, because a line of code, or a
// memory that the gate has not checked, may contain one.
func masking(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.CallToolResult:
			for _, c := range r.Content {
				if t, ok := c.(*mcp.TextContent); ok {
					t.Text = secret.Mask(t.Text)
				}
			}
			r.StructuredContent = maskedData(r.StructuredContent)
		case *mcp.ReadResourceResult:
			for _, c := range r.Contents {
				c.Text = secret.Mask(c.Text)
			}
		case *mcp.GetPromptResult:
			for _, m := range r.Messages {
				if t, ok := m.Content.(*mcp.TextContent); ok {
					t.Text = secret.Mask(t.Text)
				}
			}
		}
		return res, nil
	}
}

// maskedData returns a tool's data without secrets. Data without any is returned
// unchanged.
func maskedData(data any) any {
	raw, err := json.Marshal(data)
	if err != nil || data == nil {
		return data
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return data
	}
	if v, changed := secret.MaskTexts(v); changed {
		return v
	}
	return data
}

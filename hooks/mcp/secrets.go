package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/memory/secret"
)

// masking takes secrets out of what goes to a model: a memory that no gate has
// seen, or a line of code, may hold one.
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

// maskedData is a tool's data without secrets; what has none stays as it is.
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

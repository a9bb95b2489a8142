package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"manicule/indexer/must"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSecretsAreMasked: a secret in the code that was found is told to no model.
func TestSecretsAreMasked(t *testing.T) {
	next := func(res mcp.Result) mcp.MethodHandler {
		return masking(func(_ context.Context, _ string, _ mcp.Request) (mcp.Result, error) { return res, nil })
	}
	for _, res := range []mcp.Result{
		&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the password is hunter2secret99"}}, StructuredContent: map[string]any{"items": []any{map[string]any{"what": "the password is hunter2secret99", "id": "0198f0c2"}}}},
		&mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "memory:x", Text: "the password is hunter2secret99"}}},
		&mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "the password is hunter2secret99"}}}},
	} {
		out, err := next(res)(t.Context(), "x", nil)
		must.OK(t, err)
		data, err := json.Marshal(out)
		if err != nil || strings.Contains(string(data), "hunter2") || !strings.Contains(string(data), "[password]") {
			t.Errorf("%s %v", data, err)
		}
	}
}

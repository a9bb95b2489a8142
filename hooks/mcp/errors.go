package mcp

//lint:file-ignore SA1019 Roots and logging go with the next protocol; today's clients have nothing else.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resourceNotFound is the code for a resource that does not exist, up to the revision of 2025-11-25. Later ones have
// that for wrong parameters, which the SDK gives to all.
const resourceNotFound = -32002

// revisionKey is the member of a request's metadata that names the protocol's revision, since there is no handshake.
const revisionKey = "io.modelcontextprotocol/protocolVersion"

// logLevels are the levels of the protocol's log.
func logLevels() []string {
	return strings.Fields("debug info notice warning error critical alert emergency")
}

// coding gives each error the code that the protocol has for it.
func coding(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.SetLoggingLevelParams); ok && method == "logging/setLevel" && !slices.Contains(logLevels(), string(p.Level)) {
			return nil, invalidParams(fmt.Sprintf("there is no log level %q. Try: %s.", said(string(p.Level)), strings.Join(logLevels(), ", ")))
		}
		res, err := next(ctx, method, req)
		if err == nil || method == "initialize" || ctx.Err() != nil {
			return res, err
		}
		wire, has := errors.AsType[*jsonrpc.Error](err)
		switch {
		case !has && isUserError(err):
			return nil, invalidParams(err.Error())
		case !has:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		case (method == "resources/read" || method == "resources/subscribe") && wire.Code == jsonrpc.CodeInvalidParams && !modern(req.GetParams()):
			return nil, &jsonrpc.Error{Code: resourceNotFound, Message: wire.Message, Data: wire.Data}
		}
		return res, err
	}
}

// modern reports whether a request is of a revision without a handshake, which names itself in each.
func modern(p mcp.Params) bool {
	return p != nil && p.GetMeta()[revisionKey] != nil
}

// coded gives an error of the SDK a code where it has none: it refuses what no client may send then, such as a call before
// initialize.
func coded(err error) error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if e.Code == jsonrpc.CodeInvalidRequest && strings.HasSuffix(err.Error(), `missing required "params"`) {
			return invalidParams(`"params" is missing`)
		}
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/nudge"
	"manicule/memory/config"
)

// checkArguments refuses calls whose arguments are not those of the tool, in a sentence that says what
// to give. The library checks them too, but speaks of JSON Schema.
func (s *server) checkArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.GetParams().(*mcp.CallToolParamsRaw)
		if !ok || method != "tools/call" {
			return next(ctx, method, req)
		}
		schema, known := s.inputs[call.Name]
		if !known {
			names := slices.Sorted(maps.Keys(s.inputs))
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no tool %q. Try: %s.", said(call.Name), oneOf(call.Name, names))}
		}
		call.Arguments = asMeant(schema, call.Arguments)
		if err := wrongArguments(call.Name, schema, call.Arguments); err != nil {
			return refusedCall(call, withHint(err))
		}
		res, err := next(ctx, method, req)
		if done, ok := res.(*mcp.CallToolResult); ok && err == nil && s.writes[call.Name] {
			if names := unreadArguments(schema, call.Arguments); len(names) > 0 { // the agent takes for written what is lost
				done.Content = append(done.Content, &mcp.TextContent{Text: fmt.Sprintf("%s was not read: %s takes %s.", strings.Join(names, ", "), call.Name, signature(schema))})
			}
		}
		return res, err
	}
}

// unreadArguments lists the names of arguments that a tool does not have.
func unreadArguments(schema object, raw json.RawMessage) (out []string) {
	args := map[string]any{}
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	properties, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, ok := properties[name]; !ok {
			out = append(out, strconv.Quote(said(name)))
		}
	}
	return out[:min(len(out), maxUnread)]
}

// maxUnread is how many arguments are named that a tool does not have.
const maxUnread = 3

// refusedCall is the result of a call that is not passed on to the SDK, which would say that the result is complete, as
// revisions without a handshake demand. Of what it exports only reading one from JSON says so.
func refusedCall(call mcp.Params, why error) (mcp.Result, error) {
	res := &mcp.CallToolResult{}
	if modern(call) {
		if err := json.Unmarshal([]byte(`{"resultType":"complete"}`), res); err != nil {
			return nil, fmt.Errorf("refuse a call: %w", err)
		}
	}
	res.SetError(why)
	return res, nil
}

// asMeant returns arguments in the form of the schema where another one can only mean that: a text or a list of one for the
// other, a list, a number or a truth value as a text, the singular or plural of a name, and another name for a place or a reason.
func asMeant(schema object, raw json.RawMessage) json.RawMessage {
	args := map[string]any{}
	if json.Unmarshal(raw, &args) != nil {
		return raw // which is refused
	}
	properties, _ := schema["properties"].(object)
	changed := false
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, ok := properties[name]; ok {
			continue
		}
		for _, meant := range meantBy(name) {
			if _, ok := properties[meant]; ok && args[meant] == nil {
				args[meant] = args[name]
				delete(args, name)
				changed = true
				break
			}
		}
	}
	for name, value := range args {
		property, ok := properties[name].(object)
		if !ok || fits(value, property) {
			continue
		}
		if value, ok := converted(value, property); ok && fits(value, property) {
			args[name], changed = value, true
		}
	}
	if !changed {
		return raw
	}
	data, err := json.Marshal(args)
	if err != nil {
		return raw
	}
	return data
}

// places are other names for where something is, which a call must not lose: the memory would be about the whole project.
const places = " anchor path file filename filepath location place "

// reasons are names for why something is so, of which a tool has one.
const reasons = " why reason rationale because "

// meantBy lists the names that one which the tool does not have may stand for: its singular or plural, and for a place or a reason those
// that tools have.
func meantBy(name string) []string {
	one := strings.TrimSuffix(name, "s")
	out := []string{name + "s", one}
	if strings.Contains(places, " "+strings.ToLower(strings.ReplaceAll(one, "_", ""))+" ") {
		out = append(out, "at", "paths")
	}
	if strings.Contains(reasons, " "+strings.ToLower(name)+" ") {
		out = append(out, "why", "reason")
	}
	return out
}

// converted returns a value in the form of a schema's type, if it has only one.
func converted(value any, schema object) (any, bool) {
	if list, ok := value.([]any); ok && len(list) == 1 && schema["type"] == "string" {
		return list[0], true
	}
	text, ok := value.(string)
	if !ok {
		return nil, false
	}
	switch schema["type"] {
	case "array":
		if strings.HasPrefix(strings.TrimSpace(text), "[") {
			var list []any
			if json.Unmarshal([]byte(text), &list) == nil {
				return list, true
			}
		}
		return []any{text}, text != "" && !several(text)
	case "integer", "boolean":
		var out any
		err := json.Unmarshal([]byte(text), &out)
		return out, err == nil
	}
	return nil, false
}

// several reports whether a text may be a list that is written in another way: with line breaks, or with commas, which stand in the
// braces of a glob alone.
func several(text string) bool {
	depth := 0
	for _, c := range strings.TrimSpace(text) {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case '\n':
			return true
		case ',', ';':
			if depth <= 0 {
				return true
			}
		}
	}
	return false
}

// wrongArguments says what is wrong with the arguments of a call; nil for nothing. A name that the tool
// does not have is ignored, unless it is nearly one that it has.
func wrongArguments(tool string, schema object, raw json.RawMessage) error {
	args := map[string]any{}
	if len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return userError("the arguments of "+tool+" are no object", "Give them by name: "+signature(schema)+".")
	}
	properties, _ := schema["properties"].(object)
	names := slices.Sorted(maps.Keys(properties))
	required, _ := schema["required"].([]string)
	missing := slices.DeleteFunc(slices.Clone(required), func(name string) bool { return args[name] != nil })
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, ok := properties[name]; ok {
			continue
		}
		meant := config.Nearest(name, names)
		if meant != "" && args[meant] == nil && (len(missing) == 0 || slices.Contains(missing, meant)) {
			return userError(fmt.Sprintf("%s has no %q", tool, said(name)), fmt.Sprintf("Name it %s (%s).", meant, typeOf(properties[meant])))
		}
		unknown = append(unknown, strconv.Quote(said(name)))
	}
	for _, name := range required {
		if _, ok := args[name]; !ok {
			wrong := fmt.Sprintf("%s needs %s", tool, name)
			if len(unknown) > 0 {
				wrong += ", and has no " + strings.Join(unknown[:min(len(unknown), 3)], ", ")
			}
			return userError(wrong, "It takes "+signature(schema)+".")
		}
	}
	for _, name := range names {
		value, ok := args[name]
		if !ok {
			continue
		}
		if !fits(value, properties[name].(object)) {
			return userError(fmt.Sprintf("%s of %s must be %s, not %s", name, tool, typeOf(properties[name]), given(value)), "It takes "+signature(schema)+".")
		}
		if most := tooLong(value); most > 0 {
			return userError(fmt.Sprintf("%s of %s is too long", name, tool), fmt.Sprintf("Give at most %d bytes.", most))
		}
	}
	return nil
}

const (
	maxText = 64 << 10 // of an argument, in bytes: the largest has what a session left
	maxItem = 4 << 10  // of a list's item; no path is longer
)

// tooLong returns how many bytes an argument may have, if it has more, else 0: work on a path grows with the square of its
// depth.
func tooLong(value any) int {
	if text, ok := value.(string); ok && len(text) > maxText {
		return maxText
	}
	list, _ := value.([]any)
	if slices.ContainsFunc(list, func(v any) bool { text, ok := v.(string); return ok && len(text) > maxItem }) {
		return maxItem
	}
	return 0
}

// fits reports whether a value is of a schema's type.
func fits(value any, schema object) bool {
	switch schema["type"] {
	case "string":
		_, ok := value.(string)
		return ok
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "integer":
		n, ok := value.(float64)
		return ok && n == float64(int64(n))
	case "array":
		list, ok := value.([]any)
		items, _ := schema["items"].(object)
		return ok && !slices.ContainsFunc(list, func(v any) bool { return !fits(v, items) })
	}
	return true
}

// typeOf is a schema's type in words.
func typeOf(schema any) string {
	o, _ := schema.(object)
	switch o["type"] {
	case "array":
		return "a list of texts"
	case "integer":
		return "a number"
	case "boolean":
		return "true or false"
	}
	return "a text"
}

// signature lists the arguments of a tool, those that it needs first.
func signature(schema object) string {
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]string)
	var parts []string
	for _, name := range required {
		parts = append(parts, fmt.Sprintf("%s (%s)", name, typeOf(properties[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, name) {
			parts = append(parts, fmt.Sprintf("%s (%s)", name, strings.TrimPrefix(typeOf(properties[name]), "a ")))
		}
	}
	if len(parts) == 0 {
		return "no arguments"
	}
	return strings.Join(parts, ", ")
}

func given(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return "that"
	}
	return said(string(data))
}

// said is a part of a call as an answer repeats it.
func said(text string) string { return nudge.Cut(nudge.Clean(text), 60) }

func oneOf(name string, names []string) string {
	if near := config.Nearest(name, names); near != "" {
		return near
	}
	return strings.Join(names, ", ")
}

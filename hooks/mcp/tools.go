package mcp

//lint:file-ignore SA1019 Roots and logging go with the next protocol; today's clients have nothing else.

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/agent"
	"manicule/hooks/nudge"
)

// call describes a tool call and its caller.
type call struct {
	req     *mcp.CallToolRequest
	tool    string // the tool, as the ledger names it
	agent   string // the client's name, see agentOf
	session string // the session that the agent names, or ""
}

// object is a literal JSON Schema.
type object = map[string]any

// The parts of schemas. They are written by hand and short, because all of them are in
// the context of every model that uses the server.
func text() object   { return object{"type": "string"} }
func texts() object  { return object{"type": "array", "items": text()} }
func number() object { return object{"type": "integer"} }
func truth() object  { return object{"type": "boolean"} }

func with(schema object, description string) object {
	schema["description"] = description
	return schema
}

// objectSchema is the schema of arguments or of an answer. Of an answer, what is empty is left out but for the required.
func objectSchema(properties object, required ...string) object {
	schema := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// rowLists is the schema of a list of rows.
func rowLists() object { return object{"type": "array", "items": object{"type": "array"}} }

// itemsSchema is the schema of memories in columns.
func itemsSchema() object {
	return objectSchema(object{"columns": text(), "items": rowLists()})
}

// writeSchema is the schema of a write's answer.
func writeSchema() object {
	return objectSchema(object{"refused": text(), "draft": text(), "id": text(), "same": text(), "message": text()})
}

// readOnly marks a tool that changes nothing. Counting what was shown is no change in this
// sense.
func readOnly() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// additive marks a tool that only adds drafts and is idempotent.
func additive() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// destructive marks the tool that removes drafts.
func destructive() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(true), OpenWorldHint: new(false)}
}

func (s *server) addTools() {
	paging := func(o object) object {
		o["limit"], o["budget"], o["cursor"] = number(), number(), text()
		return o
	}
	tool(s, "context", "Start of a task: what this project knows that bears on it. Conventions, gotchas, dead ends to avoid, recipes, files that also change, how such tasks went. Say what you are about to do; paths are the files you know of.", readOnly(),
		objectSchema(object{"task": text(), "paths": texts(), "budget": number(), "estimate": with(number(), "steps, to be scaled"), "contents": with(number(), "tokens of likely files' text"), "resume": with(truth(), "what was left")}, "task"), itemsSchema(), s.tools.task.context)
	tool(s, "recall", "Memories that apply to files or folders, which need not exist yet. Use it before you change a file. With query: ordered by it. With ids: in full. Pages by cursor, the `next` of the answer.", readOnly(),
		objectSchema(paging(object{"paths": texts(), "query": text(), "ids": texts()})), itemsSchema(), s.tools.memories.recall)
	tool(s, "search", "Search all memories by words, meaning and the code that is named. Use it when something fails or surprises, and before you decide how to do something. With code: the code itself, for places that do what you describe.", readOnly(),
		objectSchema(paging(object{"query": text(), "types": with(texts(), "such as gotcha, decision, dead_end"), "paths": texts(), "code": truth()}), "query"), itemsSchema(), s.tools.memories.search)
	tool(s, "impact", "What a change may break: who uses a symbol or file, directly and through others, nearest first, the tests that reach it and the memories on the way. Use it before you change a signature or behaviour; with diff, before you finish.", readOnly(),
		objectSchema(paging(object{"targets": with(texts(), "FILE#Symbol or FILE"), "diff": with(text(), "a revision, such as HEAD: what differs from it is the change"), "depth": number()})), objectSchema(object{"affected": object{"type": "object"}, "memories": rowLists()}), s.tools.code.impact)
	tool(s, "graph", "Who calls a symbol and what it calls, what a file or folder uses and is used by, and the memories there. 22 languages, no build needed; \"may\" marks dynamic dispatch.", readOnly(),
		objectSchema(paging(object{"target": with(text(), "FILE#Symbol, name, FILE or folder")}), "target"), objectSchema(object{"relations": object{"type": "object"}, "memories": rowLists()}), s.tools.code.graph)
	tool(s, "remember", "Propose a memory: one thing about this code that its next reader would not see from it. A gotcha, a failed approach and why, a decision and its reason, a hidden dependency. Not what you did. A person reviews it.", additive(),
		objectSchema(object{"what": with(text(), "one or two sentences"), "why": text(), "at": with(texts(), "FILE#Symbol, FILE:LINE or FILE"), "scope": with(texts(), "globs"), "type": text(), "tags": texts(), "work": with(text(), "issue or ticket, if not the one under way"), "private": with(truth(), "only for you, not other agents"), "session_only": with(truth(), "until this session ends"), "instead": with(text(), "what works, for a dead end"), "task": with(text(), "at what kind of task a lesson was learned"), "relations": with(texts(), "\"supersedes ID\", or conflicts, relates, requires"), "core": with(text(), "instead of a memory, a part of what every session begins with: summary, convention, preferences, focus, notes")}, "what"), writeSchema(), s.tools.writes.remember)
	tool(s, "update", "Propose another text, type, scope or tags for a memory that is wrong or incomplete. It stays as it is until a person accepts; a draft of yours changes at once.", additive(),
		objectSchema(object{"id": text(), "what": text(), "why": text(), "type": text(), "scope": texts(), "tags": texts(), "relations": texts(), "reason": text()}, "id"), writeSchema(), s.tools.writes.update)
	tool(s, "forget", "Propose to forget a memory that is no longer true, and say why. A person decides; it can be restored for 30 days. A draft of yours is taken back at once.", destructive(),
		objectSchema(object{"id": text(), "reason": text()}, "id", "reason"), writeSchema(), s.tools.writes.forget)
	tool(s, "confirm", "Propose that a memory still holds, or with disputes that it does not, when you have seen so in the code or in a run: say what you saw. A person decides.", additive(),
		objectSchema(object{"id": text(), "reason": text(), "disputes": truth()}, "id", "reason"), writeSchema(), s.tools.writes.confirm)
	tool(s, "session", "What this session was shown, touched, failed at and wants remembered, its phase, and the threads that earlier ones left open. Use it after a compaction. Before you end: leave what is unsettled with open, answer threads with answers, update or close.", additive(),
		objectSchema(object{"session": with(text(), "an id, if not this one"), "bundle": with(truth(), "what a session that starts is told"), "task": with(text(), "the bundle for that"), "intent": with(text(), "what this session is for"), "summary": with(text(), "what came of it"), "open": with(text(), "a thread to leave"), "kind": with(text(), "thread, next_step, decision, context"), "at": text(), "why": text(), "owner": text(), "tags": texts(), "under": with(text(), "id of the thread that it is a part of"),
			"update": with(text(), "id"), "text": text(), "state": with(text(), "open, parked"), "close": with(text(), "id; why says how"),
			"answers": with(texts(), "\"ID resolved|parked|open WHY\" for each thread that you were told of")}), objectSchema(object{"threads": object{"type": "array"}}), s.tools.session.sessionContext)
	tool(s, "stats", "How many memories there are, of which types, how many wait for review, and how fresh the index and the model behind search are.", readOnly(),
		objectSchema(object{}), objectSchema(object{"memories": number(), "types": object{"type": "object"}}, "memories", "types"), s.tools.session.stats)
}

// maxDescription is the maximum length of a tool's description in characters.
const maxDescription = 300

// tool adds a tool. Its handler returns the text for a model, and the same as data, which a client gets
// with Options.Structured. An error becomes the tool's error, with its hint, and so does what was not accepted: an agent that
// does not read the words would take it for done.
func tool[In any, Out answer](s *server, name, description string, hints *mcp.ToolAnnotations, in, out object, h func(context.Context, *call, In) (string, Out, error)) {
	t := &mcp.Tool{Name: name, Description: description, Annotations: hints, InputSchema: in}
	if s.opts.Structured {
		t.OutputSchema = out // a tool with a schema owes the data
	}
	if name == "recall" || name == "remember" || name == "context" {
		t.Meta = mcp.Meta{"anthropic/alwaysLoad": true} // otherwise one host shows only names
	}
	s.inputs[name], s.writes[name] = in, !hints.ReadOnlyHint
	mcp.AddTool(s.mcp, t, func(ctx context.Context, req *mcp.CallToolRequest, args In) (res *mcp.CallToolResult, data any, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.base, cancel)()
		defer s.idle.reset()
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("a tool panicked", "tool", name, "panic", p, "stack", string(debug.Stack()))
				err = fmt.Errorf("%s crashed; this is a fault in Manicule", name)
			}
		}()
		c := &call{req: req, tool: name, agent: agentOf(req.Session)}
		c.session = sessionOf(c.agent, req.Params.Meta)
		shown, out, err := h(ctx, c, args)
		if err != nil {
			if ctx.Err() == nil {
				s.tell(ctx, req, name, err)
			}
			return nil, nil, withHint(err)
		}
		if s.opts.Structured {
			data = out.data()
		}
		w, writes := any(out).(Written)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shown}}, IsError: writes && !w.Accepted}, data, nil
	})
}

// tell logs an internal error to the client. Errors of the agent itself are explained in
// the answer.
func (s *server) tell(ctx context.Context, req *mcp.CallToolRequest, name string, err error) {
	if isUserError(err) {
		return
	}
	s.log.Warn("a tool failed", "tool", name, "err", err)
	if req.Session == nil {
		return
	}
	p := &mcp.LoggingMessageParams{Level: "warning", Logger: "manicule", Data: fmt.Sprintf("%s: %v", name, err)}
	if lerr := req.Session.Log(ctx, p); lerr != nil {
		s.log.Debug("log to the client", "err", lerr)
	}
}

// caller describes the client that reads a resource or a prompt.
func caller(ss *mcp.ServerSession, what string) *call {
	return &call{tool: what, agent: agentOf(ss)}
}

// maxSessionID is the length of the longest session id that is believed.
const maxSessionID = 128

// sessionOf returns the id of the session that an agent names in the metadata of a call, or "".
func sessionOf(id string, meta mcp.Meta) string {
	a, ok := agent.Lookup(id)
	if !ok || a.Servers.Session == "" {
		return ""
	}
	session, _ := meta[a.Servers.Session].(string)
	if len(session) > maxSessionID {
		return ""
	}
	return session
}

// agentOf returns the client's name for drafts and the ledger: the agent's ID, if its
// hooks are supported.
func agentOf(ss *mcp.ServerSession) string {
	const unknown = "mcp"
	if ss == nil {
		return unknown
	}
	p := ss.InitializeParams()
	if p == nil || p.ClientInfo == nil {
		return unknown
	}
	name := nudge.Cut(strings.Join(strings.Fields(nudge.Clean(p.ClientInfo.Name)), "-"), 40)
	if name == "" {
		return unknown
	}
	return knownClients(name)
}

// knownClients maps the names of MCP clients to the ids of the agents' hooks. A name matches by
// its prefix: "cursor-vscode" is Cursor, "codex-mcp-client" Codex,
// "gemini-cli-mcp-client" Gemini.
func knownClients(name string) string {
	low := strings.ToLower(name)
	for _, a := range agent.All() {
		for _, client := range a.Clients {
			if rest, ok := strings.CutPrefix(low, client); ok && (rest == "" || strings.ContainsRune("-_/.", rune(rest[0]))) {
				return a.ID
			}
		}
	}
	return name
}

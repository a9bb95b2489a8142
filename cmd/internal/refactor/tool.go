package refactor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"manicule/cmd/internal/wire"
)

// Tool is a language server that refactors in a work tree.
type Tool struct {
	root   string
	server *wire.Client
	opened map[string]int // version by path
	shown  State          // the files as the server knows them
	lang   string
	said   *tail // what the server wrote on standard error
	silent int   // requests in a row that got no answer in time

	mu      sync.Mutex
	applied []workspaceEdit // guarded by mu; edits that the server asked to apply
}

type codeAction struct {
	Title    string          `json:"title"`
	Kind     string          `json:"kind,omitzero"`
	Edit     *workspaceEdit  `json:"edit,omitzero"`
	Command  json.RawMessage `json:"command,omitzero"`
	Data     json.RawMessage `json:"data,omitzero"`
	Args     json.RawMessage `json:"arguments,omitzero"`
	Disabled json.RawMessage `json:"disabled,omitzero"`
}

// patience bounds one request to a tool.
const patience = 60 * time.Second

// maxSilent is the number of requests in a row without an answer after which a tool
// counts as ended. A first one may time out while the tool still reads the work tree.
const maxSilent = 3

// tail keeps the last bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

// maxTail bounds what is kept of a tool's complaints.
const maxTail = 2000

// Write keeps the end of what was written.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// startTool starts a language server in a work tree that holds the files of a state.
func startTool(ctx context.Context, root string, s State, c ToolCommand) (*Tool, error) {
	root, err := filepath.Abs(root) // the server knows files by their whole path
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c, err)
	}
	t := &Tool{root: root, opened: map[string]int{}, shown: s, lang: c.Lang, said: &tail{}}
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir = root
	cmd.Stderr = t.said
	// Children of the server may hold its standard error open after it was killed.
	cmd.WaitDelay = time.Second
	if t.server, err = wire.StartAnswering(cmd, t.answer); err != nil {
		return nil, fmt.Errorf("start %s: %w; install it, or leave --tools out for scripts alone", c, err)
	}
	params := map[string]any{
		"processId": os.Getpid(), "rootUri": t.uri(""), "initializationOptions": c.Settings,
		"workspaceFolders": []any{map[string]string{"uri": t.uri(""), "name": "root"}},
		"capabilities": map[string]any{
			"workspace": map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true,
				"resourceOperations": []string{"create", "rename", "delete"}}, "configuration": true},
			"textDocument": map[string]any{"codeAction": map[string]any{"dataSupport": true,
				"resolveSupport":           map[string]any{"properties": []string{"edit", "command"}},
				"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"refactor"}}}},
				"rename": map[string]any{"prepareSupport": true}},
		},
	}
	if _, err := t.ask(ctx, "initialize", params); err != nil {
		t.Close() // closed, its standard error is whole
		return nil, fmt.Errorf("start %s: %w%s", c, err, t.complaint())
	}
	return t, t.server.Notify("initialized", map[string]any{})
}

// Close ends the server.
func (t *Tool) Close() { t.server.Kill() }

// complaint is what the server wrote on standard error, as an end of an error.
func (t *Tool) complaint() string {
	if said := t.said.String(); said != "" {
		return "; it wrote: " + said
	}
	return ""
}

// ended returns why the server answers no more, or nil.
func (t *Tool) ended() error {
	err := t.server.Ended()
	if err == nil && t.silent >= maxSilent {
		err = fmt.Errorf("%d requests in a row got no answer", t.silent)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the tool ended: %w%s", err, t.complaint())
}

func (t *Tool) uri(path string) string { return wire.URI(filepath.Join(t.root, path)) }

// path returns a file of the work tree, or "" for one outside.
func (t *Tool) path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(t.root, filepath.FromSlash(u.Path))
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

// answer answers what the server requests.
func (t *Tool) answer(method string, params json.RawMessage) any {
	switch method {
	case "workspace/applyEdit":
		var p struct {
			Edit workspaceEdit `json:"edit"`
		}
		if json.Unmarshal(params, &p) == nil {
			t.mu.Lock()
			t.applied = append(t.applied, p.Edit)
			t.mu.Unlock()
		}
		return map[string]bool{"applied": true}
	case "workspace/configuration":
		var p struct {
			Items []any `json:"items"`
		}
		_ = json.Unmarshal(params, &p) // none are none
		return make([]any, len(p.Items))
	default:
		return nil
	}
}

// ask sends a request. The error of a server that refuses is its message alone.
func (t *Tool) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if err := t.ended(); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out json.RawMessage
	err := t.server.Call(wait, method, params, &out)
	if refused, ok := errors.AsType[*wire.Error](err); ok {
		err = errors.New(cmp.Or(refused.Message, refused.Error()))
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		t.silent++
		return nil, fmt.Errorf("no answer in %v", patience)
	}
	t.silent = 0
	return out, err
}

// show lets the server know a state: on disk, where files that it has not opened are
// read, and in the file that is asked about.
func (t *Tool) show(s State, path string) error {
	var events []any
	for _, p := range t.shown.Differing(s) {
		at := filepath.Join(t.root, filepath.FromSlash(p))
		text, there := s[p]
		_, known := t.shown[p]
		event := map[string]any{"uri": t.uri(p), "type": fileChanged}
		var err error
		switch {
		case !there:
			event["type"] = fileDeleted
			err = errors.Join(t.shut(p), os.Remove(at))
		case !known:
			event["type"] = fileCreated
			err = os.MkdirAll(filepath.Dir(at), 0o750)
			fallthrough
		default:
			err = errors.Join(err, os.WriteFile(at, []byte(text), 0o600))
			if t.opened[p] > 0 && p != path {
				err = errors.Join(err, t.open(p, text))
			}
		}
		if err != nil {
			return fmt.Errorf("show %s to the tool: %w", p, err)
		}
		events = append(events, event)
	}
	t.shown = s
	if len(events) > 0 {
		if err := t.server.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": events}); err != nil {
			return err
		}
	}
	return t.open(path, s[path])
}

// Kinds of changes to files, by the protocol.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// open shows the server a file. Later calls send its next content.
func (t *Tool) open(path, text string) error {
	t.opened[path]++
	doc := map[string]any{"uri": t.uri(path), "languageId": t.lang, "version": t.opened[path], "text": text}
	if t.opened[path] == 1 {
		return t.server.Notify("textDocument/didOpen", map[string]any{"textDocument": doc})
	}
	return t.server.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": t.uri(path), "version": t.opened[path]},
		"contentChanges": []any{map[string]any{"text": text}}})
}

// shut closes a file that was opened.
func (t *Tool) shut(path string) error {
	if t.opened[path] == 0 {
		return nil
	}
	delete(t.opened, path)
	return t.server.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": t.uri(path)}})
}

// Rename renames the identifier at an offset.
func (t *Tool) Rename(ctx context.Context, s State, path string, at int, to string) (State, error) {
	if err := t.show(s, path); err != nil {
		return nil, err
	}
	return t.edited(ctx, s, "textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": t.uri(path)},
		"position": positionAt(s[path], at), "newName": to})
}

// MoveFile moves a file, with what the server changes elsewhere for it.
func (t *Tool) MoveFile(ctx context.Context, s State, from, to string) (State, error) {
	if err := t.show(s, from); err != nil {
		return nil, err
	}
	after, err := t.edited(ctx, s, "workspace/willRenameFiles", map[string]any{"files": []any{map[string]string{"oldUri": t.uri(from), "newUri": t.uri(to)}}})
	if err != nil {
		return nil, err
	}
	return after.with(map[string]string{from: "", to: after[from]}), nil
}

// edited applies the edit that the server answers with.
func (t *Tool) edited(ctx context.Context, s State, method string, params any) (State, error) {
	out, err := t.ask(ctx, method, params)
	if err != nil {
		return nil, err
	}
	var e workspaceEdit
	if err := json.Unmarshal(out, &e); err != nil {
		return nil, fmt.Errorf("read the tool's edit: %w", err)
	}
	return t.apply(s, e)
}

// errNotOffered is the answer of a server that has no such refactoring for a place.
var errNotOffered = errors.New("nothing is offered")

// Act applies the first matching refactoring that the server offers for a range of bytes.
func (t *Tool) Act(ctx context.Context, s State, path string, from, to int, fits func(kind, title string) bool) (State, error) {
	if err := t.show(s, path); err != nil {
		return nil, err
	}
	out, err := t.ask(ctx, "textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": t.uri(path)},
		"range":   span{positionAt(s[path], from), positionAt(s[path], to)},
		"context": map[string]any{"diagnostics": []any{}, "only": []string{"refactor"}, "triggerKind": 1}})
	if err != nil {
		return nil, err
	}
	var actions []json.RawMessage
	if err := json.Unmarshal(out, &actions); err != nil {
		return nil, fmt.Errorf("read what the tool offers: %w", err)
	}
	for _, raw := range actions {
		var a codeAction
		if json.Unmarshal(raw, &a) != nil || len(a.Disabled) > 0 || !fits(a.Kind, a.Title) {
			continue
		}
		return t.do(ctx, s, raw, a)
	}
	return nil, errNotOffered
}

func (t *Tool) do(ctx context.Context, s State, raw json.RawMessage, a codeAction) (State, error) {
	if a.Edit == nil && len(a.Data) > 0 {
		out, err := t.ask(ctx, "codeAction/resolve", raw)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(out, &a); err != nil {
			return nil, fmt.Errorf("read the refactoring %q: %w", a.Title, err)
		}
	}
	if a.Edit != nil {
		return t.apply(s, *a.Edit)
	}
	var c struct {
		Command   string          `json:"command"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(a.Command, &c); err != nil {
		return nil, fmt.Errorf("read the command of %q: %w", a.Title, err)
	}
	t.mu.Lock()
	t.applied = nil
	t.mu.Unlock()
	if _, err := t.ask(ctx, "workspace/executeCommand", map[string]any{"command": c.Command, "arguments": c.Arguments}); err != nil {
		return nil, err
	}
	t.mu.Lock()
	edits := t.applied
	t.mu.Unlock()
	if len(edits) == 0 {
		return nil, errors.New("nothing was done")
	}
	var err error
	for _, e := range edits {
		if s, err = t.apply(s, e); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// apply applies edits to a state.
func (t *Tool) apply(s State, e workspaceEdit) (State, error) {
	changed := map[string]string{}
	text := func(p string) string {
		if c, ok := changed[p]; ok {
			return c
		}
		return s[p]
	}
	edit := func(uri string, edits []textEdit) error {
		p := t.path(uri)
		if p == "" {
			return fmt.Errorf("%s is outside", uri)
		}
		if _, ok := s[p]; !ok && changed[p] == "" && t.isFile(p) {
			return nil // a file of another language, or a generated one: it takes no part
		}
		n, err := applyEdits(text(p), edits)
		changed[p] = n
		return err
	}
	for uri, edits := range e.Changes {
		if err := edit(uri, edits); err != nil {
			return nil, err
		}
	}
	for _, d := range e.DocumentChanges {
		switch d.Kind {
		case "":
			if err := edit(d.TextDocument.URI, d.Edits); err != nil {
				return nil, err
			}
		case "create":
		case "rename":
			p, q := t.path(d.OldURI), t.path(d.NewURI)
			changed[q], changed[p] = text(p), ""
		default:
			return nil, fmt.Errorf("%s is not understood", d.Kind)
		}
	}
	return s.with(changed), nil
}

// isFile reports whether the work tree has a file.
func (t *Tool) isFile(path string) bool {
	_, err := os.Lstat(filepath.Join(t.root, filepath.FromSlash(path)))
	return err == nil
}

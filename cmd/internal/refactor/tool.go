package refactor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Tool is a language server that refactors in a work tree.
type Tool struct {
	root string
	cmd  *exec.Cmd
	in   io.WriteCloser

	mu      sync.Mutex
	next    int
	waiting map[int]chan answer // guarded by mu
	applied []workspaceEdit     // guarded by mu; edits that the server asked to apply
	opened  map[string]int      // version by path
}

type answer struct {
	Result json.RawMessage
	Err    error
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id,omitzero"`
	Method  string          `json:"method,omitzero"`
	Params  any             `json:"params,omitzero"`
	Result  json.RawMessage `json:"result,omitzero"`
	Error   json.RawMessage `json:"error,omitzero"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type documentEdit struct {
	Kind         string `json:"kind"`
	URI          string `json:"uri"`
	OldURI       string `json:"oldUri"`
	NewURI       string `json:"newUri"`
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []documentEdit        `json:"documentChanges"`
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

// StartTool starts a language server in a work tree.
func StartTool(ctx context.Context, root string, settings any, command ...string) (*Tool, error) {
	t := &Tool{root: root, waiting: map[int]chan answer{}, opened: map[string]int{}}
	t.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	t.cmd.Dir = root
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	go t.read(bufio.NewReader(out))
	params := map[string]any{
		"processId": os.Getpid(), "rootUri": t.uri(""), "initializationOptions": settings,
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
		return nil, errors.Join(fmt.Errorf("start %s: %w", command[0], err), t.Close())
	}
	return t, t.send(message{Method: "initialized", Params: map[string]any{}})
}

// Close ends the server.
func (t *Tool) Close() error {
	err := t.in.Close()
	_ = t.cmd.Process.Kill() // it may have ended
	_ = t.cmd.Wait()         // it was killed
	return err
}

func (t *Tool) uri(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(t.root, path))}).String()
}

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

func (t *Tool) send(m message) error {
	m.Version = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err = fmt.Fprintf(t.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

func (t *Tool) read(r *bufio.Reader) {
	for {
		head, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			break
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			break
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(r, data); err != nil {
			break
		}
		t.take(data)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, c := range t.waiting {
		c <- answer{Err: io.ErrUnexpectedEOF}
		delete(t.waiting, id)
	}
}

// take handles one message of the server.
func (t *Tool) take(data []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	if m.Method != "" {
		if len(m.ID) > 0 {
			_ = t.send(message{ID: m.ID, Result: t.reply(m.Method, m.Params)}) // a caller that waits notices the end of the server
		}
		return
	}
	id, err := strconv.Atoi(string(m.ID))
	if err != nil {
		return
	}
	t.mu.Lock()
	c := t.waiting[id]
	delete(t.waiting, id)
	t.mu.Unlock()
	if c == nil {
		return
	}
	a := answer{Result: m.Result}
	if len(m.Error) > 0 && string(m.Error) != "null" {
		a.Err = errors.New(string(m.Error))
	}
	c <- a
}

func (t *Tool) reply(method string, params json.RawMessage) json.RawMessage {
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
		return json.RawMessage(`{"applied":true}`)
	case "workspace/configuration":
		var p struct {
			Items []any `json:"items"`
		}
		_ = json.Unmarshal(params, &p) // none are none
		return json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("null,", len(p.Items)), ",") + "]")
	default:
		return json.RawMessage("null")
	}
}

func (t *Tool) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	t.mu.Lock()
	t.next++
	id := t.next
	c := make(chan answer, 1)
	t.waiting[id] = c
	t.mu.Unlock()
	if err := t.send(message{ID: id, Method: method, Params: params}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case a := <-c:
		return a.Result, a.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// open shows the server a file. Later calls send its next content.
func (t *Tool) open(path, text, lang string) error {
	t.opened[path]++
	doc := map[string]any{"uri": t.uri(path), "languageId": lang, "version": t.opened[path], "text": text}
	if t.opened[path] == 1 {
		return t.send(message{Method: "textDocument/didOpen", Params: map[string]any{"textDocument": doc}})
	}
	return t.send(message{Method: "textDocument/didChange", Params: map[string]any{"textDocument": map[string]any{"uri": t.uri(path), "version": t.opened[path]},
		"contentChanges": []any{map[string]any{"text": text}}}})
}

// Rename renames the identifier at an offset.
func (t *Tool) Rename(ctx context.Context, s State, path string, at int, to, lang string) (State, error) {
	if err := t.open(path, s[path], lang); err != nil {
		return nil, err
	}
	out, err := t.ask(ctx, "textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": t.uri(path)},
		"position": positionAt(s[path], at), "newName": to})
	if err != nil {
		return nil, err
	}
	var e workspaceEdit
	if err := json.Unmarshal(out, &e); err != nil {
		return nil, err
	}
	return t.apply(s, e)
}

// Act applies the first matching refactoring that the server offers for a range of bytes.
func (t *Tool) Act(ctx context.Context, s State, path string, from, to int, lang string, fits func(kind, title string) bool) (State, error) {
	if err := t.open(path, s[path], lang); err != nil {
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
		return nil, err
	}
	for _, raw := range actions {
		var a codeAction
		if json.Unmarshal(raw, &a) != nil || len(a.Disabled) > 0 || !fits(a.Kind, a.Title) {
			continue
		}
		return t.do(ctx, s, raw, a)
	}
	return nil, errors.New("nothing is offered")
}

func (t *Tool) do(ctx context.Context, s State, raw json.RawMessage, a codeAction) (State, error) {
	if a.Edit == nil && len(a.Data) > 0 {
		if out, err := t.ask(ctx, "codeAction/resolve", raw); err == nil {
			_ = json.Unmarshal(out, &a) // an unreadable action has no edit
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
		return nil, err
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

// positionAt converts an offset to a line and UTF-16 unit.
func positionAt(text string, at int) position {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	p := position{Line: strings.Count(text[:start], "\n")}
	for _, r := range text[start:at] {
		p.Character += utf16Len(r)
	}
	return p
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// byteAt is the reverse of positionAt.
func byteAt(text string, p position) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for n := 0; n < p.Character && at < len(text) && text[at] != '\n'; {
		r, size := utf8.DecodeRuneInString(text[at:])
		n += utf16Len(r)
		at += size
	}
	return at
}

// applyEdits applies edits that all refer to the same text.
func applyEdits(text string, edits []textEdit) (string, error) {
	type cut struct {
		from, to int
		text     string
	}
	var all []cut
	for _, e := range edits {
		all = append(all, cut{byteAt(text, e.Range.Start), byteAt(text, e.Range.End), e.NewText})
	}
	for i := 1; i < len(all); i++ { // stable, by start
		for k := i; k > 0 && all[k].from < all[k-1].from; k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
	var b strings.Builder
	at := 0
	for _, c := range all {
		if c.from < at || c.to < c.from {
			return "", errors.New("edits overlap")
		}
		b.WriteString(text[at:c.from] + c.text)
		at = c.to
	}
	return b.String() + text[at:], nil
}

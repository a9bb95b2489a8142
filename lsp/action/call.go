package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/client"
	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/rpc"
	"manicule/lsp/session"
	"manicule/lsp/settings"
	"manicule/memory"
)

// Env holds what commands need from the server. All fields must be set.
type Env struct {
	Folders *folder.Set
	Pages   *page.Cache
	Client  *client.Client
	Spawn   func(task func(context.Context)) // runs a task outside of the message loop
	Log     *slog.Logger                     // also sent to the client
	Now     func() time.Time
	Version string
	Hint    func(error) string // what a person can do about an error, or ""
	// Changed reports that documents may show outdated memories, ListsChanged that only
	// panels may.
	Changed, ListsChanged func()
	// Done reports that a command has run: what it changed is told now, so that an editor that asks again after its
	// acts need not do so twice.
	Done func()

	wrong    wrongMemories
	reviewed reviewed
}

// call is one execution of a command.
type call struct {
	env      *Env
	snap     *session.Snapshot
	settings *settings.Settings
	args     arguments
}

// Execute runs a command and returns its result.
func (e *Env) Execute(ctx context.Context, snap *session.Snapshot, s *settings.Settings, p *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	all := commands()
	i := slices.IndexFunc(all, func(a command) bool { return a.name == p.Command })
	if i < 0 {
		return nil, rpc.InvalidParams("there is no command %q; try: %s", p.Command, strings.Join(CommandNames(), ", "))
	}
	c := &call{e, snap, s, arguments{command: p.Command, raw: p.Arguments, token: p.WorkDoneToken}}
	answer, err := all[i].run(ctx, c)
	e.Done()
	if err != nil {
		return nil, e.refusal(err)
	}
	b, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("answer of %s: %w", p.Command, err)
	}
	return b, nil
}

// refusal is the error that answers a command. One that a person can do something about is no fault of the server: the memory
// of a menu that another editor has forgotten meanwhile, for example.
func (e *Env) refusal(err error) error {
	if _, coded := errors.AsType[*jsonrpc2.Error](err); coded || e.Hint(err) == "" {
		return e.withHint(err)
	}
	return rpc.Failed(e.withHint(err))
}

// withHint adds to an error what a person can do about it.
func (e *Env) withHint(err error) error {
	if hint := e.Hint(err); hint != "" {
		return fmt.Errorf("%w. %s", err, hint)
	}
	return err
}

// showError shows an error of background work to the person.
func (e *Env) showError(err error) { e.Client.Error("Manicule: " + e.withHint(err).Error()) }

// arguments are a command's arguments as the client sent them.
type arguments struct {
	command string
	raw     []protocol.LSPAny
	token   protocol.ProgressToken // of the client, nil for none
}

// has reports whether argument i is present and not null.
func (a arguments) has(i int) bool {
	return i < len(a.raw) && a.raw[i].Kind() != 'n' && len(a.raw[i]) > 0
}

// read decodes argument i into v, and leaves v alone if there is none.
func (a arguments) read(i int, what string, v any) error {
	if !a.has(i) {
		return nil
	}
	if err := protocol.Unmarshal(a.raw[i], v); err != nil {
		return rpc.InvalidParams("%s: argument %d must be %s: %v", a.command, i+1, what, err)
	}
	return nil
}

// readChanges is read for argument 1, an object of changes. It refuses a member that it does not know: a change that is left out in silence
// is lost. Otherwise it reads what [arguments.read] does, such as half of a character that an editor cut.
func (a arguments) readChanges(v any) error {
	if !a.has(1) {
		return nil
	}
	if err := json.Unmarshal(a.raw[1], v, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return rpc.InvalidParams("%s: argument 2 must be an object of what to change: %v", a.command, err)
	}
	return nil
}

// file returns the path of a file in the folder that the first argument means, "" if it says none.
func (a arguments) file() string {
	path, _ := convert.PathFrom(a.uri())
	return path
}

func (a arguments) uri() uri.URI {
	if !a.has(0) || a.raw[0].Kind() != '{' {
		return ""
	}
	var named struct {
		URI uri.URI `json:"uri"`
	}
	if err := a.read(0, "an object with a uri", &named); err != nil {
		return "" // said by who reads the uuid
	}
	return named.URI
}

// reference returns the first argument of another command about the same memory: its uuid, with what says which folder is
// meant if that was said.
func (a arguments) reference(uuid string) any {
	if u := a.uri(); u != "" {
		return map[string]string{"uuid": uuid, "uri": strings.Clone(string(u))} // what was read goes with the request
	}
	return uuid
}

// folders returns the open folders in which what the first argument names may be.
func (c *call) folders(ctx context.Context) []*folder.Folder {
	return c.env.Folders.From(ctx, c.args.file())
}

// uuid returns the first argument, which every command about a memory needs.
func (a arguments) uuid() (string, error) {
	if !a.has(0) {
		return "", rpc.InvalidParams("%s needs the uuid of a memory as its first argument", a.command)
	}
	if a.raw[0].Kind() == '{' {
		var named struct {
			UUID string `json:"uuid"`
		}
		if err := a.read(0, "an object with a uuid", &named); err != nil {
			return "", err
		}
		if named.UUID != "" {
			return named.UUID, nil
		}
	}
	var uuid string
	err := a.read(0, "the memory's uuid", &uuid)
	return uuid, err
}

// memory returns the memory that the first argument names, and its folder.
func (c *call) memory(ctx context.Context) (*folder.Folder, memory.Hit, error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, memory.Hit{}, err
	}
	f, h, ok := c.env.Folders.Find(ctx, uuid, c.args.file())
	if !ok {
		return nil, memory.Hit{}, rpc.InvalidParams("there is no memory %q", uuid)
	}
	return f, h, nil
}

// change writes to the memory that the first argument names.
func (c *call) change(ctx context.Context, write func(folder.Memories, string) (memory.Result, error)) (memory.Result, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return memory.Result{}, err
	}
	res, err := write(f.Memories, h.Memory.UUID)
	if err != nil {
		return memory.Result{}, fmt.Errorf("%s: %w", c.args.command, err)
	}
	return c.env.afterWrite(ctx, f, res), nil
}

// afterWrite syncs, so that the next request sees a write, and tells the person if it
// had an unexpected result.
func (e *Env) afterWrite(ctx context.Context, f *folder.Folder, res memory.Result) memory.Result {
	if _, err := f.Memories.Sync(ctx); err != nil {
		e.Log.Warn("read memories", "root", f.Root, "err", err)
	}
	switch {
	case !res.Accepted && !res.Draft:
		e.Client.Warn("Manicule: not stored: " + res.Reason)
	case res.Advice != "":
		short, _, _ := strings.Cut(res.Advice, ". ") // a message of one line needs no key in any editor
		e.Client.Info("Manicule: stored, but " + short)
	case res.Reason != "":
		e.Client.Info("Manicule: " + res.Reason)
	}
	f.Waiting.Load(ctx)
	e.Changed()
	return res
}

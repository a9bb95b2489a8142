package action

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"

	"manicule/lsp/client"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/rpc"
	"manicule/lsp/session"
	"manicule/lsp/settings"
	"manicule/memory"
)

// Env is what acts need of the server. All fields must be set.
type Env struct {
	Folders *folder.Set
	Pages   *page.Cache
	Client  *client.Client
	Spawn   func(task func(context.Context)) // beside the message loop
	Log     *slog.Logger                     // the client shows it too
	Now     func() time.Time
	Version string
	Hint    func(error) string // what a person can do about an error, or ""
	// Changed tells that what the client shows may be out of date, ListsChanged that
	// only what panels list may be.
	Changed, ListsChanged func()

	flags flags
}

// call is one run of a command.
type call struct {
	env      *Env
	snap     *session.Snapshot
	settings *settings.Settings
	args     arguments
}

// Execute runs one of the commands and returns its answer.
func (e *Env) Execute(ctx context.Context, snap *session.Snapshot, s *settings.Settings, p *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	all := acts()
	i := slices.IndexFunc(all, func(a act) bool { return a.command == p.Command })
	if i < 0 {
		return nil, rpc.InvalidParams("there is no command %q; there are %s", p.Command, strings.Join(CommandNames(), ", "))
	}
	c := &call{e, snap, s, arguments{command: p.Command, raw: p.Arguments, token: p.WorkDoneToken}}
	answer, err := all[i].run(ctx, c)
	if err != nil {
		return nil, e.hinted(err)
	}
	b, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("answer of %s: %w", p.Command, err)
	}
	return b, nil
}

// hinted adds what a person can do about an error, which clients show.
func (e *Env) hinted(err error) error {
	if hint := e.Hint(err); hint != "" {
		return fmt.Errorf("%w. %s", err, hint)
	}
	return err
}

// showError shows the person an error of what no request waits for.
func (e *Env) showError(err error) { e.Client.Error("Manicule: " + e.hinted(err).Error()) }

// arguments are a command's, as the client sent them.
type arguments struct {
	command string
	raw     []protocol.LSPAny
	token   protocol.ProgressToken // of the client, nil for none
}

// has reports whether argument i is there and not null.
func (a arguments) has(i int) bool {
	return i < len(a.raw) && a.raw[i].Kind() != 'n' && len(a.raw[i]) > 0
}

// read reads argument i into v, which stays as it is when there is none.
func (a arguments) read(i int, what string, v any) error {
	if !a.has(i) {
		return nil
	}
	if err := protocol.Unmarshal(a.raw[i], v); err != nil {
		return rpc.InvalidParams("%s: argument %d must be %s: %v", a.command, i+1, what, err)
	}
	return nil
}

// uuid returns the first argument, which every command about a memory needs.
func (a arguments) uuid() (string, error) {
	if !a.has(0) {
		return "", rpc.InvalidParams("%s needs the memory's uuid as its first argument", a.command)
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
	f, h, ok := c.env.Folders.Find(ctx, uuid)
	if !ok {
		return nil, memory.Hit{}, rpc.InvalidParams("there is no memory %q", uuid)
	}
	return f, h, nil
}

// change runs a write on the memory that the first argument names.
func (c *call) change(ctx context.Context, write func(folder.Memories, string) (memory.Result, error)) (memory.Result, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return memory.Result{}, err
	}
	res, err := write(f.Memories, h.Memory.UUID)
	if err != nil {
		return memory.Result{}, fmt.Errorf("%s: %w", c.args.command, err)
	}
	return c.env.wrote(ctx, f, res), nil
}

// wrote lets the next request see a write, and tells a person what they would
// not expect of it.
func (e *Env) wrote(ctx context.Context, f *folder.Folder, res memory.Result) memory.Result {
	if _, err := f.Memories.Sync(ctx); err != nil {
		e.Log.Warn("read memories", "root", f.Root, "err", err)
	}
	switch {
	case !res.Accepted && !res.Draft:
		e.Client.Warn("Manicule: not stored: " + res.Reason)
	case res.Reason != "":
		e.Client.Info("Manicule: " + res.Reason)
	}
	e.Changed()
	return res
}

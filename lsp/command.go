package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/lsp/folder"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"

	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// The commands. Clients register them globally, so each carries our name.
const (
	cmdRemember = "manicule.remember"
	cmdShow     = "manicule.showMemories"
	cmdOpen     = "manicule.openMemory"
	cmdEdit     = "manicule.editMemory"
	cmdPin      = "manicule.pinMemory"
	cmdUnpin    = "manicule.unpinMemory"
	cmdConfirm  = "manicule.confirmMemory"
	cmdDispute  = "manicule.disputeMemory"
	cmdCorrect  = "manicule.correctMemory"
	cmdForget   = "manicule.forgetMemory"
	cmdAccept   = "manicule.acceptMemory"
	cmdReject   = "manicule.rejectMemory"
	cmdRelease  = "manicule.releaseMemory"
	cmdSync     = "manicule.sync"
	cmdStatus   = "manicule.status"

	cmdStillTrue   = "manicule.stillTrue"
	cmdRejectPlace = "manicule.rejectPlace"
	cmdFollow      = "manicule.followMemory"
	cmdAnchorHere  = "manicule.anchorMemory"
	cmdDetach      = "manicule.detachMemory"
	cmdArchive     = "manicule.archiveMemory"

	cmdRememberFile = "manicule.rememberFile"
	cmdDismiss      = "manicule.dismiss"
	cmdConsolidate  = "manicule.consolidate"
)

// command runs with its arguments and returns what is answered as JSON.
type command func(r *request, ctx context.Context, args arguments) (any, error)

func commands() map[string]command {
	return map[string]command{
		cmdRemember: (*request).remember,
		cmdShow:     (*request).showMemories,
		cmdOpen:     (*request).openMemory,
		cmdEdit:     (*request).editMemory,
		cmdPin:      (*request).pinMemory,
		cmdUnpin:    (*request).unpinMemory,
		cmdConfirm:  (*request).confirmMemory,
		cmdDispute:  (*request).disputeMemory,
		cmdCorrect:  (*request).correctMemory,
		cmdForget:   (*request).forgetMemory,
		cmdAccept:   (*request).acceptMemory,
		cmdReject:   (*request).rejectMemory,
		cmdRelease:  (*request).releaseMemory,
		cmdSync:     (*request).syncAll,
		cmdStatus:   (*request).status,

		cmdStillTrue:   (*request).stillTrue,
		cmdRejectPlace: (*request).rejectPlace,
		cmdFollow:      (*request).followMemory,
		cmdAnchorHere:  (*request).anchorMemory,
		cmdDetach:      (*request).detachMemory,
		cmdArchive:     (*request).forgetMemory,

		cmdRememberFile: (*request).rememberFile,
		cmdDismiss:      (*request).dismiss,
		cmdConsolidate:  (*request).consolidate,
	}
}

func commandNames() []string {
	return []string{
		cmdRemember, cmdShow, cmdOpen, cmdEdit, cmdPin, cmdUnpin, cmdConfirm, cmdDispute, cmdCorrect, cmdForget,
		cmdAccept, cmdReject, cmdSync, cmdStatus, cmdStillTrue, cmdRejectPlace, cmdFollow, cmdAnchorHere, cmdDetach, cmdArchive,
		cmdRememberFile, cmdDismiss, cmdConsolidate, cmdRelease,
	}
}

// ExecuteCommand runs one of our commands.
func (s *server) ExecuteCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	r := s.begin(ctx)
	run, ok := commands()[p.Command]
	if !ok {
		return nil, rpc.InvalidParams("there is no command %q; there are %s", p.Command, strings.Join(commandNames(), ", "))
	}
	answer, err := run(r, ctx, arguments{command: p.Command, raw: p.Arguments, token: p.WorkDoneToken})
	if err != nil {
		return nil, r.hinted(err)
	}
	b, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("answer of %s: %w", p.Command, err)
	}
	return b, nil
}

// hinted adds what a person can do about an error, which clients show.
func (r *request) hinted(err error) error {
	if hint := r.opts.Hint(err); hint != "" {
		return fmt.Errorf("%w. %s", err, hint)
	}
	return err
}

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

// find returns the memory with a uuid and its folder.
func (r *request) find(ctx context.Context, uuid string) (*folder.Folder, memory.Hit, bool) {
	for _, f := range r.folders.All(ctx) {
		if h, ok := f.Memories.View().Get(uuid); ok {
			return f, h, true
		}
	}
	return nil, memory.Hit{}, false
}

// theMemory is find for a command's first argument.
func (r *request) theMemory(ctx context.Context, args arguments) (*folder.Folder, memory.Hit, error) {
	uuid, err := args.uuid()
	if err != nil {
		return nil, memory.Hit{}, err
	}
	f, h, ok := r.find(ctx, uuid)
	if !ok {
		return nil, memory.Hit{}, rpc.InvalidParams("there is no memory %q", uuid)
	}
	return f, h, nil
}

func (r *request) pinMemory(ctx context.Context, args arguments) (any, error) {
	return r.change(ctx, args, func(m folder.Memories, uuid string) (memory.Result, error) { return m.Pin(ctx, uuid, true) })
}

func (r *request) unpinMemory(ctx context.Context, args arguments) (any, error) {
	return r.change(ctx, args, func(m folder.Memories, uuid string) (memory.Result, error) { return m.Pin(ctx, uuid, false) })
}

func (r *request) confirmMemory(ctx context.Context, args arguments) (any, error) {
	return r.change(ctx, args, func(m folder.Memories, uuid string) (memory.Result, error) { return m.Confirm(ctx, uuid) })
}

func (r *request) disputeMemory(ctx context.Context, args arguments) (any, error) {
	var note string
	if err := args.read(1, "a note", &note); err != nil {
		return nil, err
	}
	disputed := ""
	res, err := r.change(ctx, args, func(m folder.Memories, uuid string) (memory.Result, error) {
		disputed = uuid
		return m.Dispute(ctx, uuid, note)
	})
	if err == nil && res.Accepted {
		r.flagged(ctx, disputed)
	}
	return res, err
}

func (r *request) forgetMemory(ctx context.Context, args arguments) (any, error) {
	return r.change(ctx, args, func(m folder.Memories, uuid string) (memory.Result, error) {
		return memory.Result{Accepted: true}, m.Forget(ctx, uuid)
	})
}

// change runs a write on the memory that args name.
func (r *request) change(ctx context.Context, args arguments, write func(folder.Memories, string) (memory.Result, error)) (memory.Result, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		return memory.Result{}, err
	}
	res, err := write(f.Memories, h.Memory.UUID)
	if err != nil {
		return memory.Result{}, fmt.Errorf("%s: %w", args.command, err)
	}
	return r.wrote(ctx, f, res), nil
}

// wrote lets the next request see a write, and tells a person what they would
// not expect of it.
func (r *request) wrote(ctx context.Context, f *folder.Folder, res memory.Result) memory.Result {
	if _, err := f.Memories.Sync(ctx); err != nil {
		r.log.Warn("read memories", "root", f.Root, "err", err)
	}
	switch {
	case !res.Accepted && !res.Draft:
		r.client.Warn("Manicule: not stored: " + res.Reason)
	case res.Reason != "":
		r.client.Info("Manicule: " + res.Reason)
	}
	r.markStale()
	return res
}

func (r *request) acceptMemory(ctx context.Context, args arguments) (any, error) {
	var e edits
	if err := args.read(1, "an object of what to change", &e); err != nil {
		return nil, err
	}
	if answer, held, err := r.acceptHeld(ctx, args, e); held || err != nil {
		return answer, err
	}
	f, uuid, err := r.draft(ctx, args)
	if err != nil {
		return nil, err
	}
	var res memory.Result
	if args.has(1) {
		res, err = f.Memories.AcceptEdited(ctx, uuid, e.apply)
	} else {
		res, err = f.Memories.Accept(ctx, uuid)
	}
	if err != nil {
		return nil, fmt.Errorf("accept %s: %w", uuid, err)
	}
	return r.wrote(ctx, f, res), nil
}

func (r *request) rejectMemory(ctx context.Context, args arguments) (any, error) {
	var reason string
	if err := args.read(1, "a reason", &reason); err != nil {
		return nil, err
	}
	if answer, held, err := r.rejectHeld(ctx, args); held || err != nil {
		return answer, err
	}
	f, uuid, err := r.draft(ctx, args)
	if err != nil {
		return nil, err
	}
	if err := f.Memories.Reject(ctx, uuid, reason); err != nil {
		return nil, fmt.Errorf("reject %s: %w", uuid, err)
	}
	r.markStale()
	return memory.Result{Accepted: true}, nil
}

// draft returns the folder that holds the draft that args name.
func (r *request) draft(ctx context.Context, args arguments) (*folder.Folder, string, error) {
	uuid, err := args.uuid()
	if err != nil {
		return nil, "", err
	}
	for _, f := range r.folders.All(ctx) {
		drafts, err := f.Memories.Drafts(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("drafts of %s: %w", f.Root, err)
		}
		if slices.ContainsFunc(drafts, func(m *file.Memory) bool { return m.UUID == uuid }) {
			return f, uuid, nil
		}
	}
	return nil, "", rpc.InvalidParams("there is no draft %q", uuid)
}

func (r *request) syncAll(ctx context.Context, _ arguments) (any, error) {
	answer := struct {
		Changed bool `json:"changed"`
	}{}
	for _, f := range r.folders.All(ctx) {
		changed, err := f.Memories.Sync(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the memories of %s: %w", f.Root, err)
		}
		answer.Changed = answer.Changed || changed
	}
	r.markStale()
	return answer, nil
}

// statusFolder is a folder in the answer of manicule.status.
type statusFolder struct {
	Dir      string `json:"dir"`
	Root     string `json:"root,omitempty"`
	Memories int    `json:"memories"`
	Problems int    `json:"problems"`
	Error    string `json:"error,omitempty"`
}

func (r *request) status(ctx context.Context, _ arguments) (any, error) {
	answer := struct {
		Version    string         `json:"version"`
		Encoding   string         `json:"encoding"`
		TrustLevel int            `json:"trustLevel,omitzero"`
		Folders    []statusFolder `json:"folders"`
	}{r.opts.Version, string(r.snap.Encoding.Kind()), r.folders.TrustLevel(ctx), []statusFolder{}}
	for _, f := range r.folders.List(ctx) {
		st := statusFolder{Dir: f.Dir, Root: f.Root}
		if f.Err != nil {
			st.Error = f.Err.Error()
		} else {
			v := f.Memories.View()
			st.Memories, st.Problems = len(v.Live()), len(v.Problems())
		}
		answer.Folders = append(answer.Folders, st)
	}
	return answer, nil
}

// fileURI is the URI of a memory's own file.
func fileURI(f *folder.Folder, h memory.Hit) string { return string(f.URI(h.Path)) }

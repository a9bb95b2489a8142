package lsp

import (
	"context"
	"fmt"
	"path/filepath"

	"manicule/lsp/folder"

	"go.lsp.dev/protocol"

	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/gate"
)

// codeHeld is the code of the diagnostic on the file of a memory in quarantine.
const codeHeld = "quarantine"

// heldCandidate is a memory in quarantine as an entry of the review list: to
// accept it is to release it, to reject it is to forget it. A secret is not
// repeated.
func heldCandidate(f *folder.Folder, h memory.Held) candidateItem {
	out := candidateFrom(memory.Candidate{Memory: h.Memory, Sessions: 1, Evidence: []string{h.Why}})
	out.Act, out.Target, out.Held, out.Tainted = "", "", h.Code, true
	if h.Code == string(gate.Secret) {
		out.What, out.Why = "A memory that holds what looks like a secret: "+filepath.Base(f.ClientPath(h.Path)), ""
	}
	return out
}

// held returns the memory in quarantine that a uuid names, and its folder.
func (r *request) held(ctx context.Context, uuid string) (*folder.Folder, memory.Held, bool) {
	for _, f := range r.folders.All(ctx) {
		if h, ok, err := f.Memories.HeldByID(ctx, uuid); err == nil && ok {
			return f, h, true
		}
	}
	return nil, memory.Held{}, false
}

// releaseMemory lets a memory out of quarantine, or notes that one which git
// brought is reviewed here.
func (r *request) releaseMemory(ctx context.Context, args arguments) (any, error) {
	uuid, err := args.uuid()
	if err != nil {
		return nil, err
	}
	f, _, ok := r.held(ctx, uuid)
	if !ok {
		if f, _, ok = r.find(ctx, uuid); !ok {
			return nil, rpc.InvalidParams("there is no memory %q", uuid)
		}
	}
	res, err := f.Memories.Release(ctx, uuid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", args.command, err)
	}
	return r.wrote(ctx, f, res), nil
}

// acceptHeld is what accepting means for a memory in quarantine: it is let out, or
// changed by what a person edited.
func (r *request) acceptHeld(ctx context.Context, args arguments, e edits) (answer any, ok bool, err error) {
	uuid, err := args.uuid()
	if err != nil {
		return nil, false, err
	}
	f, _, ok := r.held(ctx, uuid)
	if !ok {
		return nil, false, nil
	}
	var res memory.Result
	if args.has(1) {
		res, err = f.Memories.Edit(ctx, uuid, e.apply, "edit", "")
	} else {
		res, err = f.Memories.Release(ctx, uuid)
	}
	if err != nil {
		return nil, true, fmt.Errorf("release %s: %w", uuid, err)
	}
	return r.wrote(ctx, f, res), true, nil
}

// rejectHeld forgets a memory in quarantine.
func (r *request) rejectHeld(ctx context.Context, args arguments) (answer any, ok bool, err error) {
	uuid, err := args.uuid()
	if err != nil {
		return nil, false, err
	}
	f, _, ok := r.held(ctx, uuid)
	if !ok {
		return nil, false, nil
	}
	if err := f.Memories.Forget(ctx, uuid); err != nil {
		return nil, true, fmt.Errorf("forget %s: %w", uuid, err)
	}
	return r.wrote(ctx, f, memory.Result{Accepted: true}), true, nil
}

// heldActions are what can be done with the memory in quarantine whose file is
// in the editor.
func (r *request) heldActions(f *folder.Folder, path string, diags []protocol.Diagnostic, add addAction) error {
	for _, pr := range f.Memories.View().Problems() {
		if pr.Held == "" || f.ClientPath(pr.Path) != path {
			continue
		}
		if err := add("release this memory: agents are told it as it is", kindMemory, diags, cmdRelease, pr.UUID); err != nil {
			return err
		}
		return add("forget this memory", kindMemory, diags, cmdReject, pr.UUID)
	}
	return nil
}

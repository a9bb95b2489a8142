// Package follow tracks the current places of the anchors of a workspace's memories.
// It reads from git the state in which an anchor was made, resolves the anchor with
// indexer/anchor, caches the result, and executes a person's decision about it. It
// writes a memory file only in [Tracker.Apply], at a person's request. It must not
// know editors, agents or how a state is shown.
//
// How to use it:
//
//	t := follow.Open(workspace)          // reads nothing yet
//	defer t.Close()
//	report, err := t.Refresh(ctx)        // after opening, a save, a branch switch: resolves what changed
//	places := t.In("src/auth/token.go")  // anchors that are in this file now, followed ones included
//	places = t.Of(uuid)                  // those of a memory, in the order of its anchors
//	live := t.ResolveText(ctx, text)     // anchors in an open buffer; depends on memory and text alone, writes nothing
//	cancel := t.Subscribe(func(follow.Report) { … }) // after each Refresh that changed something
//
// An editor shifts anchors in a buffer by the buffer's edits. When it saves the
// buffer, it reports with [Tracker.Moved] what the files alone can't show, such as
// code that was cut in one file and pasted in another between two saves.
//
// [Tracker.Propose] previews the next version of a memory's anchors (still true,
// follow, anchor here, detach), and [Tracker.Apply] writes it.
//
// [Tracker.At] resolves the anchors of a memory in a commit. [Tracker.Since] compares
// a commit with the working tree.
//
// Inside, places are what the last Refresh found, checkout is the code on disk and in
// commits, a pass resolves anchors with a solver, which reads git, and liveFiles are for
// open buffers.
package follow

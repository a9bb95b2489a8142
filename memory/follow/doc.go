// Package follow owns where the anchors of a workspace's memories are now: it
// asks git for the state that an anchor was made in, lets indexer/anchor climb
// the ladder, keeps what was found, and does what a person decides about it.
// It writes a memory file only in [Tracker.Apply], which is a person's act. It
// must not know editors, agents or how a state is shown.
//
// How to use it:
//
//	t := follow.Open(workspace)          // reads nothing yet
//	defer t.Close()
//	report, err := t.Refresh(ctx)        // after opening, a save, a branch switch: looks again at what changed
//	places := t.In("src/auth/token.go")  // anchors that are in this file now, followed ones too
//	places = t.Of(uuid)                  // those of a memory, in the order of its anchors
//	live := t.ResolveText(ctx, text)  // anchors in an open buffer: a function of memory and text, writes nothing
//	cancel := t.Subscribe(func(follow.Report) { … }) // after each Refresh that changed something
//
// A buffer moves its anchors by its own edits; what can't be found again from
// the files alone (cut here, pasted there, between two saves) is told with
// [Tracker.Moved] when the buffer is saved.
//
// A person's acts: [Tracker.Propose] makes the next version of a memory's
// anchors (still true, follow, anchor here, detach) for a preview, and
// [Tracker.Apply] writes it.
//
// Other states of the tree: [Tracker.At] resolves the anchors of a memory in a
// commit, [Tracker.Since] compares a commit with the working tree.
package follow

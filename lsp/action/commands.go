// Package action executes what a person does in the editor. Each action has one file
// with its command, its offer (a code action or a link) and its execution. The package
// must not know the server.
package action

import (
	"context"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/memory"
)

// command is one of the server's commands (workspace/executeCommand).
type command struct {
	name  string // clients register it globally, so it starts with "manicule."
	run   func(ctx context.Context, c *call) (any, error)
	offer offer
}

// offer is how a command is offered for each memory at a place. A command that depends
// on more than the memory has an offer of its own in its file.
type offer struct {
	title, after string                // of the code action, around the memory's text; "" offers none
	menu         string                // in the menu of the memory; "" offers none
	link         string                // label in a hover; "" offers none
	unless       func(memory.Hit) bool // reports that the command does not apply; nil: it always does
	dismissal    dismissal
}

// dismissal is for which memories a command is offered.
type dismissal int

const (
	always        dismissal = iota
	ifShown                 // only for one that nobody dismissed
	onceDismissed           // only for one that a person dismissed
)

// applies reports whether a command is offered for a memory.
func (o offer) applies(f *folder.Folder, h memory.Hit) bool {
	if o.unless != nil && o.unless(h) {
		return false
	}
	return o.dismissal == always || hidden(f, h) == (o.dismissal == onceDismissed)
}

// commands returns all commands, in the order of code actions and links.
func commands() []command {
	return []command{
		{cmdRemember, remember, offer{}},
		{cmdRememberFile, rememberFile, offer{}},
		{cmdShow, showMemories, offer{}},
		{cmdMenu, openMenu, offer{}},
		{cmdOpen, openMemory, offer{title: "open ", menu: "Open", link: "open"}},
		{cmdEdit, editMemory, offer{title: "edit ", menu: "Edit"}},
		{cmdPin, pinMemory, offer{title: "pin ", menu: "Pin", unless: pinned}},
		{cmdUnpin, unpinMemory, offer{title: "unpin ", menu: "Unpin", unless: unpinned}},
		{cmdConfirm, confirmMemory, offer{title: "confirm ", menu: "Confirm", link: "confirm"}},
		{cmdCorrect, correctMemory, offer{title: "correct ", menu: "Correct"}},
		{cmdDispute, disputeMemory, offer{title: "dispute ", menu: "Dispute"}},
		{cmdWithdraw, withdrawDispute, offer{title: "withdraw the dispute of ", menu: "Withdraw your dispute", unless: undisputed}},
		{cmdResolve, resolveConflict, offer{menu: "Decide between its versions", link: "decide", unless: decided}},
		{cmdRelate, relateMemory, offer{menu: "Relate to another memory"}},
		{cmdForget, forgetMemory, offer{title: "forget ", menu: "Forget"}},
		{cmdDismiss, dismiss, offer{title: "don't show ", after: " here", menu: "Don't show here", dismissal: ifShown}},
		{cmdUndismiss, undismiss, offer{title: "show ", after: " here again", menu: "Show here again", dismissal: onceDismissed}},

		{cmdRevert, revertMemory, offer{}},
		{cmdShowThread, showThread, offer{}},
		{cmdThreadDone, threadDone, offer{}},
		{cmdThreadPark, threadPark, offer{}},
		{cmdReopenThread, reopenThread, offer{}},
		{cmdHandThread, handThread, offer{}},
		{cmdLeaveThread, leaveThread, offer{}},

		{cmdStillTrue, stillTrue, offer{}},
		{cmdRejectPlace, rejectPlace, offer{}},
		{cmdFollow, followMemory, offer{}},
		{cmdAnchorHere, anchorMemory, offer{}},
		{cmdDetach, detachMemory, offer{}},
		{cmdArchive, forgetMemory, offer{}},

		{cmdAccept, acceptMemory, offer{}},
		{cmdAcceptSession, acceptSession, offer{}},
		{cmdReject, rejectMemory, offer{}},
		{cmdTakeBack, takeBack, offer{}},
		{cmdRelease, releaseMemory, offer{}},
		{cmdConsolidate, consolidateMemories, offer{}},
		{cmdSync, syncAll, offer{}},
		{cmdStatus, status, offer{}},
	}
}

// CommandNames returns the names of all commands.
func CommandNames() []string {
	var out []string
	for _, a := range commands() {
		out = append(out, a.name)
	}
	return out
}

// Links are the links of a hover.
func Links() feature.Links {
	return feature.Links{Memory: memoryLinks, Anchor: decisionLinks}
}

func memoryLinks(h memory.Hit) []feature.Link {
	var out []feature.Link
	for _, a := range commands() {
		if a.offer.link != "" && (a.offer.unless == nil || !a.offer.unless(h)) {
			out = append(out, feature.Link{Label: a.offer.link, Command: a.name, Args: []any{h.Memory.UUID}})
		}
	}
	return append(out, feature.Link{Label: "more …", Command: cmdMenu, Args: []any{h.Memory.UUID}})
}

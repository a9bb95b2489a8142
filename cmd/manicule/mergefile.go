package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// exitUnmerged says that nothing was merged and OURS is as it was, where 1 says that a person has to finish the merge.
// The line in git's configuration then has git merge as text.
const exitUnmerged = 255

func unmerged(err error) error { return &codeError{exitUnmerged, err} }

// mergeFileCommand is `manicule merge-file`, which git runs as a merge driver.
type mergeFileCommand struct{ *cli }

func newMergeFileCommand(shared *cli) *cobra.Command {
	mc := &mergeFileCommand{shared}
	return &cobra.Command{
		Use:   "merge-file BASE OURS THEIRS [NAME]",
		Short: "Merge two versions of a memory file, core document or build, as git's merge driver",
		Long: "Merge two versions of a memory file, member by member, and write the result to OURS. git runs\n" +
			"this for memory files where `manicule init` has registered it. Where both sides changed the\n" +
			"words, the result holds both versions: `manicule resolve` lists them, `manicule core` those of a\n" +
			"core document. Of a build the states of slices are merged. The rest is merged as text, with conflict markers and exit code 1.",
		Args:   cobra.RangeArgs(3, 4),
		Hidden: true,
		RunE:   mc.run,
	}
}

func (mc *mergeFileCommand) run(cmd *cobra.Command, args []string) error {
	texts := make([][]byte, 3)
	for i := range texts {
		data, err := treefile.Read(args[i], file.MaxSize)
		if err != nil {
			return mc.asText(cmd, args, err)
		}
		texts[i] = data
	}
	if len(args) == 4 && core.IsFile(args[3]) {
		return mc.mergeCore(cmd, args, texts)
	}
	if len(args) == 4 && strings.HasSuffix(args[3], ".md") {
		return mc.mergeBuild(cmd, args, texts)
	}
	m, err := file.MergeFiles(texts[0], texts[1], texts[2])
	if errors.Is(err, file.ErrOtherMemory) {
		return mc.apart(args, texts)
	}
	if err != nil {
		return mc.asText(cmd, args, err)
	}
	if err := keepAnswers(m, texts); err != nil {
		return unmerged(err)
	}
	data, err := m.Marshal()
	if err != nil {
		return unmerged(err)
	}
	if len(data) > file.MaxSize {
		return mc.asText(cmd, args, errors.New("both versions together are too large for a memory"))
	}
	if err := writeMerged(args[1], data); err != nil {
		return err
	}
	if len(m.Conflict) > 0 {
		mc.warn("memory %s has %d versions now: `manicule resolve %s`", m.ShortID(), len(m.Conflict)+1, m.ShortID())
	}
	return nil
}

// writeMerged replaces our side's file by what was merged.
func writeMerged(path string, data []byte) error {
	mode := os.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	if err := atomicfile.Write(path, data, mode); err != nil {
		return unmerged(&memory.UserError{Msg: err.Error(), Err: err, Hint: "Check the space on the disk; the merge can be run again."})
	}
	return nil
}

// mergeCore merges a core document, part by part.
func (mc *mergeFileCommand) mergeCore(cmd *cobra.Command, args []string, texts [][]byte) error {
	d, data, err := core.MergeFiles(texts[0], texts[1], texts[2])
	if err != nil {
		return mc.asText(cmd, args, err)
	}
	if err := writeMerged(args[1], data); err != nil {
		return err
	}
	if n := len(d.Undecided); n > 0 {
		mc.warn("the core document has %s to decide: `manicule core`", count(n, "text", "texts"))
	}
	return nil
}

// mergeBuild merges the states of a build's slices, and leaves the rest of its text to git.
func (mc *mergeFileCommand) mergeBuild(cmd *cobra.Command, args []string, texts [][]byte) error {
	var settled [3][]byte
	settled[0], settled[1], settled[2] = builds.Settle(texts[0], texts[1], texts[2])
	for _, i := range []int{1, 2, 0} { // git's own copies; base last: if one can't be written, git merges those before it as changes of a side
		if bytes.Equal(settled[i], texts[i]) {
			continue
		}
		if err := writeMerged(args[i], settled[i]); err != nil {
			return err
		}
	}
	return mc.asText(cmd, args, errors.New("both sides changed the same lines"))
}

// keepAnswers completes the merge of a shared thread's file. A side with conflict markers of an earlier merge has no
// one answer.
func keepAnswers(m *file.Memory, texts [][]byte) error {
	sides := make([]*file.Memory, len(texts))
	for i, text := range texts {
		var err error
		if sides[i], err = file.Parse(text); err != nil && i > 0 {
			return nil
		}
	}
	return thread.KeepAnswers(m, sides[0], sides[1], sides[2])
}

// apart leaves the file of a memory alone that git took for another one: where one side deleted a memory and added one,
// the files are so much alike that git merges them as one that was renamed. The merge stops, since what the other side
// changed in the deleted memory is in no file.
func (mc *mergeFileCommand) apart(args []string, texts [][]byte) error {
	sides := make([]*file.Memory, len(texts))
	for i, text := range texts {
		m, err := file.Parse(text)
		if err != nil && i > 0 {
			return unmerged(fmt.Errorf("read a side of the merge: %w", err)) // it was read before
		}
		sides[i] = m
	}
	base, kept, other := sides[0], sides[1], sides[2]
	if base != nil && base.UUID == kept.UUID {
		kept, other = other, kept
		if err := atomicfile.Write(args[1], texts[2], 0o644); err != nil {
			return unmerged(&memory.UserError{Msg: err.Error(), Err: err, Hint: "Check the space on the disk; the merge can be run again."})
		}
	}
	if base == nil || base.UUID != other.UUID {
		return &memory.UserError{Msg: fmt.Sprintf("git took memories %s and %s for one that both sides deleted", kept.ShortID(), other.ShortID()),
			Hint: "Each is in its file: `git add -A .manicule`, and go on."}
	}
	return &memory.UserError{Msg: fmt.Sprintf("git took memory %s, deleted on one side and changed on the other, for %s, which is as it was", other.ShortID(), kept.ShortID()),
		Hint: "`manicule resolve` says how to go on."}
}

// asText leaves the merge to git, which writes conflict markers where it must.
func (mc *mergeFileCommand) asText(cmd *cobra.Command, args []string, why error) error {
	git := exec.CommandContext(cmd.Context(), "git", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", "--", args[1], args[0], args[2])
	git.Stderr = mc.err
	err := git.Run()
	if err == nil {
		return nil
	}
	name := args[len(args)-1]
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		return unmerged(fmt.Errorf("merge %s as text: %w", name, err))
	}
	return &memory.UserError{Msg: fmt.Sprintf("%s is merged as text: %v", name, why), Err: why, Hint: "Mend the file between the conflict markers, then `git add` it."}
}

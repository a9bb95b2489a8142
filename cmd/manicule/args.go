package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/typo"
	"manicule/memory/file"
)

func toStrings[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = string(s)
	}
	return out
}

func join[S ~string](in []S) string { return strings.Join(toStrings(in), ", ") }

// takesIDs reports whether the arguments of a command are ids of memories, drafts or threads. Those of work, sessions, skills
// and records have other forms, and one that may be a place is tried as an id where it is looked up: a type may be called Facade.
func takesIDs(cmd *cobra.Command) bool {
	parent := cmd.Parent()
	if parent == nil || strings.Contains(cmd.Use, "PATH") || !strings.Contains(cmd.Use, " ID") && !strings.Contains(cmd.Use, "[ID") {
		return false
	}
	return !parent.HasParent() || parent.Name() == "review" || parent.Name() == "thread"
}

// typedID is [file.TypedID], unless there is a file of that name.
func typedID(arg string) string {
	if _, err := os.Lstat(arg); err == nil {
		return arg
	}
	return file.TypedID(arg)
}

// complete offers fixed values for a flag in shell completions.
func complete(c *cobra.Command, flag string, values []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is defined beside this call
	}
}

// hide leaves flags out of the help, where another way is the one to learn. They go on working.
func hide(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := c.Flags().MarkHidden(name); err != nil {
			panic(err) // the flag is defined beside this call
		}
	}
}

// usualTypes names the types that people write, as they are printed.
func usualTypes() string {
	var names []string
	for _, t := range []file.Type{file.Gotcha, file.DeadEnd, file.ErrorPattern, file.Decision, file.Convention, file.Requirement, file.Preference, file.Pattern, file.WorkflowRecipe, file.ModuleInsight} {
		names = append(names, t.Label())
	}
	return strings.Join(names, ", ")
}

// joinPlace joins a relative place to a folder.
func joinPlace(dir, place string) string {
	if filepath.IsAbs(place) {
		return place
	}
	slash := strings.HasSuffix(place, "/") // keep the trailing slash of a folder
	p := filepath.Join(dir, place)
	if slash {
		p += "/"
	}
	return p
}

// typeOf returns the type of a name as a person types it; "" is none. The error names those that a
// misspelled one may be.
func typeOf(name string) (file.Type, error) {
	t, known := file.ParseType(name)
	if known || name == "" {
		return t, nil
	}
	var all []string
	for _, t := range file.Types() {
		all = append(all, t.Label())
	}
	return "", usageError(fmt.Sprintf("unknown memory type %q", name), oneOf(name, all))
}

// oneOf is the hint for a word that is none of a few: those that a misspelled one may be, or all.
func oneOf(word string, all []string) string {
	var near []string
	for _, w := range all {
		if _, ok := typo.Meant(w, word); ok {
			near = append(near, w)
		}
	}
	if len(near) > 0 {
		return "Did you mean " + strings.Join(near, " or ") + "?"
	}
	return "Use one of: " + strings.Join(all, ", ") + "."
}

func typeList(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.FieldsFunc(n, func(r rune) bool { return r == ',' })...)
	}
	return out
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"manicule/indexer/clip"
	"manicule/indexer/typo"
	"manicule/memory"
)

// usage is the error for a command line that can't be understood. It shows a line that can.
func usage(cmd *cobra.Command, err error) error {
	hint := "`" + cmd.CommandPath() + " --help` lists what it takes."
	if _, ok := errors.AsType[*needlessError](err); ok && cmd.Annotations[insteadOf] != "" {
		hint = cmd.Annotations[insteadOf]
	} else if example := withID(cmd, exampleWith(cmd, err)); example != "" {
		hint = "`" + example + "`, or " + hint
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && cmd.Annotations[insteadOf+e.GetSpecifiedName()] != "" {
		hint = cmd.Annotations[insteadOf+e.GetSpecifiedName()]
	} else if ok && slices.Contains([]string{"C", "cwd", "dir", "directory"}, e.GetSpecifiedName()) {
		hint = "`" + cmd.CommandPath() + " --root DIR …` is about the workspace of another folder."
	} else if text := dashedText(err); text != "" {
		if text = `"` + text + `"`; len(text) > 60 || strings.ContainsAny(text[1:len(text)-1], "\"$`\\!\n") {
			text = "TEXT"
		}
		hint = "Put it at the end, behind --: `" + cmd.CommandPath() + " -- " + text + "`"
	} else if near := nearFlags(cmd, err); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "? `" + cmd.CommandPath() + " --help` lists what it takes."
	}
	return &codeError{exitUsage, &memory.UserError{Msg: flagWords(err), Err: err, Hint: hint}}
}

// insteadOf begins the name of an annotation of a command: what to use instead of a flag that it does not have, or, with
// nothing behind it, instead of arguments.
const insteadOf = "instead of "

// dashedText returns the text that begins with a dash, as an item of a list does, and was taken for flags; "" if it may be some.
func dashedText(err error) string {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	dash, words := "-", e.GetSpecifiedShortnames()
	if words == "" {
		dash, words = "--", e.GetSpecifiedName()
	}
	if !strings.ContainsFunc(words, unicode.IsSpace) {
		return ""
	}
	return dash + words
}

// nearFlags names the flags of a command that a misspelled one may be, the nearest first.
func nearFlags(cmd *cobra.Command, err error) (out []string) {
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || e.GetSpecifiedShortnames() != "" {
		return nil
	}
	const limit = 2 // edits, and flags that are named
	found := make([][]string, limit+1)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if far, ok := typo.Meant(f.Name, e.GetSpecifiedName()); ok && far <= limit && !f.Hidden {
			found[far] = append(found[far], "--"+f.Name)
		}
	})
	out = slices.Concat(found...)
	return out[:min(limit, len(out))]
}

// swallowedError is a flag without its value before another flag, which pflag takes for it: `edit ID --correct --what "…"`.
type swallowedError struct {
	flag *pflag.Flag
	next string
}

func (e *swallowedError) Error() string {
	return fmt.Sprintf("--%s needs a value before --%s: %s", e.flag.Name, e.next, e.flag.Usage)
}

// swallowed finds a flag of which another flag was taken for the value.
func swallowed(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			name, ok := strings.CutPrefix(v, "--")
			name, _, _ = strings.Cut(name, "=")
			if ok && cmd.Flags().Lookup(name) != nil {
				err = &swallowedError{f, name}
			}
		}
	})
	return err
}

// wholeValue is the value of a flag that takes a whole number from 0 on.
type wholeValue int

func (v *wholeValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	if err == nil {
		*v = wholeValue(n)
	}
	return err
}

func (v *wholeValue) String() string { return strconv.Itoa(int(*v)) }
func (v *wholeValue) Type() string   { return "int" }

// wholeVar defines a flag for a whole number from 0 on.
func wholeVar(f *pflag.FlagSet, to *int, name, short string, otherwise int, usage string) {
	*to = otherwise
	f.VarP((*wholeValue)(to), name, short, usage)
}

// exampleOf returns the command's first example with a flag, or its first one.
func exampleOf(cmd *cobra.Command, flag string) string {
	all := strings.Split(strings.TrimSpace(cmd.Example), "\n")
	for _, line := range all {
		if flag != "" && slices.Contains(strings.Fields(line), "--"+flag) {
			return strings.TrimSpace(line)
		}
	}
	return all[0]
}

// exampleWith returns an example with the flag that an error is about; of a number that is in none, the first example with it.
func exampleWith(cmd *cobra.Command, err error) string {
	flag := flagOf(err)
	example := exampleOf(cmd, flag)
	if flag == "" || example == "" || slices.Contains(strings.Fields(example), "--"+flag) || strings.ContainsAny(example, "|>") {
		return example
	}
	f := cmd.Flags().Lookup(flag)
	if f == nil || valueWord(f.Value.Type()) != "a whole number" {
		return example
	}
	value := f.DefValue
	if value == "0" {
		value = "20"
	}
	return example + " --" + flag + " " + value
}

// exampleID and givenID match the id in an example, and what may be one on a command line.
var (
	exampleID = regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	givenID   = regexp.MustCompile(`^[0-9a-f-]{4,36}$`)
)

// withID puts the id that the command line has into an example, which then can be copied as it stands.
func withID(cmd *cobra.Command, example string) string {
	at := exampleID.FindStringIndex(example)
	if args := cmd.Flags().Args(); at != nil && len(args) > 0 && givenID.MatchString(args[0]) {
		return example[:at[0]] + args[0] + example[at[1]:]
	}
	return example
}

// flagOf returns the flag whose value is wrong or missing, or "".
func flagOf(err error) string {
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return e.GetFlag().Name
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return e.GetFlag().Name
	}
	if e, ok := errors.AsType[*swallowedError](err); ok {
		return e.flag.Name
	}
	return ""
}

// flagWords says what is wrong with a flag.
func flagWords(err error) string {
	if text := dashedText(err); text != "" {
		return "a text that begins with a dash is taken for a flag"
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if short := e.GetSpecifiedShortnames(); short != "" {
			return "there is no flag -" + e.GetSpecifiedName()
		}
		return "there is no flag --" + e.GetSpecifiedName()
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		name, what := pflag.UnquoteUsage(e.GetFlag())
		if name == strings.ToUpper(name) { // it is named in the description
			return fmt.Sprintf("--%s needs a value, as in --%s %s: %s", e.GetFlag().Name, e.GetFlag().Name, name, what)
		}
		return fmt.Sprintf("--%s needs a value: %s", e.GetFlag().Name, what)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := e.GetFlag()
		want := valueWord(f.Value.Type())
		if _, ok := f.Value.(*wholeValue); ok {
			want += " from 0 on"
		}
		if want != "" {
			return fmt.Sprintf("--%s takes %s, not %q", f.Name, want, e.GetValue())
		}
		return fmt.Sprintf("--%s does not take %q: %v", f.Name, e.GetValue(), e.Unwrap())
	}
	return groupWords(err.Error())
}

// groupWords says which flags of a group are missing or exclude each other. cobra has no type for
// these errors.
func groupWords(text string) string {
	if group, ok := between(text, "at least one of the flags in the group [", "]"); ok {
		return "give " + flagList(strings.Fields(group), "or")
	}
	if _, given, _ := strings.Cut(text, "none of the others can be;"); given != "" {
		if group, ok := between(given, "[", "]"); ok {
			return "only one of " + flagList(strings.Fields(group), "and") + " can be given"
		}
	}
	return text
}

// between returns what stands between two parts of a text.
func between(text, before, after string) (string, bool) {
	_, rest, _ := strings.Cut(text, before)
	found, _, ok := strings.Cut(rest, after)
	return found, ok
}

// flagList lists flags, with a word before the last.
func flagList(names []string, word string) string {
	list := "--" + strings.Join(names, ", --")
	if at := strings.LastIndex(list, ", "); at >= 0 {
		return list[:at] + " " + word + list[at+1:]
	}
	return list
}

// valueWord returns what a flag of a type takes, or "" if its own error says so.
func valueWord(kind string) string {
	switch kind {
	case "int", "uint", "int64", "count":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration, such as 30s or 5m"
	}
	return ""
}

// unquoted returns the error for a text that a shell handed over as several words, and false if it
// is something else.
func unquoted(cmd *cobra.Command, args []string, check cobra.PositionalArgs) (error, bool) {
	last := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(cmd.Use), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if slices.Contains([]string{"text", "title", "view", "content"}, word) {
			last = word
		}
	}
	if last == "" {
		return nil, false
	}
	taken := len(args) - 1
	for taken > 0 && check(cmd, args[:taken]) != nil {
		taken--
	}
	text := strings.Join(args[max(0, taken-1):], " ")
	if taken <= 0 || strings.ContainsAny(text, "\"$`\\!") { // which the example would have to escape
		return nil, false
	}
	example := strings.Join(append(append([]string{cmd.CommandPath()}, args[:taken-1]...), `"`+text+`"`), " ")
	msg := fmt.Sprintf("`%s` takes a %s as one argument, and there are several words", cmd.CommandPath(), last)
	return &codeError{exitUsage, &memory.UserError{Msg: msg, Hint: "Put quotes around it: `" + example + "`"}}, true
}

// maxNamedArgs is how many characters are named of what a command does not take.
const maxNamedArgs = 80

// needlessError is about arguments that a command does not take.
type needlessError struct{ command, args string }

func (e *needlessError) Error() string {
	return fmt.Sprintf("`%s` has no use for %q", e.command, clip.MarkedChars(e.args, maxNamedArgs))
}

// argWords says which words of a command line are missing or too many, where cobra only counts
// them. check refused args with err.
func argWords(cmd *cobra.Command, args []string, check cobra.PositionalArgs, err error) error {
	if !strings.HasPrefix(err.Error(), "accepts ") && !strings.HasPrefix(err.Error(), "requires ") && !strings.HasPrefix(err.Error(), "unknown command ") {
		return err // the command's own words
	}
	_, want, _ := strings.Cut(cmd.Use, " ")
	for fewer := len(args) - 1; fewer >= 0; fewer-- {
		if check(cmd, args[:fewer]) == nil {
			return &needlessError{cmd.CommandPath(), strings.Join(args[fewer:], " ")}
		}
	}
	if more := append(append([]string{}, args...), "x"); check(cmd, more) == nil || check(cmd, append(more, "x")) == nil {
		return fmt.Errorf("`%s` needs %s", cmd.CommandPath(), want)
	}
	return err
}

// helpWidth is the length in characters of the lines of the help where there is no terminal, as in a pager.
const helpWidth = 80

// maxProseWidth is the length that no line of a description exceeds.
const maxProseWidth = 96

// fitted breaks the paragraphs of a text that have lines longer than width anew. Indented lines are kept.
func fitted(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		lines := strings.Split(p, "\n")
		long := func(line string) bool { return utf8.RuneCountInString(line) > width }
		indented := func(line string) bool { return strings.HasPrefix(line, " ") }
		if slices.ContainsFunc(lines, long) && !slices.ContainsFunc(lines, indented) {
			paragraphs[i] = filled(strings.Fields(p), width)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// filled puts words into lines of a width.
func filled(words []string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// hanging breaks a text that begins at a column into lines that begin there and end before width.
func hanging(text string, column, width int) string {
	return strings.ReplaceAll(filled(strings.Fields(text), max(width-column, minTextWidth)), "\n", "\n"+strings.Repeat(" ", column))
}

// minTextWidth is the width that a text beside a column of names has in a narrow terminal too.
const minTextWidth = 20

// maxHelpWidth is the length of the lines of flags in a wider terminal: longer ones are hard to read.
const maxHelpWidth = 120

// widthOfHelp is the width of the help: that of the terminal, within what is read well. columns is nil where
// there is no terminal.
func widthOfHelp(columns func() int) int {
	if columns != nil {
		if n := columns(); n > 0 {
			return min(n, maxHelpWidth)
		}
	}
	return helpWidth
}

// pflagExcess is by how many characters pflag's lines exceed the width that it is given.
const pflagExcess = 2

// wrapUsage lets the help of the commands below root break the descriptions of flags and commands into lines
// of a width, under each other.
func wrapUsage(root *cobra.Command, width int) {
	usual := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		to := c.OutOrStdout()
		var text bytes.Buffer
		c.SetOut(&text)
		err := usual(c)
		c.SetOut(to)
		if err != nil {
			return err
		}
		help := text.String()
		for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			if long := flags.FlagUsages(); long != "" {
				help = strings.Replace(help, strings.TrimRight(long, "\n"), strings.TrimRight(flags.FlagUsagesWrapped(width-pflagExcess), "\n"), 1)
			}
		}
		for _, sub := range c.Commands() {
			row := fmt.Sprintf("\n  %-*s ", sub.NamePadding(), sub.Name())
			help = strings.Replace(help, row+sub.Short+"\n", row+hanging(sub.Short, len(row)-1, width)+"\n", 1)
		}
		_, err = io.WriteString(to, help)
		return err
	})
}

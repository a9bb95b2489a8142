package code

import (
	"slices"
	"strings"

	"manicule/indexer/words"
)

// abbreviationList is what programmers shorten: a word, then its abbreviations. It was written down
// before any set was searched with it. Plurals need no entry, as words are compared by their stems.
const abbreviationList = `
address addr
argument arg
attribute attr
authentication auth
authorization auth authz
buffer buf
calculate calc
character char
column col
command cmd
concatenate concat
configuration config conf cfg
connection conn
context ctx
current cur curr
database db
declaration decl
definition def
delete del
description desc
destination dest dst
difference diff
directory dir
document doc
element elem
environment env
error err
execute exec
expression expr
function func fn
generate gen
image img
index idx
information info
initialize init
input stdin
integer int
interface iface
iterator iter
label lbl
length len
library lib
maximum max
message msg
millisecond ms
minimum min
number num
object obj
output stdout
package pkg
parameter param
password passwd pwd
pattern regex
pointer ptr
position pos
previous prev
process proc
property prop
receive recv
reference ref
repository repo
request req
response resp res
second sec
separator sep
source src
specification spec
standard std
statistics stats
string str
synchronize sync
system sys
temporary tmp temp
timestamp ts
token tok
utility util
value val
variable var
vector vec`

// abbreviations holds, by the stem of a word, its abbreviations, and by that of an abbreviation, its
// words.
type abbreviations map[string][]string

func newAbbreviations() abbreviations {
	out := abbreviations{}
	add := func(word, other string) {
		if s := words.Stem(word); !slices.Contains(out[s], other) {
			out[s] = append(out[s], other)
		}
	}
	for line := range strings.Lines(strings.TrimSpace(abbreviationList)) {
		names := strings.Fields(line)
		for _, short := range names[1:] {
			add(names[0], short)
			add(short, names[0])
		}
	}
	return out
}

// of returns what a term of a query may match beside itself.
func (a abbreviations) of(term string) []string {
	word, ok := strings.CutPrefix(term, `"`) // an identifier matches its words already
	if !ok {
		return nil
	}
	return a[words.Stem(strings.TrimSuffix(word, `"`))]
}

// knowAny reports whether a query has a word with abbreviations, or an abbreviation.
func (a abbreviations) knowAny(q words.Query) bool {
	return slices.ContainsFunc(q, func(term string) bool { return len(a.of(term)) > 0 })
}

// allow lets each word of a query match its abbreviations too, and each abbreviation its words: code
// says ctx where a person asks for the context.
func (a abbreviations) allow(q words.Query) words.Query {
	out := make(words.Query, len(q))
	for i, term := range q {
		out[i] = term
		if others := a.of(term); len(others) > 0 {
			out[i] = "(" + term + ` OR "` + strings.Join(others, `" OR "`) + `")`
		}
	}
	return out
}

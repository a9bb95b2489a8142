package event

import "testing"

func TestWithheld(t *testing.T) {
	for text, want := range map[string]bool{
		"Claude requested permissions to write to /repo/a.ts, but you haven't granted it yet.": true,
		"This command requires approval": true,
		"This Bash command contains multiple operations. The following part requires approval: npm test 2 >& 1": true,
		"Permission to use Bash with command rm -rf x has been denied.":                                         true,
		"Permission for this action was denied by the Claude Code auto mode classifier. Reason: it deletes":     true,
		"Exit code 1\nThis command requires approval":                                                           false,
		"deploy: this step requires approval":                                                                   false,
		"The user doesn't want to proceed with this tool use.":                                                  false,
		"": false,
	} {
		if Withheld(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

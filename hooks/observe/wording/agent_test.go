package wording

import "testing"

func TestMessagesOfTheProgram(t *testing.T) {
	for text, want := range map[string]bool{
		"Invalid API key · Please run /login":                             true,
		"API Error: 529 Overloaded. This is a server-side issue.":         true,
		"Please run /login · API Error: 401 {}":                           true,
		"You've hit your session limit · resets 4pm (Europe/London)":      true,
		"You're out of extra usage · resets Feb 22 at 1pm (Europe/Paris)": true,
		"Request timed out":  true,
		"Prompt is too long": true,
		"The API Error came from the proxy. Please run /login in the client.": false,
		"The request timed out since the pool is too small; it is 20 now.":    false,
		"Done. You've hit your limit of lines in two files.":                  false,
	} {
		if got := OfProgram(text); got != want {
			t.Errorf("ofProgram(%q) = %t", text, got)
		}
	}
}

package logrecord

import (
	"strings"
	"testing"
	"time"

	"manicule/hooks/event"
)

// TestBothEnds: of a long prompt and of long last words the log has both ends, and no part of a secret.
func TestBothEnds(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	filler := strings.Repeat("the retry waits, and so on. ", 100)
	long := "Make the retry wait longer. token=" + secret + " " + filler + "token=" + secret + "\nI will push it now."
	r := Of(event.Event{Kind: event.Stop, Prompt: long, Text: long}, time.UnixMilli(1))
	for _, s := range []string{r.Prompt, r.Text} {
		if len(s) > textBytes || !strings.HasPrefix(s, "Make the retry wait longer.") || !strings.HasSuffix(s, "I will push it now.") || strings.Contains(s, secret[:12]) {
			t.Errorf("%d bytes: %q", len(s), s)
		}
	}
	if !r.Cut {
		t.Error("it is not marked as cut")
	}
	if short := Of(event.Event{Kind: event.Stop, Text: "Done."}, time.UnixMilli(1)); short.Text != "Done." || short.Cut {
		t.Errorf("%+v", short)
	}
	if multi := Of(event.Event{Text: strings.Repeat("é", 2000)}, time.UnixMilli(1)); strings.ContainsRune(multi.Text, '\uFFFD') || len(multi.Text) > textBytes {
		t.Errorf("%q", multi.Text)
	}
}

package episode

import (
	"slices"
	"testing"
)

func TestGeneral(t *testing.T) {
	shared := func(w string) bool { return slices.Contains([]string{"add", "api", "endpoint", "releas"}, w) }
	for task, want := range map[string]string{
		"Add an API endpoint for orders":                     "Add an API endpoint for …",
		"Add an API endpoint for order items, please":        "Add an API endpoint for … please",
		"Prepare the release":                                "Prepare the release", // its first word varies
		"Add a mailer with a queue behind it for the tenant": "Add a mailer with a queue behind it for the tenant",
		"Add dark mode":                                      "Add dark mode",
		"":                                                   "",
	} {
		if got := general(task, shared); got != want {
			t.Errorf("%q: %q, want %q", task, got, want)
		}
	}
}

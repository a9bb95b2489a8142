// Command floor is the least that a hook can be in Go: it decodes the event
// and exits.
package main

import (
	"encoding/json"
	"os"
)

func main() {
	var event map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&event); err != nil {
		os.Exit(1)
	}
}

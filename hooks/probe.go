package hooks

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"manicule/hooks/agent"
)

// Probe returns a harmless event as an agent would send it in a folder, to test an
// installed command line. It names no session, so that no trace of it is kept.
func Probe(id, dir string) ([]byte, error) {
	a, ok := agent.Lookup(id)
	if !ok {
		return nil, fmt.Errorf("there is no agent %q", id)
	}
	data, err := json.Marshal(a.Wire.Probe(dir), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write a probe: %w", err)
	}
	return data, nil
}

package install

import (
	"bytes"
	"errors"
	"strings"

	"manicule/hooks/agent/spec"
)

// addPlugin writes the plugin file of an agent without hooks in its configuration.
func addPlugin(a spec.Agent, existing []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(existing)) > 0 && !bytes.HasPrefix(existing, []byte(spec.PluginMark)) {
		return nil, errors.New("the plugin file was not written by Manicule, so nothing was changed")
	}
	plain := spec.Quote(spec.Server + " hook " + a.ID)
	return []byte(strings.Replace(a.Hooks.Plugin, plain, spec.Quote(command), 1)), nil
}

func removePlugin(existing []byte) (out []byte, empty bool, err error) {
	if len(bytes.TrimSpace(existing)) == 0 || bytes.HasPrefix(existing, []byte(spec.PluginMark)) {
		return nil, true, nil
	}
	return existing, false, nil
}

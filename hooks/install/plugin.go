package install

import (
	"bytes"
	_ "embed"
	"errors"
	"strings"
)

// pluginMark is how a plugin file that we wrote is known.
const pluginMark = "// Written by `manicule init`"

//go:embed manicule.js
var pluginSource string

// addPlugin writes OpenCode's plugin, which has no configuration to add to.
func addPlugin(existing []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(existing)) > 0 && !bytes.HasPrefix(existing, []byte(pluginMark)) {
		return nil, errors.New("the plugin file is somebody else's, so nothing was changed")
	}
	return []byte(strings.Replace(pluginSource, `"manicule hook opencode"`, quote(command), 1)), nil
}

func removePlugin(existing []byte) (out []byte, empty bool, err error) {
	if len(bytes.TrimSpace(existing)) == 0 || bytes.HasPrefix(existing, []byte(pluginMark)) {
		return nil, true, nil
	}
	return existing, false, nil
}

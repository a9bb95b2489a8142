// Package release owns the build information of our programs: the version and the
// versions of their parts. It must not know what any of them does.
package release

import (
	"runtime"
	"runtime/debug"

	"manicule/memory/file"
	"manicule/memory/leader"
	"manicule/memory/store"
)

// Version is set by the linker in a release.
var Version = "0.1.0-dev"

// revision is the commit, where the linker sets it at a release; else Go knows it.
var revision string

// Info describes a program's build.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Module   string `json:"module,omitzero"`
	Format   int    `json:"memory_format"`
	// State is the schema of state.db: another program of a lower one leaves it alone.
	State int `json:"state_schema"`
	// Leader is the version of what processes say to each other.
	Leader int `json:"leader_protocol"`
}

// Current describes this program's build.
func Current() Info {
	i := Info{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Revision: revision, Format: file.Format, State: store.StateSchema(), Leader: leader.Protocol}
	if build, ok := debug.ReadBuildInfo(); ok {
		i.Module = build.Main.Path
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" && i.Revision == "" {
				i.Revision = s.Value
			}
		}
	}
	return i
}

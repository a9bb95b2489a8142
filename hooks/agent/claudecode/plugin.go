package claudecode

import (
	_ "embed"

	"manicule/hooks/agent/spec"
	"manicule/hooks/guide"
)

// The plugin's commands, as they stand in the package.
var (
	//go:embed commands/recall.md
	recallCommand string
	//go:embed commands/remember.md
	rememberCommand string
	//go:embed commands/review.md
	reviewCommand string
)

func plugin(version string) []spec.PackageFile {
	owner := spec.Object{{"name", "Manicule"}}
	manifest := spec.Object{
		{"name", spec.Server}, {"displayName", "Manicule"}, {"version", version}, {"description", spec.PackageText},
		{"author", owner}, {"license", spec.License}, {"keywords", []string{"memory", "knowledge", "code"}},
	}
	marketplace := spec.Object{
		{"name", spec.Server}, {"owner", owner}, {"metadata", spec.Object{{"description", spec.PackageText}}},
		{"plugins", []spec.Object{
			{{"name", spec.Server}, {"source", "./"}, {"description", spec.PackageText}},
			goplsPlugin(version),
		}},
	}
	return []spec.PackageFile{
		{Path: ".claude-plugin/plugin.json", JSON: manifest},
		{Path: ".claude-plugin/marketplace.json", JSON: marketplace},
		{Path: "skills/memories/SKILL.md", Text: "---\nname: memories\ndescription: \"" + guide.When() + "\"\n---\n\n" + guide.Skill()},
		{Path: "commands/recall.md", Text: recallCommand},
		{Path: "commands/remember.md", Text: rememberCommand},
		{Path: "commands/review.md", Text: reviewCommand},
	}
}

// goplsPlugin is a separate plugin. Claude Code runs one language server for a file type,
// so a server of Manicule's own would keep gopls from starting.
func goplsPlugin(version string) spec.Object {
	return spec.Object{
		{"name", spec.Server + "-gopls"}, {"source", "./gopls"}, {"version", version}, {"strict", false},
		{"description", "gopls with what Manicule knows in its hovers and problems. It takes the place of another plugin for Go."},
		{"lspServers", spec.Object{{"gopls", spec.Object{
			{"command", "manicule"}, {"args", []string{spec.WordLSP, "--wrap", "gopls"}},
			{"extensionToLanguage", spec.Object{{".go", "go"}, {".mod", "go.mod"}, {".sum", "go.sum"}, {".work", "go.work"}}},
		}}}},
	}
}

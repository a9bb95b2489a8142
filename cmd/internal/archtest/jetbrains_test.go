package archtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"manicule/grammars"
	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "write the files that are made from the languages")

// fileType is an entry of a template's fileTypeMappings, as LSP4IJ reads it
// (https://github.com/redhat-developer/lsp4ij/blob/main/docs/UserDefinedLanguageServerTemplate.md).
type fileType struct {
	FileType struct {
		Patterns []string `json:"patterns"`
	} `json:"fileType"`
	LanguageID string `json:"languageId"`
}

// TestJetBrainsTemplate: the template for JetBrains' editors names the files of each language.
func TestJetBrainsTemplate(t *testing.T) {
	const name = "../../../extensions/jetbrains/manicule/template.json"
	template := struct {
		ID          string            `json:"id"`
		Name        string            `json:"name"`
		ProgramArgs map[string]string `json:"programArgs"`
		FileTypes   []fileType        `json:"fileTypeMappings"`
	}{
		ID: "manicule", Name: "Manicule",
		ProgramArgs: map[string]string{"default": "manicule lsp", "windows": "manicule.exe lsp"},
	}
	for _, l := range grammars.All() {
		f := fileType{LanguageID: l.ID}
		for _, ext := range l.Extensions {
			f.FileType.Patterns = append(f.FileType.Patterns, "*"+ext)
		}
		f.FileType.Patterns = append(f.FileType.Patterns, l.Filenames...)
		template.FileTypes = append(template.FileTypes, f)
	}
	want, err := json.MarshalIndent(template, "", "  ")
	must.OK(t, err)
	want = append(want, '\n')
	if *update {
		must.Write(t, name, want)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the languages make: go test ./cmd/internal/archtest -run JetBrains -update (%v)", name, err)
	}
}

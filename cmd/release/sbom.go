package main

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeSBOM writes what an archive is made of, in the format CycloneDX. Its serial
// number follows from the archive, and its time is the commit's.
func writeSBOM(out string, p project, version, archive string, list []library, when time.Time) error {
	sum, err := sha256Of(archive)
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.Repository+"#"+sum)).URN()
	main := cdx.Component{
		BOMRef: "pkg:github/" + p.Slug() + "@" + version, Type: cdx.ComponentTypeApplication, Name: p.Name, Version: version, Description: p.Description,
		PackageURL: "pkg:github/" + p.Slug() + "@" + version, Licenses: licenses(p.License),
		Hashes:             &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
		ExternalReferences: &[]cdx.ExternalReference{{Type: cdx.ERTypeVCS, URL: p.Repository}, {Type: cdx.ERTypeDistribution, URL: p.Download(version, filepath.Base(archive))}},
	}
	bom.Metadata = &cdx.Metadata{Timestamp: when.Format(time.RFC3339), Component: &main}
	var parts []cdx.Component
	var refs []string
	for _, l := range list {
		c := cdx.Component{BOMRef: reference(l), Type: cdx.ComponentTypeLibrary, Name: l.Path, Version: l.Version, PackageURL: reference(l), Licenses: licenses(l.License)}
		parts = append(parts, c)
		refs = append(refs, c.BOMRef)
	}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return toFile(out, func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

// reference is a library's package URL.
func reference(l library) string {
	kind := "golang"
	if l.Path != "std" && l.Sum == "" {
		kind = "generic"
	}
	out := "pkg:" + kind + "/" + l.Path
	if l.Version != "" {
		out += "@" + l.Version
	}
	return out
}

func licenses(name string) *cdx.Licenses {
	if strings.Contains(name, " ") {
		return &cdx.Licenses{{Expression: name}}
	}
	return &cdx.Licenses{{License: &cdx.License{ID: name}}}
}

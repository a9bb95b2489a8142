package secret

import (
	"strings"
	"testing"
)

// fake puts a secret together at run time, so that this file holds none.
func fake(prefix string, n int) string {
	const chars = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW"
	return prefix + strings.Repeat(chars, n/len(chars)+1)[:n]
}

// TestMaskTokens: what has the form of a secret is masked, and what only resembles one stays.
func TestMaskTokens(t *testing.T) {
	jwt := fake("eyJ", 20) + "." + fake("eyJ", 30) + "." + fake("", 43)
	for _, tc := range []struct{ in, want string }{
		{"x-eyJ" + strings.Repeat("a", 60) + "-ghp_" + strings.Repeat("b", 36) + " y", "x-eyJ" + strings.Repeat("a", 60) + "-[github token] y"}, // behind what is none
		{"nothing here: just = text", "nothing here: just = text"},
		{"AK" + "IA" + "IOSFODNN7EXAMPLQ.", "[aws key]."},
		{"export X=" + fake("ghp_", 36) + " y", "export X=[github token] y"},
		{fake("github_pat_", 82), "[github token]"},
		{"slack " + "xox" + "b-1234567890-" + fake("", 24), "slack [slack token]"},
		{fake("AIza", 35), "[google key]"},
		{"k " + fake("sk-ant-api03-", 80) + ",", "k [anthropic key],"},
		{jwt, "[jwt]"},
		{"Authorization: Bearer " + fake("", 40), "Authorization: Bearer [credentials]"},
		{"a\n-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[private key]\nb"},
		{"-----BEGIN PRIVATE" + " KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF", "[private key]"},
		{"-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----"},
		{"postgres://bob:" + fake("", 12) + "@host/db", "postgres://bob:[password]@host/db"},
		{"https://host:8080/a@b", "https://host:8080/a@b"},
		{`{"api_key": "` + fake("", 32) + `"}`, `{"api_key": "[secret]"}`},
		{"AWS_SECRET_ACCESS_KEY=" + fake("", 40), "AWS_SECRET_ACCESS_KEY=[secret]"},
		{`password = "hunter22"`, `password = "[password]"`},
		{"password = os.environ['DB']", "password = os.environ['DB']"},
		{"token: ${TOKEN}", "token: ${TOKEN}"},
		{"token = getToken(ctx)", "token = getToken(ctx)"},
		{"the token: refreshed silently", "the token: refreshed silently"},
		{"tokenHash := sha256.Sum256(b)", "tokenHash := sha256.Sum256(b)"},
		{"commit 3f2a1c9d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b", "commit 3f2a1c9d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b"},
	} {
		if got := Mask(tc.in); got != tc.want {
			t.Errorf("Mask(%q)\n got %q\nwant %q", tc.in, got, tc.want)
		}
	}
}

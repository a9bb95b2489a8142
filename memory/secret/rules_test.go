package secret

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMaskOnRules measures the masker on the examples of gitleaks' own rules,
// for the services it claims to know, and on what those rules call harmless.
func TestMaskOnRules(t *testing.T) {
	claimed := []string{"aws-", "gcp-api-key", "github-", "slack-", "gitlab-pat", "private-key", "jwt", "stripe-", "npm-", "anthropic-", "openai-", "sendgrid-", "huggingface-access", "shopify-", "curl-auth-header"}
	by := map[string]*tally{}
	var known, others, harmless tally
	readJSON(t, filepath.Join(folder(t), "secrets", "dev", "gitleaks_rules.jsonl"), func(e struct {
		Rule   string `json:"rule"`
		Secret bool   `json:"secret"`
		Text   string `json:"text"`
	}) {
		sum := &others
		switch {
		case !e.Secret:
			sum = &harmless
		case slices.ContainsFunc(claimed, func(p string) bool { return strings.HasPrefix(e.Rule, p) }):
			sum = &known
			if by[e.Rule] == nil {
				by[e.Rule] = &tally{}
			}
			by[e.Rule].all++
		}
		sum.all++
		if Mask(e.Text) != e.Text {
			sum.hit++
			if sum == &known {
				by[e.Rule].hit++
			}
		}
	})
	for rule, s := range by {
		t.Logf("%-40s %d of %d", rule, s.hit, s.all)
	}
	t.Logf("known services %d of %d, other services %d of %d, harmless %d of %d", known.hit, known.all, others.hit, others.all, harmless.hit, harmless.all)
	if known.hit*100 < known.all*95 {
		t.Errorf("of known services' secrets %d of %d are masked", known.hit, known.all)
	}
}

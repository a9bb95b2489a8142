package secret

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestMaskOnRules measures the masker on the examples of gitleaks' own rules,
// for the services it claims to know, and on what those rules call harmless.
func TestMaskOnRules(t *testing.T) {
	f, err := os.Open("../../../shared/data/secrets/dev/gitleaks_rules.jsonl")
	if err != nil {
		t.Skip("the examples are not here")
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	claimed := []string{"aws-", "gcp-api-key", "github-", "slack-", "gitlab-pat", "private-key", "jwt", "stripe-", "npm-", "anthropic-", "openai-", "sendgrid-", "huggingface-access", "shopify-", "curl-auth-header"}
	type tally struct{ hit, all int }
	by := map[string]*tally{}
	var known, others, harmless tally
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Rule   string `json:"rule"`
			Secret bool   `json:"secret"`
			Text   string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
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
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for rule, s := range by {
		t.Logf("%-40s %d of %d", rule, s.hit, s.all)
	}
	t.Logf("known services %d of %d, other services %d of %d, harmless %d of %d", known.hit, known.all, others.hit, others.all, harmless.hit, harmless.all)
	if known.hit*100 < known.all*95 {
		t.Errorf("of known services' secrets %d of %d are masked", known.hit, known.all)
	}
}

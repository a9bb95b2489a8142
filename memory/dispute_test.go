package memory

import (
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
)

func TestDispute(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Refresh fails silently", At: []string{"src/auth/token.go#Validate"}})
	dispute := func(by, view string) Result {
		t.Helper()
		w.maker.user = by
		r, err := w.Edits().Dispute(t.Context(), m.UUID, view)
		must.OK(t, err)
		return r
	}
	dispute("bea", "it throws since v2")
	dispute("cem", "only on the first try")
	r := dispute("bea", "it throws since v3")
	var views []string
	for _, d := range r.Memory.Trust.Views() {
		views = append(views, d.By+": "+d.Says)
	}
	if got := strings.Join(views, "; "); !strings.Contains(got, "bea: it throws since v3") || !strings.Contains(got, "cem: only on") || len(views) != 2 || r.Memory.What != "Refresh fails silently" {
		t.Errorf("views %s beside %s", got, r.Memory.What)
	}
	if r := dispute("bea", strings.Repeat("x", maxView+1)); r.Accepted || r.Code != "malformed" {
		t.Errorf("a view of any length: %+v", r)
	}
	if r := dispute("bea", "use the token AKIA"+"Z7QXW2KD5RTVYB3N now"); r.Accepted && strings.Contains(r.Memory.Trust.DisputeNote, "Z7QXW2KD5RTVYB3N") {
		t.Errorf("a secret is kept: %+v", r)
	}
	w.maker.user = "dee"
	if r, err := w.Edits().WithdrawDispute(t.Context(), m.UUID); err != nil || r.Accepted || !strings.Contains(r.Reason, "--confirm") {
		t.Errorf("another's dispute was withdrawn: %+v, %v", r, err)
	}
	w.maker.user = "bea"
	if r, err := w.Edits().WithdrawDispute(t.Context(), m.UUID); err != nil || Disputants(r.Memory) != "cem" || r.Memory.Trust.DisputedBy != "cem" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.Edits().Confirm(t.Context(), m.UUID); err != nil || r.Memory.Trust.Disputed() || r.Memory.Trust.Disputes != nil {
		t.Errorf("a confirmation settles nothing: %+v, %v", r, err)
	}
}

// TestDisputeWritesNothingAnew: a doubt does not make a memory younger; the doubt itself has its time.
func TestDisputeWritesNothingAnew(t *testing.T) {
	w, clock := open(t, t.TempDir(), 1)
	m := remember(t, w, Draft{What: "Refresh fails silently"})
	clock.pass(100 * 24 * time.Hour)
	then := w.now()
	r, err := w.Edits().Dispute(t.Context(), m.UUID, "it throws")
	if err != nil || !r.Accepted {
		t.Fatal(r, err)
	}
	if got := r.Memory; !got.UpdatedAt.Equal(m.UpdatedAt.Time) || got.VersionAt().Before(then.Add(-time.Second)) || got.Lineage.Version != 2 {
		t.Errorf("disputed: changed at %s, version %d at %s", got.UpdatedAt, got.Lineage.Version, got.VersionAt())
	}
	clock.pass(24 * time.Hour)
	if r, err = w.Edits().WithdrawDispute(t.Context(), m.UUID); err != nil || !r.Accepted || r.Memory.UpdatedAt.Before(then.Add(time.Hour)) {
		t.Errorf("withdrawn: %+v, %v", r, err)
	}
}

// TestDisputeByAgent: an agent's view is a draft, and a person who lets it in stands for it.
func TestDisputeByAgent(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Refresh fails silently"})
	r, err := w.Drafts().Propose(t.Context(), Change{Act: ActDispute, Memory: m.UUID, Reason: "The test shows that it throws", Tool: "claude-code", Tainted: true})
	if err != nil || !r.Draft {
		t.Fatal(r, err)
	}
	if h, err := w.Get(t.Context(), m.UUID); err != nil || h.Memory.Trust.Disputed() {
		t.Fatalf("disputed before anybody looked: %+v, %v", h.Memory, err)
	}
	done, err := w.Decisions().Accept(t.Context(), r.Memory.UUID)
	if err != nil || !done.Accepted || done.Act != ActDispute {
		t.Fatal(done, err)
	}
	views := done.Memory.Trust.Views()
	if len(views) != 1 || views[0].By != "ada" || views[0].Agent != "claude-code" || views[0].Says != "The test shows that it throws" || !done.Memory.Trust.Tainted {
		t.Errorf("%+v", done.Memory.Trust)
	}
}

// TestWithdrawTakesBackTrust: what a view did to the trust in a memory ends with it.
func TestWithdrawTakesBackTrust(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Refresh fails silently"})
	if _, err := w.Edits().Confirm(t.Context(), m.UUID); err != nil {
		t.Fatal(err)
	}
	before, err := w.Get(t.Context(), m.UUID)
	must.OK(t, err)
	r, err := w.Drafts().Propose(t.Context(), Change{Act: ActDispute, Memory: m.UUID, Reason: "The page says that it throws", Tool: "claude-code", Tainted: true})
	must.OK(t, err)
	if _, err := w.Decisions().Accept(t.Context(), r.Memory.UUID); err != nil {
		t.Fatal(err)
	}
	w.maker.user = "bea"
	if _, err := w.Edits().Dispute(t.Context(), m.UUID, "it throws since v2"); err != nil {
		t.Fatal(err)
	}
	w.maker.user = "ada"
	r, err = w.Edits().WithdrawDispute(t.Context(), m.UUID)
	if err != nil || r.Memory.Trust.Tainted || r.Memory.Trust.VerifiedBy != "" || Disputants(r.Memory) != "bea" {
		t.Errorf("bea disputes still: %+v, %v", r.Memory.Trust, err)
	}
	w.maker.user = "bea"
	r, err = w.Edits().WithdrawDispute(t.Context(), m.UUID)
	must.OK(t, err)
	if got, want := r.Memory.Trust, before.Memory.Trust; got.Tainted || got.Disputed() || got.VerifiedBy != want.VerifiedBy || got.VerifiedAt == nil || !got.VerifiedAt.Equal(want.VerifiedAt.Time) {
		t.Errorf("trust %+v, before the dispute %+v", got, want)
	}
}

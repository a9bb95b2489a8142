package store

import (
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"manicule/indexer/sqlfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// statements reads every query constant of this package from its source, so
// that none can be forgotten here.
func statements(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]ast.Expr{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 && isStatement(v.Names[0].Name) {
				written[v.Names[0].Name] = v.Values[0]
			}
			return true
		})
	}
	out := map[string]string{}
	for name, e := range written {
		out[name] = text(t, e, written)
	}
	return out
}

// isStatement: qReaching is one, quickBusy is not.
func isStatement(name string) bool {
	return len(name) > 1 && name[0] == 'q' && name[1] >= 'A' && name[1] <= 'Z'
}

// text evaluates a string constant: a literal, another one, or a sum.
func text(t *testing.T, e ast.Expr, known map[string]ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return s
	case *ast.Ident:
		if known[e.Name] == nil {
			t.Fatalf("a statement has the unknown part %s", e.Name)
		}
		return text(t, known[e.Name], known)
	case *ast.BinaryExpr:
		return text(t, e.X, known) + text(t, e.Y, known)
	}
	t.Fatalf("a statement is built in another way: %T", e)
	return ""
}

func migrated(t *testing.T, dir string) *sqlfile.DB {
	t.Helper()
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: filepath.Join(t.TempDir(), "x.db"), Busy: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // a test's database
	fsys := migrations(memoriesSQL, "memories")
	switch dir {
	case "state":
		fsys = migrations(stateSQL, "state")
	case "vectors":
		fsys = migrations(vectorsSQL, "vectors")
	}
	if err := db.Migrate(t.Context(), fsys, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestEveryStatementPrepares(t *testing.T) {
	dbs := []*sqlfile.DB{migrated(t, "memories"), migrated(t, "state"), migrated(t, "vectors")}
	list := statements(t)
	if len(list) < 200 {
		t.Fatalf("only %d statements found", len(list))
	}
	for name, q := range list {
		if strings.Contains(q, "%q") || strings.Contains(q, "%[1]q") || name == "qLatestRecord" {
			continue // a name is filled in, or it is a condition of others
		}
		var errs []error
		for _, db := range dbs {
			st, err := db.PrepareContext(t.Context(), q)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(errs) == len(dbs) {
			t.Errorf("%s can be prepared on none of the databases: %v", name, errors.Join(errs...))
		}
	}
}

// TestHotPlans pins how the queries of the nudge, recall and search are run.
func TestHotPlans(t *testing.T) {
	db := migrated(t, "memories")
	list := statements(t)
	var b strings.Builder
	hot := []string{"qReaching", "qReachingDir", "qOutlines", "qOutlinesDir", "qSearch", "qRowByUUID", "qByDedupeKey", "qKnownPath", "qHookRowsAt"}
	sort.Strings(hot)
	for _, name := range hot {
		b.WriteString(name + "\n")
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+list[name], "", "", "")
		if err != nil {
			rows, err = db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+list[name], "x", "x")
		}
		if err != nil {
			rows, err = db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+list[name], "x")
		}
		if err != nil {
			rows, err = db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+list[name])
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for rows.Next() {
			var id, parent, x int
			var detail string
			if err := rows.Scan(&id, &parent, &x, &detail); err != nil {
				t.Fatal(err)
			}
			b.WriteString("  " + detail + "\n")
			if strings.HasPrefix(detail, "SCAN memories") && !strings.Contains(detail, "INDEX") && !strings.Contains(detail, "VIRTUAL") {
				t.Errorf("%s reads every memory: %s", name, detail)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	golden := filepath.Join("testdata", "plans.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("query plans changed (-update accepts them):\n%s", b.String())
	}
}

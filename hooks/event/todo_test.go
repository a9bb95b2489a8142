package event

import (
	"testing"

	"manicule/indexer/must"
)

func TestTodo(t *testing.T) {
	for _, tt := range []struct{ tool, input, act, query string }{
		{"TodoWrite", `{"todos":[{"content":"Add  tests","status":"in_progress"},{"content":"Plan","status":"completed"}]}`, "replaces", "[~] Add tests\n[x] Plan"},
		{"update_plan", `{"plan":[{"step":"Parse","status":"pending"},{"step":"Read","status":"cancelled"}]}`, "replaces", "Parse\n[x] Read"},
		{"update_todo", `{"todos":"- [x] Read\n  - [ ] Parse it\n* [ ] \n"}`, "replaces", "Parse it\n[x] Read"},
		{"TaskCreate", `{"subject":"Fix the\nparser","description":"long"}`, "adds", "Fix the parser"},
		{"TaskUpdate", `{"taskId":"2","status":"completed"}`, "sets", "2 done"},
		{"TaskUpdate", `{"taskId":"2","status":"in_progress","subject":"Fix it all"}`, "sets", "2 going Fix it all"},
		{"TaskUpdate", `{"taskId":"2","status":"pending"}`, "sets", "2 open"},
		{"TaskUpdate", `{"taskId":"2","status":"\"completed\""}`, "sets", "2 done"},
		{"TaskUpdate", `{"taskId":"3","addBlockedBy":["1"]}`, "sets", "3 -"},
		{"ExitPlanMode", `{"plan":"# Plan: Move  the queue\n\n## Context"}`, "", "Move the queue"},
		{"ExitPlanMode", `{"plan":"\n# Plan-First Pipeline\n"}`, "", "Plan-First Pipeline"},
		{"exit_plan_mode", `{"plan":"# Implementation Plan\n\nMove the queue"}`, "", "Move the queue"},
		{"AskUserQuestion", `{"questions":[{"question":"Which queue?","header":"Queue"}]}`, "", "Which queue?"},
		{"ask_user", `{"question":"Which queue?"}`, "", "Which queue?"},
		{"TaskList", `{}`, "", ""},
		{"Task", `{"description":"look"}`, "", ""},
	} {
		v, err := ScanString(`{"i":` + tt.input + `}`)
		must.OK(t, err)
		if c := NewCall(tt.tool, "1", v.Get("i")); string(TodoActOf(tt.tool)) != tt.act || c.Query != tt.query {
			t.Errorf("%s %s: %q %q", tt.tool, tt.input, TodoActOf(tt.tool), c.Query)
		}
	}
}

func TestTodoItemNumber(t *testing.T) {
	for _, tt := range []struct {
		tool, response string
		number         int
	}{
		{"TaskCreate", `"Task #278 created successfully: Fix #12"`, 278},
		{"TaskCreate", `{"task":{"id":"26","subject":"Fix the parser"}}`, 26},
		{"TaskCreate", `{"taskId":3}`, 3},
		{"TaskCreate", `[{"type":"text","text":"Task #4 created successfully: Fix"}]`, 4},
		{"TaskCreate", `{"subject":"Fix #12"}`, 0},
		{"TaskCreate", `{"id":"3f2a","subject":"Fix the parser"}`, 0},
		{"TaskCreate", `null`, 0},
		{"TaskCreate", `"created"`, 0},
		{"create_file", `"Task #5 created"`, 0},
	} {
		v, err := ScanString(`{"i":{"subject":"#7 Fix  the parser"},"r":` + tt.response + `}`)
		must.OK(t, err)
		c := NewCall(tt.tool, "1", v.Get("i"))
		want := c.Query
		c.Result(v.Get("r"))
		if n, text := TodoItem(c.Query); n != tt.number || text != want {
			t.Errorf("%s %s: %d %q", tt.tool, tt.response, n, text)
		}
	}
}

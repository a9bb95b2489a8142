package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/gate"
	"manicule/memory/plans"
)

type buildIn struct {
	Name string `json:"name"` // of the build; the one that is worked on when empty
	// New is the title of a build to begin, with its brief and technical context; Add a slice to append to a phase and a
	// deliverable; Slice one whose state changes.
	New         string `json:"new"`
	Brief       string `json:"brief"`
	Context     string `json:"context"`
	Add         string `json:"add"`
	Phase       string `json:"phase"`
	Deliverable string `json:"deliverable"`
	Slice       string `json:"slice"`
	Status      string `json:"status"`
	Why         string `json:"why"`
}

// BuildAnswer is a build as an agent is shown it.
type BuildAnswer struct {
	Name   string
	Status string // "" after a change, when Plan is what was changed
	Plan   []nudge.BuildLine
}

func (s *server) addBuildTool() {
	tool(s, buildTool, "The build under way: phases, deliverables and slices of work with their states, in .manicule/builds. Read it before you plan. Set a slice's status when you begin, finish or can't go on; add what is missing.", additive(),
		objectSchema(object{"name": text(), "new": with(text(), "a title"), "brief": text(), "context": with(text(), "technical"), "add": with(text(), "a slice"), "phase": text(), "deliverable": text(),
			"slice": with(text(), "number or words"), "status": with(text(), "planned, in progress, blocked, done"), "why": text()}), objectSchema(object{"plan": rowLists()}), s.tools.builds.build)
}

// buildTool is the name of the tool for builds. It is listed only where there are builds, since
// every listed tool costs each session its description.
const buildTool = "build"

// hideIdle leaves the tools for builds and for units of work out of the list where there are none.
func (s *server) hideIdle(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListToolsResult)
		if !ok || err != nil {
			return res, err
		}
		builds, works := false, false
		if sp, err := s.spaces.current(ctx); err == nil {
			found, _ := plans.Of(sp.Memories).All() // a damaged one is named when it is asked for
			builds, works = len(found) > 0, !hideWork(sp)
		}
		list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == buildTool && !builds || t.Name == workTool && !works })
		return list, nil
	}
}

// under returns a line about the build that is worked on, "" for none.
func under(sp *Space) string {
	b, err := plans.Of(sp.Memories).Get("")
	if err != nil {
		return ""
	}
	sum, err := builds.Summarize(b)
	if err != nil || sum.All == 0 {
		return ""
	}
	return "\n" + nudge.Build(sum)
}

// buildTools show and change plans of work.
type buildTools struct{ *toolkit }

// build shows a build, or changes one.
func (t *buildTools) build(ctx context.Context, c *call, in buildIn) (string, BuildAnswer, error) {
	b, verb, changed, err := t.changeBuild(ctx, c, in)
	if r, ok := errors.AsType[*gate.Rejection](err); ok {
		err = userError("not written: "+r.Reason, r.Hint)
	}
	if err != nil {
		return "", BuildAnswer{}, err
	}
	if err := b.CheckForAgents(); err != nil {
		return "", BuildAnswer{}, &memory.UserError{Msg: err.Error(), Err: err, Hint: "Tell the person: `manicule build show " + b.Name + "` shows it."}
	}
	if verb != "" {
		return "☞ Manicule: " + verb, BuildAnswer{Name: b.Name, Plan: changed}, nil
	}
	text, plan := nudge.BuildInFull(&b)
	return text, BuildAnswer{b.Name, string(b.Status()), plan}, nil
}

// changeBuild does what the input asks for. verb is "" if it only reads; changed is the slice that it
// added or changed.
func (t *buildTools) changeBuild(ctx context.Context, c *call, in buildIn) (b builds.Build, verb string, changed []nudge.BuildLine, err error) {
	if in.New+in.Add+in.Slice == "" {
		sp, err := t.spaces.current(ctx)
		if err != nil {
			return b, "", nil, err
		}
		b, err = plans.Of(sp.Memories).Get(in.Name)
		return b, "", nil, err
	}
	sp, err := t.spaces.writable(ctx, nil)
	if err != nil {
		return b, "", nil, err
	}
	words := strings.Join([]string{in.New, in.Brief, in.Context, in.Add, in.Phase, in.Deliverable, in.Why}, "\n")
	if err := t.sessions.repeats(words); err != nil {
		return b, "", nil, err
	}
	if strings.TrimSpace(words) != "" && t.sessions.tainted(ctx, sp, t.sessions.of(c, sp)) {
		return b, "", nil, userError("this session has read text from outside, and other sessions are told of a build", "Say what you would write, and let the person write it.")
	}
	list := plans.Of(sp.Memories)
	switch {
	case in.New != "" && in.Add+in.Slice == "":
		b, err = list.Begin(ctx, plans.New{Name: in.Name, Title: in.New, Brief: in.Brief, Technical: in.Context})
		return b, "begun in .manicule/builds/" + b.Name + ".md", nil, err
	case in.Add != "" && in.New+in.Slice == "":
		b, sl, err := list.AddSlice(ctx, in.Name, in.Phase, in.Deliverable, in.Add)
		return b, "added slice " + sliceLine(sl), lineOf(sl), err
	case in.Slice != "" && in.New+in.Add == "":
		to, ok := builds.ParseStatus(in.Status)
		if !ok {
			return b, "", nil, userError("`status` says what becomes of the slice", "Use planned, in progress, blocked or done.")
		}
		b, sl, err := list.SetSlice(ctx, in.Name, in.Slice, to, in.Why)
		return b, sliceLine(sl), lineOf(sl), err
	}
	return b, "", nil, userError("one call does one of new, add and slice", "Make a call for each.")
}

func lineOf(sl builds.Slice) []nudge.BuildLine { return []nudge.BuildLine{{Kind: "slice", Slice: sl}} }

func sliceLine(sl builds.Slice) string {
	return strings.TrimSpace(nudge.SliceText(sl) + ", " + string(sl.Status))
}

package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/nudge"
	"manicule/indexer/sorting"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/plans"
)

// Limits of the sessions that a plan is compared with.
const (
	maxEpisodes = 1_000
	maxLike     = 4
)

// maxCompletions is the protocol's limit for one completion.
const maxCompletions = 100

// prompts are what a person picks in the agent's menu: texts that begin a conversation.
type prompts struct {
	tools  toolbox
	spaces *spaces
	names  []string // read only once all are added
}

func (s *server) addPrompts() {
	add := func(name, title, description string, args []*mcp.PromptArgument, h func(context.Context, *call, map[string]string) (string, error)) {
		s.prompts.names = append(s.prompts.names, name)
		s.mcp.AddPrompt(&mcp.Prompt{Name: name, Title: title, Description: description, Arguments: args},
			func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text, err := h(ctx, caller(r.Session, "prompt "+name), r.Params.Arguments)
				if err != nil {
					return nil, withHint(err)
				}
				return &mcp.GetPromptResult{Description: description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
			})
	}
	arg := func(name, description string, required bool) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: description, Required: required}
	}
	add("ask", "Ask what is known", "Answer a question from the memories of this project, with their ids.",
		[]*mcp.PromptArgument{arg("question", "what you want to know", true), arg("path", "a file or folder it is about", false)}, s.prompts.ask)
	add("onboard", "Get to know the project", "What a newcomer to this project, or to a part of it, should know first.",
		[]*mcp.PromptArgument{arg("path", "a folder, if not the whole project", false)}, s.prompts.onboard)
	add("handoff", "Hand over the work", "Sum up this session for whoever goes on, and keep what it taught.", nil, s.prompts.handoff)
	add("plan", "Plan a task", "Plan a task with what is known: constraints, causal files, how such tasks went.",
		[]*mcp.PromptArgument{arg("task", "what is to be done", true), arg("path", "where", false), arg("estimate", "in steps, to be scaled by what such work took", false), arg("contents", "how many tokens of the files that such work needs, at most 32000", false)}, s.prompts.plan)
}

func paths(args map[string]string) []string {
	if p := strings.TrimSpace(args["path"]); p != "" {
		return []string{p}
	}
	return nil
}

func (p *prompts) ask(ctx context.Context, c *call, args map[string]string) (string, error) {
	text, _, err := p.tools.memories.search(ctx, c, searchIn{Query: args["question"], Paths: paths(args)})
	if err != nil {
		return "", err
	}
	return "Answer this question about the project: " + nudge.Clean(args["question"]) +
		"\nUse the memories below as evidence, and cite each where you use it: " + nudge.Cite + ". Check them against the code where you can. Say so if they don't answer it.\n\n" + text, nil
}

func (p *prompts) onboard(ctx context.Context, c *call, args map[string]string) (string, error) {
	text, _, err := p.tools.memories.recall(ctx, c, recallIn{Paths: paths(args), Limit: 15, Budget: contextBudget})
	if err != nil {
		return "", err
	}
	return "Introduce me to " + about(paths(args), nil) + " of this project: what it is for, how it is built, what to watch out for. " +
		"Read the code for the first two; the memories below are for the last. Cite them: " + nudge.Cite + ".\n\n" + text, nil
}

func (p *prompts) handoff(ctx context.Context, c *call, _ map[string]string) (string, error) {
	text, _, err := p.tools.session.sessionContext(ctx, c, sessionIn{})
	if err != nil {
		return "", err
	}
	if sp, err := p.spaces.current(ctx); err == nil {
		text += p.tools.work.relay(ctx, sp)
	}
	return "Hand this session over. Write for whoever goes on: what was to be done, what is done, what is left, what failed and why, which files matter. " +
		"Then call `remember` once for each thing that this session taught and that the code does not show; nothing that is only true today. What is known of the session:\n\n" + text, nil
}

func (p *prompts) plan(ctx context.Context, c *call, args map[string]string) (string, error) {
	in := contextIn{Task: args["task"], Paths: paths(args), Resume: true}
	for name, to := range map[string]*int{"estimate": &in.Estimate, "contents": &in.Contents} {
		if v := strings.TrimSpace(args[name]); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return "", userError(fmt.Sprintf("%q is no number of %s", nudge.Cut(nudge.Clean(v), 20), name), "Write a number, such as 6.")
			}
			*to = n
		}
	}
	text, _, err := p.tools.task.context(ctx, c, in)
	if err != nil {
		return "", err
	}
	if sp, err := p.spaces.forPaths(ctx, paths(args)...); err == nil {
		past, err := sp.Memories.State().Episodes().Latest(ctx, maxEpisodes)
		if err != nil {
			return "", err
		}
		if went := nudge.Effort(episode.Like(args["task"], past, maxLike), episode.UsualOf(past)); went != "" {
			text += "\n\n" + went
		}
		if b, err := plans.Of(sp.Memories).Get(""); err == nil && b.CheckForAgents() == nil {
			whole, _ := nudge.BuildInFull(&b)
			text += "\n\n" + whole
		}
		text += p.tools.work.relay(ctx, sp)
	}
	return "Plan this task, and change nothing yet: " + nudge.Clean(args["task"]) +
		"\nTreat the dead ends below as constraints, look at the files that also change, ask `impact` about what others use, and correct your estimate by how such tasks went.\n\n" + text, nil
}

// complete completes the arguments of prompts and templates.
func (p *prompts) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	switch ref := req.Params.Ref; {
	case ref.Type == "ref/prompt" && !slices.Contains(p.names, ref.Name):
		return nil, invalidParams(fmt.Sprintf("there is no prompt %q. Try: %s.", said(ref.Name), oneOf(ref.Name, p.names)))
	case ref.Type == "ref/resource" && ref.URI != memoryTemplate && ref.URI != topicTemplate:
		return nil, invalidParams(fmt.Sprintf("there is no template %q. Try: %s, %s.", said(ref.URI), memoryTemplate, topicTemplate))
	}
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	sp, err := p.spaces.current(ctx)
	if err != nil {
		return nil, withHint(err)
	}
	if _, err := sp.Memories.SyncWithin(ctx, filesFreshFor); err != nil {
		return nil, err
	}
	prefix := req.Params.Argument.Value
	values := map[string]bool{}
	for _, h := range live(ctx, sp) {
		switch req.Params.Argument.Name {
		case "id":
			values[h.Memory.UUID] = true
			values[h.Memory.ShortID()] = true
		case "path":
			for _, a := range h.Memory.Anchors {
				values[a.Path] = true
			}
			for _, p := range h.Memory.Scope {
				values[strings.TrimSuffix(strings.TrimSuffix(p, "/**"), "/*")] = true
			}
		}
	}
	if req.Params.Argument.Name == "name" {
		for _, n := range []string{"MEMORY.md", "conventions.md", "gotchas.md", "procedures.md", "decisions.md", "CURRENT.md"} {
			values[n] = true
		}
	}
	if req.Params.Argument.Name == "type" {
		for _, t := range file.Types() {
			values[string(t)] = true
		}
	}
	for v := range values {
		if strings.HasPrefix(v, prefix) && !strings.ContainsAny(v, "*!") && v != "" {
			out.Completion.Values = append(out.Completion.Values, v)
		}
	}
	sorting.Func(out.Completion.Values, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	if out.Completion.Total = len(out.Completion.Values); out.Completion.Total > maxCompletions {
		out.Completion.Values, out.Completion.HasMore = out.Completion.Values[:maxCompletions], true
	}
	return out, nil
}

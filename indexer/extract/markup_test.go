package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestMarkup finds the uses of names in markup: NAME for one that is read, NAME() for one that is called.
func TestMarkup(t *testing.T) {
	t.Parallel()
	const vue, svelte, astro = "<script setup lang=\"ts\">\nimport MyCard from './MyCard.vue'\nconst vFocus = {}, a = 1, pageSize = 2, box = ref()\n</script>\n", "<script>\nimport { count } from './store'\n</script>\n", "---\nconst a = 1\n---\n"
	tests := map[string]struct {
		lang, text string
		want       string
	}{
		"text":             {"vue", vue + "<template><p>{{ a + f(b) }}</p></template>", "a f() b"},
		"elements":         {"vue", vue + "<template><div><my-card/><MyCard /><button/><Other><not-known/></Other></div></template>", "MyCard() MyCard() Other() NotKnown()"},
		"directives":       {"vue", vue + `<template><p v-if="a" v-focus :page-size :[b].x="c" v-model:title.trim="d" ref="box" ref2="a" @click.once="e(); f = $event" @x="g"/></template>`, "a vFocus pageSize b c d box e() f g"},
		"a loop":           {"vue", vue + `<template><p :a="a(item)" v-for="(item, i) in items" :key="i">{{ item.name }}</p>{{ item }}</template>`, "a() items item.name item"},
		"a destructuring":  {"vue", vue + `<template><p v-for="{ a, c = d } of list()">{{ a + c }}</p></template>`, "d list()"},
		"slots":            {"vue", vue + `<template><X><template #item="{ a }">{{ a }}{{ b }}</template></X>{{ a }}</template>`, "X() b a"},
		"other blocks":     {"vue", vue + "<i18n>{ {{ a }} }</i18n><template lang=\"pug\">p {{ a }}</template>", ""},
		"quotes":           {"vue", vue + "<template><p :a='\"}}\" + b' c=\"{{\">{{ '<' + d }}</p></template>", "b d"},
		"options":          {"vue", "<script>\nexport default { methods: { go() {} }, computed: { total() {} } }\n</script>\n<template><p @click=\"go\" :class=\"{ go: total, other }\">{{ total }}{{ other }}</p></template>", "this.go this.total this.total other other"},
		"torn":             {"vue", vue + "<template><p>{{ a }}</p><p :b=\"", "a"},
		"blocks":           {"svelte", svelte + "{#if a}{:else if b}{/if}{#key c}{/key}{@html d}{@render e(f)}", "a b c d e() f"},
		"each":             {"svelte", svelte + "{#each list as Item[] as { id, ...rest }, i (id + k)}{id}{rest}{i}{:else}{none}{/each}{i}", "list Item k none i"},
		"await":            {"svelte", svelte + "{#await p(1)}{x}{:then v}{v}{:catch e}{e}{/await}{#await q then v}{v.w}{/await}{v}", "p() x q v.w v"},
		"snippets":         {"svelte", svelte + "{#snippet row(a, b = c)}{a}{b}{/snippet}{@render row(d)}", "c row() d"},
		"const":            {"svelte", svelte + "{#if a}{@const b = c * 2}{b}{/if}{b}", "a c b"},
		"attributes":       {"svelte", svelte + `<input {...props} {title} bind:value class:on style:color={x} use:tip={"}"} transition:fade|local on:click={() => go(1)} on:x title="a {b ? "c" : d} e"/>`, "props title value on x tip fade go() b d"},
		"let":              {"svelte", svelte + "<List let:item let:i={n}><Row {item}/>{n}</List>{item}", "List() Row() item"},
		"stores":           {"svelte", svelte + "<p>{$count + $page}</p>", "count $page"},
		"members":          {"svelte", svelte + "<Tabs.Root><tabs/></Tabs.Root>", "Tabs Tabs.Root()"},
		"no script":        {"svelte", "<Foo a={b}/>", "Foo() b"},
		"nested":           {"astro", astro + "<ul>{a.map((x) => (<li class={x.c}>{x}<B {...x}/></li>))}</ul>{c && <D e={f}/>}{/* <G/> */}", "a a.map() x.c B() c D() f"},
		"template strings": {"astro", astro + "<a href={`/${a}/${`b${c}`}`} id=`d${e}`>{f}</a><!-- {g} --><style>a {h}</style>", "a c e f"},
		"fragments":        {"astro", astro + "{a ? <><b/>{c}</> : 'it\\'s'}{d < e}", "a c d e"},
		"torn braces":      {"astro", astro + "<p>{a}</p>{b(", "a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := ParseFacts(t.Context(), test.lang, []byte(test.text))
			must.OK(t, err)
			start := strings.LastIndex(test.text, "</script>\n") + len("</script>\n")
			if test.lang == "astro" {
				start = strings.LastIndex(test.text, "---\n") + 1
			} else if !strings.HasPrefix(test.text, "<script") {
				start = 0
			}
			var got []string
			for _, r := range f.Refs {
				if r.Start < start {
					continue
				}
				text := r.Name
				if r.Recv != "" {
					text = r.Recv + "." + text
				}
				if r.Kind == RefCall {
					text += "()"
				}
				got = append(got, text)
				if written := test.text[r.Start:r.End]; !strings.EqualFold(strings.ReplaceAll(written, "-", ""), r.Name) && written != r.Recv+"."+r.Name || r.Line != 1+strings.Count(test.text[:r.Start], "\n") {
					t.Errorf("%s stands for %q, line %d", r.Name, written, r.Line)
				}
			}
			want := strings.Fields(test.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestTornMarkup reads each beginning of a component, as while somebody types, and beginnings without ends.
func TestTornMarkup(t *testing.T) {
	t.Parallel()
	const text = "<template><X v-for=\"(a, b) in c\" :d='e' #f=\"{ g }\">{{ h`${i}` }}</X></template>{#each a as b, c (d)}<p {...e} f={/[}]/}>{#snippet g(h)}{@const i = j}{/snippet}</p>{/each}"
	for _, lang := range []string{"vue", "svelte", "astro"} {
		for i := range text {
			for _, torn := range []string{text[:i], text[i:]} {
				if _, err := ParseFacts(t.Context(), lang, []byte(torn)); err != nil {
					t.Fatalf("%s: %q: %v", lang, torn, err)
				}
			}
		}
		for _, part := range []string{"{", "{{", "<a ", "<a b={", "<a b=\"", "{#each a as b}", "{a(<b>", "<X v-for=\"a in b\">", "{`${"} {
			if _, err := ParseFacts(t.Context(), lang, []byte("<template>"+strings.Repeat(part, 20_000))); err != nil {
				t.Errorf("%s: %s", lang, fmt.Sprintf("%q: %v", part, err))
			}
		}
	}
}

// TestMarkupTakesLinearTime: each of these took ten seconds and more, once for each element, quote or slash that has no end.
func TestMarkupTakesLinearTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lang, begin, piece, middle, rest string }{
		"elements without an end":     {lang: "vue", begin: "<template>", piece: "<a>", rest: "</b>"},
		"blocks without an end":       {lang: "svelte", piece: "{#if a}", rest: "{/b}"},
		"slashes without an end":      {lang: "astro", begin: "{", piece: "=/["},
		"quotes without an end":       {lang: "svelte", begin: "{", piece: `"\`},
		"comparisons behind a gap":    {lang: "astro", begin: "{", piece: " ", middle: "x", rest: "<a x"},
		"replacements without an end": {lang: "perl", piece: "s{}("},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			linear(t, 200_000, func(bytes int) error {
				text := c.begin + strings.Repeat(c.piece, bytes/len(c.piece)) + c.middle + strings.Repeat(c.rest, bytes/max(1, len(c.rest)))
				_, err := ParseFacts(t.Context(), c.lang, []byte(text))
				return err
			})
		})
	}
}

// TestMarkupQuotes: an apostrophe in the text of an element does not make strings before it on its line ones without an end.
func TestMarkupQuotes(t *testing.T) {
	t.Parallel()
	src := `---
import Card from './Card.astro';
const one = 1, two = 2;
---
<p>{one === 'a}' && two && <b>Don't</b>}</p><Card/>
`
	f, err := ParseFacts(t.Context(), "astro", []byte(src))
	must.OK(t, err)
	used := map[string]bool{}
	for _, r := range f.Refs {
		if r.Start > strings.LastIndex(src, "---") {
			used[r.Name] = true
		}
	}
	for _, name := range []string{"one", "two", "Card"} {
		if !used[name] {
			t.Errorf("%s is not used: %v", name, used)
		}
	}
}

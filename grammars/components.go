package grammars

// Files with one component of a web page: markup and styles around TypeScript.

func vue() Language { return component("vue", "Vue") }

func svelte() Language { return component("svelte", "Svelte") }

func astro() Language { return component("astro", "Astro") }

func component(id, name string) Language {
	l := typescript()
	l.ID, l.Name, l.Extensions, l.Embeds = id, name, []string{"." + id}, "typescript"
	l.Gaps = nil // those of TypeScript
	l.Limits = []string{"uses in the markup", "JSX"}
	return l
}

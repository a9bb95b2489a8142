package grammars

// Files whose code stands in something else: components of web pages, with markup and
// styles around TypeScript, and notebooks. Package extract knows the markup.

func vue() Language {
	return component("vue", "Vue", "names of properties and events in a tag", "templates in another language (Pug)", "JSX")
}

func svelte() Language { return component("svelte", "Svelte", "names of properties in a tag") }

func astro() Language { return component("astro", "Astro", "names of properties in a tag") }

func component(id, name string, limits ...string) Language {
	l := typescript()
	l.ID, l.Name, l.Extensions, l.Embeds = id, name, []string{"." + id}, "typescript"
	l.Gaps = nil // those of TypeScript
	l.Limits = limits
	return l
}

func jupyter() Language {
	l := python()
	l.ID, l.Name, l.Extensions, l.Embeds = "jupyter", "Jupyter notebook", []string{".ipynb"}, "python"
	l.Filenames, l.Gaps = nil, nil // those of Python
	l.Limits = []string{"cells in other languages than Python", "notebooks that are not written one line of code a line"}
	return l
}

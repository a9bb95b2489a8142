package grammars

// Files whose code stands in something else: components of web pages, with markup and
// styles around TypeScript, and notebooks.

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

func jupyter() Language {
	l := python()
	l.ID, l.Name, l.Extensions, l.Embeds = "jupyter", "Jupyter notebook", []string{".ipynb"}, "python"
	l.Filenames, l.Gaps = nil, nil // those of Python
	l.Limits = []string{"cells in other languages than Python", "notebooks that are not written one line of code a line"}
	return l
}

import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const root = new URL('../../../', import.meta.url)
const project = JSON.parse(readFileSync(new URL('cmd/release/project.json', root), 'utf8'))

const page = (text, link) => ({ text, link })

// slug names a heading as GitHub does, so that links hold in both places.
const slug = heading => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')

// The pages, grouped as docs/README.md has them.
export const sidebar = [
  {
    text: 'Use',
    items: [
      page('Manicule', '/'), page('Start here', '/start'), page('VS Code', '/vscode'), page('Neovim', '/neovim'), page('Other editors', '/editors'),
      page('Behind one server', '/wrap'), page('Agents', '/agents'), page('What agents are told', '/told'), page('The MCP server', '/mcp'), page('The command line', '/cli'),
      page('Settings', '/configuration'), page('Languages', '/languages'), page('Sharing by git', '/sharing'), page('Sessions, builds, work', '/sessions'),
      page('Skills', '/skills'), page('Reviews', '/reviews'), page('The map', '/map'),
      page('Privacy and trust', '/privacy'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Commands', '/commands'), page('JSON output', '/json'), page('LSP', '/lsp'), page('Versions and promises', '/versions'),
    ],
  },
  {
    text: 'How well it works',
    items: [
      page('Compared with others', '/compared'), page('Benchmarks', '/benchmarks'), page('Code graph', '/graph-truth'), page('Retrieval', '/retrieval'),
      page('Anchors', '/anchor-truth'), page('Reliability', '/reliability'), page('Secrets', '/secrets'),
      page('Learning from agents', '/observer'), page('The ledger', '/ledger'), page('Consolidation', '/consolidate'), page('How memories fade', '/life'),
      page('Retrieval, all figures', '/retrieval-figures'), page('Observer, all figures', '/observer-figures'), page('Gate, all figures', '/gate-figures'),
    ],
  },
  {
    text: 'Work on it',
    items: [
      page('Architecture', '/architecture'), page('Internals', '/internals'), page('Recipes', '/recipes'),
    ],
  },
]

export default defineConfig({
  title: `${project.title} ☞`,
  description: project.description,
  lang: 'en',
  srcDir: process.env.SITE_SOURCE,
  outDir: process.env.SITE_OUT,
  cacheDir: process.env.SITE_CACHE,
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false, // two builds of a commit are equal
  markdown: {
    anchor: { slugify: slug },
    // Placeholders such as <id> are text, and so are braces.
    config(md) {
      md.renderer.rules.text = (tokens, i) => md.utils.escapeHtml(tokens[i].content).replace(/\{\{/g, '&#123;&#123;')
      // The theme has no look for indented code: on a phone its lines would make the page wider than the screen.
      md.core.ruler.push('indented', ({ tokens }) => {
        for (const token of tokens) if (token.type === 'code_block') Object.assign(token, { type: 'fence', markup: '```' })
      })
    },
  },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: project.repository }],
  },
})

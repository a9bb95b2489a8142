// Builds the site: node build.mjs [OUT]. Its pages are the README, docs/*.md and the help of each
// command as `manicule man --markdown` prints it (MANICULE_BIN, else `manicule` on the PATH).
// A link to a page or heading that does not exist fails the build, and so does anything that a
// browser would load from another host.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const docs = path.dirname(here)
const root = path.dirname(docs)
const out = path.resolve(process.argv[2] ?? path.join(root, 'dist', 'site'))
const project = JSON.parse(readFileSync(path.join(root, 'cmd/release/project.json'), 'utf8'))

const schemas = ['memory.schema.json', 'output.schema.json']
const scratch = mkdtempSync(path.join(here, '.build-')) // here, as pages import from node_modules
try {
  const source = path.join(scratch, 'pages')
  gather(source)
  process.env.SITE_SOURCE = source
  process.env.SITE_OUT = out
  process.env.SITE_CACHE = path.join(scratch, 'cache')
  const { build } = await import('vitepress')
  await build(here)
  check(out)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function gather(to) {
  mkdirSync(to, { recursive: true })
  cpSync(path.join(docs, 'img'), path.join(to, 'img'), { recursive: true })
  mkdirSync(path.join(to, 'public'))
  for (const name of schemas) cpSync(path.join(docs, name), path.join(to, 'public', name))
  const pages = readdirSync(docs).filter(name => name.endsWith('.md') && name !== 'README.md').sort()
  for (const name of pages) write(name, readFileSync(path.join(docs, name), 'utf8'), 'docs')
  write('index.md', readFileSync(path.join(root, 'README.md'), 'utf8'), '')
  write('start.md', readFileSync(path.join(docs, 'README.md'), 'utf8'), 'docs')
  const manual = execFileSync(process.env.MANICULE_BIN ?? 'manicule', ['man', '--markdown'], { encoding: 'utf8' })
  write('commands.md', manual, 'docs')

  function write(name, text, from) {
    writeFileSync(path.join(to, name), links(text, from))
  }
}

// links points relative links of a page in the folder `from` at the site's pages, and those that
// leave docs at the repository.
function links(text, from) {
  return text.replace(/(\]\()([^)\s]+)(\))/g, (whole, open, target, close) => {
    if (/^([a-z]+:|#)/.test(target)) return whole
    const [file, anchor] = target.split('#')
    const at = path.posix.normalize(path.posix.join(from, file))
    if (at === 'README.md') return open + 'index.md' + hash(anchor) + close
    if (at === 'docs/README.md') return open + './start.md' + hash(anchor) + close
    if (schemas.includes(at.replace(/^docs\//, ''))) return `${open}/${path.posix.basename(at)}${close}`
    if (at.startsWith('docs/') && !at.startsWith('docs/site/')) return open + './' + at.slice('docs/'.length) + hash(anchor) + close
    return `${open}${project.repository}/blob/main/${at}${hash(anchor)}${close}`
  })
}

function hash(anchor) {
  return anchor ? '#' + anchor : ''
}

// check reads what was built: headings that links name, and hosts that a page would load from.
function check(dir) {
  const files = readdirSync(dir, { recursive: true }).map(String).filter(name => name.endsWith('.html'))
  const html = new Map(files.map(name => [name, readFileSync(path.join(dir, name), 'utf8')]))
  const faults = []
  for (const [name, text] of html) {
    for (const [, url] of text.matchAll(/<(?:script|img|link|iframe)[^>]*?\s(?:src|href)="(https?:\/\/[^"]+)"/g)) {
      faults.push(`${name}: loads ${url}`)
    }
    for (const [, page] of text.matchAll(/<a[^>]*\shref="(?:\/|\.\/)?([\w-]+\.html)[#"]/g)) {
      if (!html.has(page)) faults.push(`${name}: ${page} is not there`)
    }
    if (text.includes('<pre><code>')) faults.push(`${name}: has code that the theme has no look for`)
    for (const [, file, id] of text.matchAll(/href="(?:\/|\.\/)?([\w-]*(?:\.html)?)#([^"]+)"/g)) {
      const target = file === '' ? name : file.endsWith('.html') ? file : file + '.html'
      const there = html.get(target)
      if (there && !there.includes(`id="${decodeURIComponent(id)}"`)) faults.push(`${name}: ${target} has no heading #${decodeURIComponent(id)}`)
    }
  }
  if (faults.length > 0) throw new Error('the site has faults:\n  ' + [...new Set(faults)].join('\n  '))
  console.log(`${files.length} pages in ${dir}`)
}

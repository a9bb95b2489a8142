// Writes globals_es.txt: the types and classes that TypeScript's declarations of ECMAScript, of browsers and of workers
// make global. Left out are generic aliases such as Partial, which stand for their arguments, and names in lower case:
// many are properties of the window (name, event, parent) that code uses for its own values.
//
//   npm install --prefix DIR typescript@5.9 && node globals_es.mjs DIR > globals_es.txt
import { createRequire } from 'node:module'
import fs from 'node:fs'
import path from 'node:path'

const require = createRequire(path.resolve(process.argv[2]) + '/')
const ts = require('typescript')
const lib = path.dirname(require.resolve('typescript'))
const names = new Set()
for (const file of fs.readdirSync(lib)) {
  if (!/^lib\.(es|dom|webworker|decorators)/.test(file)) continue
  const source = ts.createSourceFile(file, fs.readFileSync(path.join(lib, file), 'utf8'), ts.ScriptTarget.Latest)
  for (const statement of source.statements) {
    const generic = ts.isTypeAliasDeclaration(statement) && statement.typeParameters
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
    for (const one of declared) if (one.name && ts.isIdentifier(one.name) && !generic && /^[A-Z]/.test(one.name.text)) names.add(one.name.text)
  }
}
const lines = []
for (const name of [...names].sort()) {
  if (lines.length && lines.at(-1).length + name.length < 150) lines[lines.length - 1] += ' ' + name
  else lines.push(name)
}
console.log(lines.join('\n'))

// Copies the files of the Member API explorer to the place where the server finds them, so that
// their packages and all dependencies of those are not deployed.
import { copyFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const target = new URL('../assets/explorer/vendor/', import.meta.url).pathname
const files = [
  ['react', 'umd/react.production.min.js'],
  ['react-dom', 'umd/react-dom.production.min.js'],
  ['graphiql', 'graphiql.min.js'],
  ['graphiql', 'graphiql.min.css'],
]

mkdirSync(target, { recursive: true })
for (const [name, file] of files) {
  const source = join(dirname(require.resolve(`${name}/package.json`)), file)
  copyFileSync(source, join(target, basename(file)))
}

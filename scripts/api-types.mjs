// Writes the types of a client of the Admin API from its description, as any integrator would. The
// generator needs an older compiler than ours, so it is fetched for the occasion.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const description = new URL('docs/openapi.json', root)
const types = new URL('test/flows/admin-api/openapi.generated.ts', root)

const packages = ['typescript@5.9.3', 'openapi-typescript@7.13.0'].map(
  (name) => `--package=${name}`,
)
const generated = execFileSync(
  'npx',
  [
    '--yes',
    ...packages,
    '--',
    'openapi-typescript',
    '--default-non-nullable=false',
    description.pathname,
  ],
  { encoding: 'utf8', maxBuffer: 2 ** 26, cwd: '/' },
)
const hash = createHash('sha256')
  .update(JSON.stringify(JSON.parse(readFileSync(description, 'utf8'))))
  .digest('hex')
writeFileSync(types, `// Made of docs/openapi.json, sha256 ${hash}\n${generated}`)

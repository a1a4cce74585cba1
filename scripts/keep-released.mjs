// Keeps what the next version is compared with: the digests of the migrations and the schemas of the Member API.
// npm run keep-released also keeps the statements, which the tests collect.
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const kept = `${root}test/fixtures/released`

const digests = readdirSync(`${root}migrations`)
  .filter((name) => /^\d/.test(name))
  .sort()
  .map((name) => {
    const sql = readFileSync(`${root}migrations/${name}`, 'utf8')
    return [name, createHash('sha256').update(sql).digest('hex')]
  })
writeFileSync(
  `${kept}/migrations.json`,
  `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`,
)
for (const name of ['schema.graphql', 'schema.older.graphql']) {
  copyFileSync(`${root}src/surfaces/member-api/${name}`, `${kept}/${name}`)
}

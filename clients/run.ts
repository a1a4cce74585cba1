import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DemoPlace } from './drive/demo-place.ts'
import { tryClient } from './drive/try-client.ts'
import { howToInstall, versionOf } from './drive/version.ts'
import { clientsPage } from './report/clients-page.ts'
import { recipePages } from './report/recipe-page.ts'
import { keepRows, type Row, readRecord } from './report/record.ts'
import { TRIALS } from './trials/trials.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    /** The day that the record says. */
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
})
const names = Object.keys(TRIALS)

if (values.help) {
  console.log(`npm run clients -- [--date 2026-01-31] [client …]

Takes each client through the demo schools and writes docs/clients.md. Clients: ${names.join(', ')}`)
  process.exit()
}

const unknown = positionals.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`There is no client ${unknown.join(', ')}. Clients: ${names.join(', ')}.`)
  process.exit(2)
}

const rows: Row[] = []
const place = await DemoPlace.open()
try {
  for (const [name, load] of Object.entries(TRIALS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    try {
      const trial = await load()
      const version = versionOf(trial)
      if (version === undefined) {
        console.log(`${name}: skipped, because it is not installed: ${howToInstall(trial)}`)
        continue
      }
      const findings = await tryClient(place, trial)
      rows.push({ name, version, date: values.date, ...findings })
      console.log(`${name} ${version}: ${Object.values(findings).join('; ')}`)
    } catch (error) {
      process.exitCode = 1
      console.error(error)
    }
  }
} finally {
  await place.close()
}
keepRows(names, rows)
writeFileSync(
  new URL('../docs/clients.md', import.meta.url),
  clientsPage(readRecord(), recipePages()),
)
process.exit()

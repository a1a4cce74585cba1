// Breaks real servers and databases under traffic and writes docs/reliability.md:
//   npm run outages [scenario ...]
import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/outages/outages.ts')
try {
  process.exit(await module.runOutages(process.argv.slice(2)))
} catch (error) {
  if (error.name !== 'Interrupted') throw error
  process.exit(130)
}

// Breaks real servers and databases under traffic and writes docs/reliability.md: npm run hold [scenario ...]
import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/hold/hold.ts')
try {
  process.exit(await module.hold(process.argv.slice(2)))
} catch (error) {
  if (error.name !== 'Interrupted') throw error
  process.exit(130)
}

// Sends more requests than the server can answer and prints what happens:
//   npm run overload [kind ...]
import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/outages/overload.ts')
process.exit(await module.overload(process.argv.slice(2)))

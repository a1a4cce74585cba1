// Keeps a server at work for half an hour and writes docs/soak.md: SOAK_MINUTES=30 npm run soak
import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/outages/soak/soak.ts')
process.exit(await module.soak())

// Keeps what the next version is compared with: npm run keep-released
import { runnerImport } from 'vite'

const { module } = await runnerImport('./scripts/release/keep.ts')
process.exitCode = module.keep(process.cwd())

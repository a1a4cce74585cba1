// Walks the checklist of a release and says what is missing: npm run release:check
import { runnerImport } from 'vite'

const { module } = await runnerImport('./scripts/release/walk.ts')
process.exitCode = module.walk(process.cwd(), new Date())

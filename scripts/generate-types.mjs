// Writes the files that are made from the code and not kept in git; see
// test/support/generate-types.ts.
import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/support/generate-types.ts')
await module.generateTypes()

// Installs and starts Schoolgate in every documented way and writes the sizes into
// docs/guides/install.md: npm run test:package
import { runnerImport } from 'vite'

const { module } = await runnerImport('./test/package/try-package.ts')
process.exit(await module.tryPackage())

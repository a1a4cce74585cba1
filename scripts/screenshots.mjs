// Pictures of every page for review: node scripts/screenshots.mjs [folder] [setting ...]
import { runnerImport } from 'vite'

const [folder = 'docs/screenshots', ...settings] = process.argv.slice(2)
const { module } = await runnerImport('./test/support/take-screenshots.ts')
await module.takeScreenshots(folder, settings.length ? settings : ['desktop-light', 'phone-dark'])

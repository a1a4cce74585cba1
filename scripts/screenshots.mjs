// Takes a picture of every page for review: node scripts/screenshots.mjs [folder] [setting ...]
// The three pictures in the README: node scripts/screenshots.mjs docs/screenshots readme
import { runnerImport } from 'vite'

const [folder = 'screenshots', ...settings] = process.argv.slice(2)
const { module } = await runnerImport('./test/support/take-screenshots.ts')
await module.takeScreenshots(folder, settings.length ? settings : ['desktop-light', 'phone-dark'])

// Takes a picture of every page for review: node scripts/screenshots.mjs [folder] [setting ...]
// Settings are phone, desktop and wide (390, 1280 and 1920 pixels), each -light and -dark. For all
// of them, without the pages of the admin area:
//   node scripts/screenshots.mjs screenshots all without-admin
// The three pictures in the README:
//   node scripts/screenshots.mjs docs/screenshots readme
import { runnerImport } from 'vite'

const [folder = 'screenshots', ...settings] = process.argv.slice(2)
if (folder.startsWith('-')) {
  console.error('usage: node scripts/screenshots.mjs [folder] [setting ...]')
  process.exit(2)
}
const { module } = await runnerImport('./test/support/take-screenshots.ts')
await module.takeScreenshots(folder, settings.length ? settings : ['desktop-light', 'phone-dark'])

// Links the command where `npx schoolgate` looks first. Otherwise npx would install this folder as a package and
// build it again before each run.
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'

const root = new URL('../', import.meta.url).pathname
const link = `${root}node_modules/.bin/schoolgate`

chmodSync(`${root}dist/main.js`, 0o755)
mkdirSync(`${root}node_modules/.bin`, { recursive: true })
rmSync(link, { force: true })
symlinkSync('../../dist/main.js', link)

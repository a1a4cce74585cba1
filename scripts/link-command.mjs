// Puts the command where `npx schoolgate` looks first. Without it npx would install this folder as a
// package of its own, and build it again, before running it.
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'

const root = new URL('../', import.meta.url).pathname
const link = `${root}node_modules/.bin/schoolgate`

chmodSync(`${root}dist/main.js`, 0o755)
mkdirSync(`${root}node_modules/.bin`, { recursive: true })
rmSync(link, { force: true })
symlinkSync('../../dist/main.js', link)

// Links the command where `npx schoolgate` looks first. Otherwise npx would install this folder as
// a package.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'

const root = new URL('../', import.meta.url).pathname
const link = `${root}node_modules/.bin/schoolgate`

if (existsSync(`${root}node_modules`)) {
  mkdirSync(`${root}node_modules/.bin`, { recursive: true })
  rmSync(link, { force: true })
  symlinkSync('../../bin/schoolgate.mjs', link)
}

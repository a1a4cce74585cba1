import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

interface Executable {
  executablePath: string
  env: Record<string, string>
}

const cache = fileURLToPath(new URL('../../node_modules/.cache/schoolgate/', import.meta.url))
const home = `${cache}chromium`

const unpack = `
  const { default: chromium } = await import('@sparticuz/chromium')
  await chromium.executablePath()
`

/**
 * The Chromium of the npm package, unpacked once, with its libraries and fonts, so that a machine
 * without them can run it. The package treats an existing file as complete, which is wrong while
 * another test worker still writes it: so it unpacks into an empty folder, which is then renamed.
 */
export async function bundledChromium(): Promise<Executable> {
  if (!existsSync(home)) await unpackTo(home)
  return {
    executablePath: `${home}/chromium`,
    env: { LD_LIBRARY_PATH: `${home}/al2023/lib`, FONTCONFIG_PATH: `${home}/fonts` },
  }
}

async function unpackTo(target: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(`${cache}unpacking-`)
  // The package adds the libraries only on AWS Lambda, which it knows by this variable.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', unpack], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env,
  })
  await writeFile(`${folder}/fonts/fonts.conf`, fontConfiguration(target))
  try {
    await rename(folder, target)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

function fontConfiguration(target: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${target}/fonts</dir>
  <cachedir>${target}/fonts-cache</cachedir>
</fontconfig>
`
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { urlOf } from '../cli/support/run.ts'
import { buildImage, serveImage } from './support/image-steps.ts'
import { checkout, type Installed, installInto, pack, sizeOf } from './support/install.ts'
import { expectRefusal, expectServes, run } from './support/serve.ts'

const GUIDE = new URL('../../docs/guides/install.md', import.meta.url)
const TABLE = /(<!-- sizes -->\n)[\s\S]*(<!-- \/sizes -->)/
/** What the package may take without the embedded PostgreSQL. */
const MOST_BYTES = 100_000_000
const SECRET = 'a secret for the trial of a package, long enough'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

/** Takes the package, a checkout and the image's steps from nothing to a server that answers. */
export async function tryPackage(): Promise<number> {
  const place = mkdtempSync(join(tmpdir(), 'schoolgate-package-'))
  await chmod(place, 0o755)
  const postgres = await startEmbeddedPostgres({ dataDir: join(place, 'postgres') })
  const DATABASE_URL = urlOf({ ...postgres.address })
  const production = { DATABASE_URL, SCHOOLGATE_SECRET: SECRET, NODE_ENV: 'production' }
  const rows: string[] = []
  const row = (what: string, { bytes, packages }: Installed): void => {
    rows.push(`| ${what} | ${Math.round(bytes / 1e6)} MB | ${packages} |`)
    tell(`${what}: ${Math.round(bytes / 1e6)} MB, ${packages} packages`)
  }
  try {
    const archive = await pack(place)
    tell(`packed: ${(sizeOf(archive) / 1e6).toFixed(1)} MB`)

    const whole = await installInto(place, 'whole', archive)
    row('`npm install ./schoolgate-….tgz`', whole)
    await expectServes(whole.folder, { SCHOOLGATE_DATA_DIR: join(place, 'whole-data') })

    const bare = await installInto(place, 'bare', archive, '--omit=peer')
    row('the same with `--omit=peer`: without the embedded PostgreSQL', bare)
    if (bare.bytes > MOST_BYTES) throw new Error(`it takes ${bare.bytes} bytes`)
    await expectRefusal(bare.folder, { SCHOOLGATE_DATA_DIR: join(place, 'no-data') }, '--omit=peer')
    await expectServes(bare.folder, production)
    await firstSchool(bare.folder, production)

    const copy = await checkout(place)
    row('`npm ci --omit=dev --omit=peer` in a checkout', copy)

    const image = await buildImage(place)
    row('`node_modules` of the image', image.packages)
    await serveImage(image, production)

    const text = readFileSync(GUIDE, 'utf8')
    const table = ['| Way | Size | Packages |', '| --- | --- | --- |', ...rows, ''].join('\n')
    writeFileSync(GUIDE, text.replace(TABLE, `$1${table}$2`))
    tell('every way works')
    return 0
  } finally {
    await postgres.stop()
    rmSync(place, { recursive: true, force: true })
  }
}

/** Also proves that argon2 is there: a password is hashed. */
async function firstSchool(folder: string, env: Record<string, string>): Promise<void> {
  const school = ['--subdomain', 'north', '--origin', 'https://north.test', '--name', 'North']
  await run(folder, env, ['school', 'create', ...school])
  const owner = ['--email', 'owner@north.test', '--name', 'Owner', '--school', 'north']
  const rights = ['--roles', 'owner', '--password-stdin']
  await run(folder, env, ['user', 'create', ...owner, ...rights], 'a quiet lighthouse keeper')
  await run(folder, env, ['doctor'])
}

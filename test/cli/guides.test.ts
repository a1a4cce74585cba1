import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../faults/support/running-server.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { blocksOf } from '../support/guide-blocks.ts'
import { schoolgateArguments, simpleCommands } from '../support/shell-words.ts'
import { environmentOf, run, SECRET, urlOf } from './support/run.ts'

/** The commands of the guides, one after another, as an operator types them. */

type Environment = Readonly<Record<string, string>>

const PASSWORD = 'a quiet lighthouse keeper'
const AT_ACADEMY = ['--school', 'academy']
const folder = mkdtempSync(join(tmpdir(), 'schoolgate-guides-'))
whenFileIsDone(() => rmSync(folder, { recursive: true, force: true }))

const database = await testDatabase()
const env: Environment = {
  ...environmentOf(database.connection),
  PORT: String(await freePort()),
}

async function first(sql: string): Promise<string> {
  const { rows } = await database.pool.query<{ name: string }>(sql)
  return rows[0]?.name ?? 'none'
}

const publishedKey = () =>
  first("select kid as name from signing_keys where stage = 'published' order by published_at desc")

/** What the reader puts in place of these words. */
const PLACEHOLDERS: Readonly<Record<string, () => Promise<string>>> = {
  KID: publishedKey,
  NEW_KID: publishedKey,
  OLD_KID: () =>
    first("select kid as name from signing_keys where stage = 'retired' order by retired_at desc"),
  CLIENT_ID: () => first('select client_id as name from clients where confidential'),
}

async function filledIn(word: string): Promise<string> {
  return (await PLACEHOLDERS[word]?.()) ?? word.replace('/backups', folder)
}

/** The guides let a day pass before a key signs. */
const letADayPass = () =>
  database.pool.query(
    "update signing_keys set published_at = published_at - interval '2 days' where stage = 'published'",
  )

/** Runs the commands of a page in their order, and returns them as they are written. */
async function follow(
  page: string,
  environmentFor: (command: string) => Environment = () => env,
): Promise<string[]> {
  const followed: string[] = []
  const scripts = blocksOf(page).filter(({ language }) => language === 'sh')
  for (const command of scripts.flatMap(({ text }) => simpleCommands(text))) {
    const typed = schoolgateArguments(command)
    if (typed === undefined || isElsewhere(typed, command.words)) continue
    await letADayPass()
    const argv = await Promise.all(typed.map(filledIn))
    const input = command.isPiped ? PASSWORD : ''
    const { code, stderr } = await run(argv, environmentFor(typed.join(' ')), input)
    // The person has none; the command looks for it.
    if (typed.includes('--remove')) expect(stderr).toContain('passkey')
    else expect(code, `${page}: schoolgate ${argv.join(' ')}: ${stderr}`).toBe(0)
    followed.push(typed.join(' '))
  }
  return followed
}

/** In a container, or a server that goes on until it is stopped: test/package starts those. */
function isElsewhere(typed: readonly string[], words: readonly string[]): boolean {
  return words.includes('docker') || typed[0] === 'start' || typed[0]?.startsWith('--') === true
}

describe('the guides', () => {
  test('lead from an empty database to an application', async () => {
    const followed = await follow('docs/guides/install.md')
    for (const made of ['school', 'user', 'client']) {
      expect(followed).toContainEqual(expect.stringMatching(`^${made} create `))
    }
    const { stdout } = await run(['school', 'list'], env)
    expect(stdout).toMatch(/academy\s+https:\/\/academy\.example\s+Academy\s+newer\s+yes\s+yes/)
  })

  test('replace keys and secrets', async () => {
    const app = ['--name', 'Server', '--redirect-uri', 'https://server.example/callback']
    const rights = ['--scopes', 'openid', '--confidential']
    await run(['client', 'create', ...AT_ACADEMY, ...app, ...rights], env)
    const SCHOOLGATE_SECRET = `${SECRET}, the second one`
    const both = { ...env, SCHOOLGATE_SECRET, SCHOOLGATE_OLD_SECRET: SECRET }
    expect(await follow('docs/guides/keys.md', () => both)).toContain('secrets rotate')
    expect(await run(['doctor'], { ...env, SCHOOLGATE_SECRET })).toMatchObject({ code: 0 })
    const back = { ...env, SCHOOLGATE_OLD_SECRET: SCHOOLGATE_SECRET }
    expect(await run(['secrets', 'rotate'], back)).toMatchObject({ code: 0 })
  })

  test('end what leaked, was stolen or is hostile', async () => {
    const school = ['--origin', 'https://hostile.example', '--name', 'Hostile']
    await run(['school', 'create', '--subdomain', 'hostile', ...school], env)
    const person = ['--email', 'ada@academy.example', '--name', 'Ada', ...AT_ACADEMY]
    const rights = ['--roles', 'student', '--password-stdin']
    await run(['user', 'create', ...person, ...rights], env, PASSWORD)
    const followed = await follow('docs/guides/incidents.md')
    expect(followed).toContain('school delete hostile --confirm hostile')
    expect(followed).toContain('keys retire --all --leaked')
  })

  test('add, change and switch off platforms', async () => {
    expect(await follow('docs/guides/platforms.md')).toContain('platform disable cursor')
  })

  test('make backups, and restore one into an empty database', async () => {
    expect(await follow('docs/guides/upgrade.md')).toContainEqual(expect.stringMatching('^backup'))
    const embedded: Environment = {
      SCHOOLGATE_SECRET: SECRET,
      SCHOOLGATE_DATA_DIR: join(folder, 'embedded'),
    }
    const there = { ...env, DATABASE_URL: urlOf(await emptyDatabase()) }
    const targets = [embedded, there]
    let target = env
    const followed = await follow('docs/guides/backup.md', (command) => {
      if (command.startsWith('backup restore')) target = targets.pop() ?? target
      return /^(?:backup restore|doctor)/.test(command) ? target : env
    })
    expect(followed).toContain('backup restore /backups/schoolgate.gz')
    for (const restored of [there, embedded]) {
      const { stdout } = await run(['school', 'list'], restored)
      expect(stdout).toContain('https://academy.example')
    }
  })
})

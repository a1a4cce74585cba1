import { describe, expect, test } from 'vitest'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import { listKeys } from '../../src/domain/schools/signing.ts'
import { atSchool } from '../../src/foundation/db/school-db.ts'
import { testDatabase } from '../support/database.ts'
import { environmentOf, run } from './support/run.ts'

const database = await testDatabase()
const env = environmentOf(database.connection)
const schoolgate = (...argv: string[]) => run([...argv, '--json'], env)
const ORIGIN = 'https://north.example'
await schoolgate(
  ...['school', 'create', '--subdomain', 'north', '--origin', ORIGIN, '--name', 'North'],
)
const school = await findSchoolByOrigin(database.db, ORIGIN)
if (school === undefined) throw new Error('school create made no school')
const db = atSchool(database.db, school.id)

/** As long as a key thumbprint. Ids that look like `-h`, `-o file` or `--help` must work too. */
const IDS = ['-a', '-h', '-o_', '--h', '---'].map((start) => start.padEnd(43, 'x'))
const AT_NORTH = ['--school', 'north']

/** The command checks that the database is empty before it opens the file. */
const EMPTY = 'database is not empty'

/** Each command whose argument is an id or a name, with its other options. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'school set': ['--name', 'Other'],
  'school delete': ['--confirm', 'north'],
  'school recount': [],
  'school suspend': ['--confirm', 'north'],
  'school resume': [],
  'client set': [...AT_NORTH, '--name', 'Other'],
  'client rotate-secret': AT_NORTH,
  'client end-old-secret': AT_NORTH,
  'client delete': AT_NORTH,
  'client disable': AT_NORTH,
  'client enable': AT_NORTH,
  'client review': AT_NORTH,
  'client withdraw-review': AT_NORTH,
  'client end-access': AT_NORTH,
  'keys activate': AT_NORTH,
  'keys retire': AT_NORTH,
  'backup restore': [],
  'backup verify': [],
  'user passkeys': [],
  'user reset-factors': ['--reason', 'lost phone'],
  'user set-email': ['--to', 'new@people.test', '--reason', 'lost mailbox'],
}

test('every command that takes an id or a name is in the table', async () => {
  const found: string[] = []
  for (const group of ['', 'school', 'user', 'client', 'keys', 'backup']) {
    const { stdout } = await run([...group.split(' ').filter(Boolean), '--help'], {})
    const listed = /\nCommands:\n([\s\S]*?)\n\n/.exec(`${stdout}\n\n`)?.[1] ?? ''
    for (const [, name] of listed.matchAll(
      /^ {2}([a-z-]+)[^\n]*?(?:<[a-z_]+>|\[(?:school|kid)\])/gm,
    )) {
      found.push(`${group} ${name}`.trim())
    }
  }
  const kinds = ['import', 'export']
  expect(found.sort()).toEqual([...kinds, ...Object.keys(COMMANDS)].sort())
})

describe.each(Object.entries(COMMANDS))('%s', (name, more) => {
  const command = name.split(' ')

  const reads = async (id: string, argv: readonly string[]) => {
    const { code, json } = await run(['--json', ...argv], env)
    expect(code, argv.join(' ')).not.toBe(0)
    expect(json.error, argv.join(' ')).toContain(name === 'backup restore' ? EMPTY : id)
    expect(json.error, argv.join(' ')).not.toContain('option')
  }

  test('reads an id that begins with a hyphen as its argument, at any position', async () => {
    const [one = '', short = '', optionLike = '', long = '', dashes = ''] = IDS
    await reads(one, [...command, one, ...more])
    await reads(short, [...command, ...more, short])
    await reads(optionLike, [...command, optionLike, ...more])
    await reads(long, [...command, ...more, long, '--json'])
    await reads(dashes, [...command, ...more, '--', dashes])
  })

  test('refuses an unknown option after its argument', async () => {
    const answer = await schoolgate(...command, 'some', ...more, '--unheard-of')
    expect(answer).toMatchObject({ code: 2, json: { error: "unknown option '--unheard-of'" } })
  })
})

test.each(IDS)('a key named %s is activated and retired', async (id) => {
  const { json } = await schoolgate('keys', 'publish', ...AT_NORTH)
  await db.update('signing_keys').set({ kid: id }).where('kid', '=', json.kid).execute()
  expect(await schoolgate('keys', 'activate', id, ...AT_NORTH, '--force')).toMatchObject({
    code: 0,
    json: { kid: id, stage: 'active' },
  })
  expect(await schoolgate('keys', 'retire', '--force', ...AT_NORTH, id)).toMatchObject({
    code: 0,
    json: { kid: id, stage: 'retired' },
  })
  const keys = await listKeys(db)
  expect(keys.find(({ kid }) => kid === id)).toMatchObject({ stage: 'retired' })
})

test.each(IDS)('the value of an option may be %s', async (id) => {
  const unknown = await schoolgate('keys', 'list', '--school', id)
  expect(unknown).toMatchObject({ code: 1, json: { error: `There is no school "${id}".` } })
  const created = await schoolgate(
    ...['client', 'create', ...AT_NORTH, '--name', 'Planner', '--id', id],
    ...['--redirect-uri', 'https://planner.example/callback', '--scopes', 'openid'],
  )
  expect(created).toMatchObject({ code: 2, json: { error: expect.stringMatching(/^--id: /) } })
  const exported = await schoolgate('export', 'courses', ...AT_NORTH, '--after', id)
  expect(exported).toMatchObject({ code: 2, json: { error: expect.stringContaining(id) } })
})

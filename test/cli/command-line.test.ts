import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { emptyDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'
import { environmentOf, run, SECRET, urlOf } from './support/run.ts'

const nowhere = {
  DATABASE_URL: 'postgres://who:hidden-word@127.0.0.1:1/x',
  SCHOOLGATE_SECRET: SECRET,
}

/** Every command, found by reading the help texts. */
async function allCommands(path: readonly string[] = []): Promise<string[][]> {
  const { stdout } = await run([...path, '--help'], {})
  const section = /\nCommands:\n([\s\S]*?)\n\n/.exec(`${stdout}\n\n`)?.[1] ?? ''
  const names = [...section.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name]) => name ?? [])
  const below = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => allCommands([...path, name])),
  )
  return [...(path.length > 0 ? [[...path]] : []), ...below.flat()]
}

const CODE = /^[2-9A-Z]{4}(-[2-9A-Z]{4}){2}/

describe('help', () => {
  test('the README lists every command', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const listed = [...readme.matchAll(/^\| (`[a-z][^|]*) \|/gm)].flatMap(([, cell = '']) => {
      const [group = '', ...rest] = [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) =>
        words.replace(/ (?:--\S+ )?[A-Z].*/, ''),
      )
      return [group, ...rest, ...rest.map((name) => `${group.split(' ')[0]} ${name}`)]
    })
    const groups = new Set(['school', 'user', 'client', 'tool', 'platform', 'keys', 'secrets'])
    const commands = (await allCommands()).map((path) => path.join(' '))
    expect(commands.filter((name) => !groups.has(name) && !listed.includes(name))).toEqual([])
  })

  test('describes every command with an example, and every command has --json', async () => {
    const commands = (await allCommands()).map((path) => path.join(' '))
    for (const name of ['start', 'migrate', 'demo', 'doctor', 'school create', 'user role']) {
      expect(commands).toContain(name)
    }
    for (const name of ['client rotate-secret', 'keys activate', 'purge', 'backup restore']) {
      expect(commands).toContain(name)
    }
    const groups = ['school', 'user', 'client', 'tool', 'platform', 'keys', 'secrets']
    for (const command of commands.filter((name) => !groups.includes(name))) {
      const { code, stdout } = await run([...command.split(' '), '--help'], {})
      expect(code, command).toBe(0)
      expect(stdout, command).toMatch(new RegExp(`Example:\\n {2}\\$ npx schoolgate ${command}`))
      expect(stdout, command).toContain('--json')
    }
  })

  test('changes only on purpose (vitest -u writes what is shown now)', async () => {
    const texts = [[], ...(await allCommands())].map(async (path) => {
      const { stdout } = await run([...path, '--help'], {})
      return `$ schoolgate ${[...path, '--help'].join(' ')}\n${stdout}`
    })
    const all = (await Promise.all(texts)).join('\n')
    await expect(all).toMatchFileSnapshot('../fixtures/what-clients-see/help.txt')
  })

  test('is shown if there is no command, with the exit code of a usage error', async () => {
    for (const argv of [[], ['keys']]) {
      const { code, stdout, stderr } = await run(argv, {})
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('Commands:')
    }
  })

  test('prints the version', async () => {
    expect(await run(['--version'], {})).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
  })
})

describe('a command line that is not understood', () => {
  for (const argv of [
    ['fly'],
    ['keys', 'fly'],
    ['keys', 'list'],
    ['client', 'disable', '--school', 'x'],
    ['school', 'set', 'x', '--variant', 'ancient'],
    ['doctor', '--deep'],
    ['purge', 'everything'],
  ]) {
    test(`schoolgate ${argv.join(' ')} exits with 2 and names --help`, async () => {
      const { code, stdout, stderr } = await run(argv, nowhere)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/→ .*--help/)
      const json = (await run([...argv, '--json'], nowhere)).json
      expect(Object.keys(json)).toEqual(['error', 'remedy'])
    })
  }
})

describe('an error gives its reason, and never a password or a stack trace', () => {
  test('a wrong variable', async () => {
    const { code, json } = await run(['school', 'list', '--json'], { PORT: 'eighty' })
    expect(code).toBe(1)
    expect(json.error).toMatch(/PORT is "eighty"/)
  })

  test('an unreachable database', async () => {
    const { code, stderr } = await run(['school', 'list'], nowhere)
    expect(code).toBe(1)
    expect(stderr).toMatch(/127\.0\.0\.1:1\/x cannot be used\. Nothing listens there\.\n→ /)
    expect(stderr).not.toMatch(/hidden-word|at .*\.ts/)
  })

  test('a wrong database name or password', async () => {
    const connection = await emptyDatabase()
    const wrong = (change: object) => {
      const DATABASE_URL = urlOf({ ...connection, ...change })
      return run(['school', 'list', '--json'], { DATABASE_URL, SCHOOLGATE_SECRET: SECRET })
    }
    expect((await wrong({ database: 'nobody_made_it' })).json.error).toContain('no such database')
    expect((await wrong({ password: 'guessed' })).json.error).toContain('refuses the password')
  })

  test('a connection pooler that refuses our settings, with its message', async () => {
    const refusal = 'unsupported startup parameter in options: statement_timeout'
    const fields = Buffer.from(`SFATAL\0C08P01\0M${refusal}\0\0`)
    const head = Buffer.from('E\0\0\0\0')
    head.writeInt32BE(fields.length + 4, 1)
    const pooler = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(Buffer.concat([head, fields])))
    }).listen(0, '127.0.0.1')
    await once(pooler, 'listening')
    const { port } = pooler.address() as AddressInfo
    const { code, stderr } = await run(['school', 'list'], {
      DATABASE_URL: `postgres://who:hidden-word@127.0.0.1:${port}/x`,
      SCHOOLGATE_SECRET: SECRET,
    })
    pooler.close()
    expect(code).toBe(1)
    expect(stderr).toContain(`refuses: ${refusal}.\n→ docs/guides/pgbouncer.md`)
    expect(stderr).not.toContain('hidden-word')
  })

  test('a database without the latest migrations is not changed', async () => {
    const connection = await emptyDatabase()
    const client = await connect(connection)
    const newest = `select max(number) from schema_migrations where name not like '%.background.sql'`
    await client.query(`delete from schema_migrations where number = (${newest})`)
    const { code, json } = await run(['school', 'list', '--json'], environmentOf(connection))
    expect(code).toBe(1)
    expect(json).toMatchObject({
      error: expect.stringContaining('lacks 1 of'),
      remedy: expect.stringContaining('schoolgate migrate'),
    })
    await client.end()
  })
})

describe('an empty database', () => {
  test('gets its schema by the first command that needs it', async () => {
    const connection = await emptyDatabase()
    const client = await connect(connection)
    await client.query('drop schema public cascade; create schema public')
    const env = environmentOf(connection)
    expect((await run(['school', 'list', '--json'], env)).json).toEqual({ schools: [] })
    await client.query('drop schema public cascade; create schema public')
    const { json } = await run(['migrate', '--json'], env)
    expect(json.applied[0]).toBe('0001-schools.sql')
    await client.end()
  })

  test('gets a setup code while there is no school, each time a new one', async () => {
    const env = { ...environmentOf(await emptyDatabase()), PORT: '3000' }
    const first = await run(['setup-code', '--json'], env)
    expect(first.json).toMatchObject({ code: expect.stringMatching(CODE), minutes: 30, tries: 5 })
    const second = await run(['setup-code'], env)
    expect(second.stdout).toMatch(CODE)
    expect(second.stdout).not.toContain(first.json.code)
    expect((await run(['demo'], env)).code).toBe(0)
    expect(await run(['setup-code', '--json'], env)).toMatchObject({
      code: 1,
      json: { remedy: expect.stringContaining('school create') },
    })
  })

  test('gets the demo world once, and never in production', async () => {
    const env = { ...environmentOf(await emptyDatabase()), PORT: '3000' }
    const production = await run(['demo'], { ...env, NODE_ENV: 'production' })
    expect(production).toMatchObject({ code: 1, stderr: expect.stringContaining('production') })
    expect((await run(['school', 'list', '--json'], env)).json.schools).toEqual([])
    const made = await run(['demo'], env)
    expect(made.code).toBe(0)
    expect(made.stdout).toContain('http://localhost:3000')
    const again = await run(['demo', '--json'], env)
    expect(again).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('already has schools') },
    })
  })
})

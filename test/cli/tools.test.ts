import { describe, expect, test } from 'vitest'
import { UNREVIEWED_SCOPES } from '../../src/domain/clients/scope-catalogue.ts'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import { verifies } from '../spec/verifies.ts'
import { testDatabase } from '../support/database.ts'
import { environmentOf, run } from './support/run.ts'

const database = await testDatabase()
const env = environmentOf(database.connection)
const schoolgate = (...argv: string[]) => run([...argv, '--json'], env)
const ORIGIN = 'https://north.example'

await schoolgate(
  ...['school', 'create', '--subdomain', 'north', '--origin', ORIGIN, '--name', 'North'],
)

const tool = (command: string, ...more: string[]) =>
  schoolgate('tool', command, '--school', 'north', ...more)
const details = (slug: string, uri = 'http://127.0.0.1/callback', scopes = 'courses:read') => [
  ...['--slug', slug, '--name', 'Reports', '--redirect-uri', uri, '--scopes', scopes],
]
const hasTools = async () => (await findSchoolByOrigin(database.db, ORIGIN))?.hasTools

describe('tool', () => {
  verifies(
    'tool.managed',
    'create, list, set, disable, enable and delete, each with --json',
    async () => {
      const made = await tool('create', ...details('reports', undefined, 'openid, courses:write'))
      expect(made).toMatchObject({
        code: 0,
        json: {
          slug: 'reports',
          clientId: `${ORIGIN}/clients/reports.json`,
          scopes: ['courses:write', 'openid'],
        },
      })
      expect(await hasTools()).toBe(true)
      const set = await tool('set', 'reports', '--scopes', 'openid', '--name', 'Narrow')
      expect(set).toMatchObject({ code: 0, json: { changed: ['name', 'scopes'] } })
      expect((await tool('disable', 'reports')).json).toEqual({ slug: 'reports', changed: true })
      expect((await tool('disable', 'reports')).json).toEqual({ slug: 'reports', changed: false })
      expect((await tool('list')).json.tools).toMatchObject([
        { slug: 'reports', name: 'Narrow', scopes: ['openid'], disabled: true, kind: 'tool' },
      ])
      const text = await run(['tool', 'list', '--school', 'north'], env)
      expect(text.stdout).toMatch(/reports +Narrow +off +https:\/\/north\.example\/clients/)
      expect((await tool('enable', 'reports')).json).toEqual({ slug: 'reports', changed: true })
      expect((await tool('delete', 'reports')).json).toMatchObject({ slug: 'reports', people: 0 })
      expect((await tool('list')).json.tools).toEqual([])
      expect(await hasTools()).toBe(false)
    },
  )

  verifies('tool.input.refused', 'bad values are usage errors that name their option', async () => {
    for (const [option, given] of [
      ['--slug', details('Bad Slug')],
      ['--redirect-uri', details('reports-2', 'https://tool.example/callback')],
      ['--scopes', details('reports-2', undefined, 'account:read')],
    ] as const) {
      const refused = await tool('create', ...given)
      expect(refused, option).toMatchObject({ code: 2, stdout: '' })
      expect(refused.json.error).toMatch(new RegExp(`^${option}: `))
    }
    expect((await tool('list')).json.tools).toEqual([])
  })

  verifies(
    'tool.scopes.default',
    'create without --scopes takes what MCP clients ask for',
    async () => {
      const [slug, name, uri] = ['plain', 'Plain', 'http://127.0.0.1/callback']
      const made = await tool('create', '--slug', slug, '--name', name, '--redirect-uri', uri)
      expect(made.json.scopes).toEqual(UNREVIEWED_SCOPES.toArray())
      expect(await tool('delete', slug)).toMatchObject({ code: 0 })
    },
  )

  test('a tool may be named by its client_id, and a command for applications says what it is', async () => {
    await tool('create', ...details('named'))
    const id = `${ORIGIN}/clients/named.json`
    expect((await tool('set', id, '--name', 'New')).json).toMatchObject({ slug: 'named' })
    expect((await tool('disable', id)).json).toEqual({ slug: 'named', changed: true })
    for (const argv of [
      ['set', id, '--name', 'x'],
      ['delete', id],
    ]) {
      const refused = await schoolgate('client', ...argv, '--school', 'north')
      expect(refused).toMatchObject({
        code: 1,
        json: {
          error: `${id} is a tool, not an application.`,
          remedy: expect.stringContaining('tool set --school north named'),
        },
      })
    }
    const other = 'https://south.example/clients/named.json'
    expect(await tool('delete', other)).toMatchObject({ code: 1 })
    expect((await tool('delete', id)).json).toMatchObject({ slug: 'named' })
  })

  test('several wrong scopes are each told, with one list of the right ones', async () => {
    const refused = await tool('create', ...details('wrong', undefined, 'a:read b:read'))
    expect(refused.json.error).toMatch(/^--scopes: a:read is not .*\n--scopes: b:read is not /)
    expect(refused.json.error.match(/Choose from/g)).toHaveLength(1)
  })

  verifies('tool.slug.never-again', 'a deleted slug is refused with the reason', async () => {
    await tool('create', ...details('once'))
    await tool('delete', 'once')
    const refused = await tool('create', ...details('once'))
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.json.error).toContain('never used again')
  })

  test('an unknown slug is refused with the command that lists them', async () => {
    for (const argv of [
      ['set', 'nope', '--name', 'x'],
      ['disable', 'nope'],
      ['delete', 'nope'],
    ]) {
      const refused = await tool(argv[0] ?? '', ...argv.slice(1))
      expect(refused).toMatchObject({
        code: 1,
        json: {
          error: 'This school has no tool nope.',
          remedy: expect.stringContaining('tool list --school north'),
        },
      })
    }
    expect(await tool('set', 'nope')).toMatchObject({ code: 2 })
  })
})

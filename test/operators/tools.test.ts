import { describe, expect, test } from 'vitest'
import { findClient } from '../../src/domain/clients/client.ts'
import { disableClient, reviewClient } from '../../src/domain/clients/client-operations.ts'
import { findListedTool, listClients } from '../../src/domain/clients/list-clients.ts'
import { changeTool, createTool, deleteTool } from '../../src/domain/clients/tool-operations.ts'
import { verifies } from '../spec/verifies.ts'
import { outputOf, performByCommandLine as perform } from '../support/performing.ts'
import { aTool, type NewTool, TOOL } from '../support/tools.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()

const create = (school: TestSchool, fresh: Partial<NewTool> = {}) =>
  perform(school, createTool, { ...TOOL, ...fresh })

const rowsOf = ({ db }: TestSchool) => db.from('clients').selectAll().execute()
const auditOf = async ({ db }: TestSchool) =>
  await db.from('audit_entries').select(['action', 'client_id', 'detail']).orderBy('id').execute()

const BAD: readonly [field: string, fresh: Partial<NewTool>][] = [
  ['/slug', { slug: '' }],
  ['/slug', { slug: 'ab' }],
  ['/slug', { slug: 'x'.repeat(61) }],
  ['/slug', { slug: 'Reports' }],
  ['/slug', { slug: '-reports' }],
  ['/slug', { slug: 'reports-' }],
  ['/slug', { slug: 'two words' }],
  ['/slug', { slug: '../etc' }],
  ['/slug', { slug: 'a.json' }],
  ['/slug', { slug: 'a\u0000b' }],
  ['/slug', { slug: 'new' }],
  ['/name', { name: ' ' }],
  ['/name', { name: 'two\nlines' }],
  ['/name', { name: 'x'.repeat(101) }],
  ['/name', { name: 'gnp.\u202eexe' }],
  ['/redirect_uris', { redirect_uris: [] }],
  ['/redirect_uris', { redirect_uris: ['https://tool.example/callback'] }],
  ['/redirect_uris', { redirect_uris: ['http://127.0.0.1.evil.example/callback'] }],
  ['/redirect_uris', { redirect_uris: ['http://127.0.0.1@evil.example/callback'] }],
  ['/redirect_uris', { redirect_uris: ['com.example.tool:/callback'] }],
  ['/redirect_uris', { redirect_uris: ['cursor://tool/callback'] }],
  ['/redirect_uris', { redirect_uris: ['http://127.0.0.1/callback#x'] }],
  ['/redirect_uris', { redirect_uris: ['http://127.0.0.1/*'] }],
  ['/scopes', { scopes: [] }],
  ['/scopes', { scopes: ['openid', 'account:read'] }],
  ['/scopes', { scopes: ['account:write'] }],
  ['/scopes', { scopes: ['courses:read', 'nonsense'] }],
]

describe('creating a tool', () => {
  test('makes a reviewed, public operator client with the address as its client_id', async () => {
    const school = await world.aSchool()
    await create(school, { redirect_uris: ['http://localhost/a', 'http://localhost/a'] })
    const clientId = `${school.origin}/clients/reports.json`
    expect(await findClient(school.db, clientId)).toMatchObject({
      kind: 'tool',
      audience: 'operator',
      confidential: false,
      reviewed: true,
      disabled: false,
      redirectUris: ['http://localhost/a'],
    })
    expect(await auditOf(school)).toEqual([
      {
        action: 'client.created',
        client_id: clientId,
        detail: {
          kind: 'tool',
          name: TOOL.name,
          redirect_uris: ['http://localhost/a'],
          scopes: ['courses:read', 'courses:write', 'openid'],
          via: 'command_line',
        },
      },
    ])
  })

  for (const [field, fresh] of BAD) {
    verifies(
      'tool.input.refused',
      `is refused at ${field} for ${JSON.stringify(fresh).slice(0, 80)}, and nothing is written`,
      async () => {
        const school = await world.aSchool()
        const refused = await create(school, fresh)
        if (refused.kind !== 'invalid') throw new Error(refused.kind)
        expect(new Set(refused.problems.map(({ pointer }) => pointer))).toEqual(new Set([field]))
        expect(refused.problems[0]?.detail).toMatch(/^.{10,}\.$/s)
        expect([await rowsOf(school), await auditOf(school)]).toEqual([[], []])
      },
    )
  }

  verifies(
    'tool.slug.never-again',
    'a slug is refused while the school has it and after it was deleted, and is free at another school',
    async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      await aTool(world, school)
      const problem = async () => {
        const refused = await create(school, { name: 'Another' })
        if (refused.kind !== 'invalid') throw new Error(refused.kind)
        return refused.problems
      }
      const before = await rowsOf(school)
      expect(await problem()).toEqual([
        { pointer: '/slug', code: 'taken', detail: expect.stringContaining('already has') },
      ])
      expect(await rowsOf(school)).toEqual(before)
      await perform(school, deleteTool, { slug: 'reports' })
      expect(await problem()).toEqual([
        { pointer: '/slug', code: 'taken', detail: expect.stringContaining('never used again') },
      ])
      expect(await create(other)).toMatchObject({ kind: 'done' })
    },
  )

  verifies(
    'tool.slug.never-again',
    'of ten that want the same slug at once, one gets it and the others are refused',
    async () => {
      const school = await world.aSchool()
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => create(school)))
      const kinds = outcomes.map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['done', ...Array(9).fill('invalid')])
      expect(await rowsOf(school)).toHaveLength(1)
    },
  )
})

describe('changing a tool', () => {
  test('writes the given fields with the checks of a new one, and keeps the address', async () => {
    const school = await world.aSchool()
    const { clientId } = await aTool(world, school)
    const change = (changes: Partial<Omit<NewTool, 'slug'>>) =>
      perform(school, changeTool, { slug: 'reports', ...changes })
    const before = await rowsOf(school)
    for (const [field, fresh] of BAD.filter(([name]) => name !== '/slug')) {
      const refused = await change(fresh)
      expect(refused, JSON.stringify(fresh)).toMatchObject({
        kind: 'invalid',
        problems: [{ pointer: field }],
      })
    }
    expect(await rowsOf(school)).toEqual(before)
    expect(await change({ scopes: ['courses:read'] })).toMatchObject({
      kind: 'done',
      output: { slug: 'reports', client_id: clientId, changed: { scopes: ['courses:read'] } },
    })
    expect((await findListedTool(school.db, 'reports'))?.scopes).toEqual(['courses:read'])
    expect(await change({})).toMatchObject({ kind: 'done', output: { changed: {} } })
    const actions = (await auditOf(school)).map(({ action }) => action)
    expect(actions).toEqual(['client.created', 'client.changed'])
  })

  test('tells the audit log the value before and after, and writes no entry if both are the same', async () => {
    const school = await world.aSchool()
    const { clientId } = await aTool(world, school)
    const { name, redirect_uris } = TOOL
    const moved = ['http://127.0.0.1/elsewhere']
    for (const typed of [
      { name, redirect_uris },
      { name: 'Figures', redirect_uris: moved },
    ]) {
      outputOf(await perform(school, changeTool, { slug: 'reports', ...typed }))
    }
    const changed = { name: [name, 'Figures'], redirect_uris: [redirect_uris, moved] }
    expect((await auditOf(school)).slice(1)).toEqual([
      {
        ...{ action: 'client.changed', client_id: clientId },
        detail: { kind: 'tool', via: 'command_line', changed },
      },
    ])
  })

  test('a tool that the school does not have, or has no more, cannot be changed or deleted', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    await aTool(world, other)
    await aTool(world, school, { slug: 'gone' })
    await perform(school, deleteTool, { slug: 'gone' })
    for (const slug of ['reports', 'gone']) {
      const changes = { slug, name: 'Mine' }
      expect(await perform(school, changeTool, changes)).toMatchObject({ kind: 'not_found' })
      expect(await perform(school, deleteTool, { slug })).toMatchObject({ kind: 'not_found' })
    }
    expect((await findListedTool(other.db, 'reports'))?.name).toBe(TOOL.name)
  })

  test('a review has no meaning for a tool', async () => {
    const school = await world.aSchool()
    const { clientId } = await aTool(world, school)
    const refused = await perform(school, reviewClient, { client_id: clientId })
    expect(refused).toMatchObject({ kind: 'conflict', code: 'no_client_metadata' })
    await perform(school, disableClient, { client_id: clientId })
    expect(await listClients(school.db, 'tool')).toMatchObject([
      { slug: 'reports', disabled: true },
    ])
  })
})

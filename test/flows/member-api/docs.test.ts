import { readFile } from 'node:fs/promises'
import { parse, validate } from 'graphql/index.js'
import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/surfaces/member-api/documents/limits.ts'
import { buildMemberSchema } from '../../../src/surfaces/member-api/schema.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { aDemoToken, theDemoSchool } from '../../support/demo-member.ts'
import { ask } from '../../support/member-api.ts'

const page = (name: string): Promise<string> =>
  readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

test('the documentation names the limits that the server applies', async () => {
  const rows = [...(await page('member-api.md')).matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(
    ([, name, value]) => [name, Number(value)],
  )
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIMITS)
})

interface Example {
  readonly heading: string
  readonly query: string
  readonly variables: Record<string, unknown>
}

/** The GraphQL blocks of the page, each with the variables after it, if there are any. */
async function examples(): Promise<Example[]> {
  return (await page('member-api-queries.md')).split(/^## /m).flatMap((section) => {
    const heading = section.split('\n', 1)[0] ?? ''
    const blocks = section.matchAll(/```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?/gs)
    return [...blocks].map(([, query = '', variables = '{}']) => ({
      heading,
      query,
      variables: JSON.parse(variables),
    }))
  })
}

test('every query of the documentation runs in the demo world', async () => {
  const world = await aDemoWorld()
  const school = await theDemoSchool(world)
  const token = await aDemoToken(world, school, 'ada@demo.test')
  const all = await examples()
  expect(all.length).toBeGreaterThan(8)
  for (const { heading, query, variables } of all) {
    const { data, errors } = await ask(world, school, token, query, variables)
    expect([heading, errors]).toEqual([heading, undefined])
    expect(Object.values(data ?? {})).not.toContain(null)
  }
})

test('headings say which queries older origins do not have', async () => {
  const older = buildMemberSchema('older')
  for (const { heading, query } of await examples()) {
    const known = validate(older, parse(query)).length === 0
    expect([heading, known]).toEqual([heading, !heading.endsWith('(newer origins)')])
  }
})

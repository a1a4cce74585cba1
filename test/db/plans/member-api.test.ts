import { beforeAll, expect, test } from 'vitest'
import { buildMemberSchema } from '../../../src/surfaces/member-api/schema.ts'
import { aNotification } from '../../support/inbox.ts'
import { aToken, read } from '../../support/member-api.ts'
import { giveEverything } from '../../support/member-with-everything.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { fieldsOf, isConnection, wholeSelection } from '../../support/whole-selection.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
// Two of each: one page of one leads to another, and what is read for each is read twice.
await giveEverything(school, ada, 2)
const noted = await aNotification(school, ada)
const token = await aToken(world, school, ada)

const schema = buildMemberSchema('newer')
const viewerFields = fieldsOf(schema, 'Viewer')

/** What mutations are called with; one that needs more has to be added. */
const GIVEN: Readonly<Record<string, string>> = {
  markNotificationRead: `(id: "${noted}")`,
  updateNotificationSubscription: '(topic: "courses", channel: email, enabled: false)',
}

const { connection, statementsOf } = world.database
const ask = <T = object>(query: string) => read<T>(world, school, token, query)

const answered: AnsweredRequest[] = []

beforeAll(async () => {
  const asked = async (part: string, query: string) => {
    // The outlines of courses are kept from now on.
    await ask(query)
    answered.push(...(await costs.ofPart(part, () => ask(query))))
  }
  for (const field of viewerFields) {
    await asked(`viewer.${field.name}`, `{ viewer { ${field.name} ${wholeSelection(field)} } }`)
  }
  for (const field of fieldsOf(schema, 'Mutation')) {
    const call = `${field.name}${GIVEN[field.name] ?? ''} ${wholeSelection(field)}`
    await asked(field.name, `mutation { ${call} }`)
  }
})

test('nothing that the Member API tells or changes reads a whole table', async () => {
  const statements = answered.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

testStatements('Member API', () => answered)

interface Page {
  readonly viewer: Record<string, { readonly pageInfo: Record<string, string> }>
}

/** Four pages: the first and the one after it, the last and the one before it. */
async function leafThrough(name: string, selection: string): Promise<void> {
  const asked = async (range: string) => {
    const { viewer } = await ask<Page>(`{ viewer { ${name}(${range}) ${selection} } }`)
    return viewer[name]?.pageInfo ?? {}
  }
  const { endCursor } = await asked('first: 1')
  await asked(`first: 1, after: "${endCursor}"`)
  const { startCursor } = await asked('last: 1')
  await asked(`last: 1, before: "${startCursor}"`)
}

test('no connection of the Member API reads a whole table, leafed through either way', async () => {
  const statements = await statementsOf(async () => {
    for (const field of viewerFields.filter(isConnection)) {
      await leafThrough(field.name, wholeSelection(field))
    }
    for (const filter of ['startedAfter: 1', 'startedBefore: 2000000000', 'state: [available]']) {
      await ask(`{ viewer { consultingMeetings(filter: { ${filter} }) { nodes { title } } } }`)
    }
  })
  expect(statements.length).toBeGreaterThan(50)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

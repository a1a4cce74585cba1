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
// Two of each: a list with pages of one has a next page, and reads per row happen twice.
await giveEverything(school, ada, 2)
const notificationId = await aNotification(school, ada)
const token = await aToken(world, school, ada)

const schema = buildMemberSchema('newer')
const viewerFields = fieldsOf(schema, 'Viewer')

/** Arguments of the mutations that need some. Add a line for each new one. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  markNotificationRead: `(id: "${notificationId}")`,
  updateNotificationSubscription: '(topic: "courses", channel: email, enabled: false)',
}

const { connection, statementsOf } = world.database
const ask = <T = object>(query: string) => read<T>(world, school, token, query)

const answered: AnsweredRequest[] = []

beforeAll(async () => {
  const count = async (part: string, query: string) => {
    // After this request the outlines of the courses are cached.
    await ask(query)
    answered.push(...(await costs.ofPart(part, () => ask(query))))
  }
  for (const field of viewerFields) {
    await count(`viewer.${field.name}`, `{ viewer { ${field.name} ${wholeSelection(field)} } }`)
  }
  for (const field of fieldsOf(schema, 'Mutation')) {
    const call = `${field.name}${ARGUMENTS[field.name] ?? ''} ${wholeSelection(field)}`
    await count(field.name, `mutation { ${call} }`)
  }
})

test('no field and no mutation of the Member API reads a whole table', async () => {
  const statements = answered.flatMap((request) => request.statements)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

testStatements('Member API', () => answered)

interface Page {
  readonly viewer: Record<string, { readonly pageInfo: Record<string, string> }>
}

/** Four pages: the first and the one after it, the last and the one before it. */
async function readPages(name: string, selection: string): Promise<void> {
  const readPage = async (range: string) => {
    const { viewer } = await ask<Page>(`{ viewer { ${name}(${range}) ${selection} } }`)
    return viewer[name]?.pageInfo ?? {}
  }
  const { endCursor } = await readPage('first: 1')
  await readPage(`first: 1, after: "${endCursor}"`)
  const { startCursor } = await readPage('last: 1')
  await readPage(`last: 1, before: "${startCursor}"`)
}

test('no connection of the Member API reads a whole table, read forwards or backwards', async () => {
  const statements = await statementsOf(async () => {
    for (const field of viewerFields.filter(isConnection)) {
      await readPages(field.name, wholeSelection(field))
    }
    for (const filter of [
      ...[
        'startedAfter: 1',
        'startedBefore: 2000000000',
        'endedAfter: 1',
        'endedBefore: 2000000000',
      ],
      'state: [available]',
    ]) {
      await ask(`{ viewer { consultingMeetings(filter: { ${filter} }) { nodes { title } } } }`)
    }
  })
  expect(statements.length).toBeGreaterThan(50)
  expect(await wholeReads(connection, statements)).toEqual(new Map())
})

import { type Answer, hiddenPairs, Visitor } from './browser-like.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

/** A school whose beta feature "MCP connections" is on. */
export async function aBetaSchool(world: World): Promise<TestSchool> {
  return await world.aSchool({ mcpConnections: true })
}

export async function setBeta(world: World, school: TestSchool, on: boolean): Promise<void> {
  await world.database.db
    .updateTable('schools')
    .set({ mcp_connections: on })
    .where('id', '=', school.id)
    .execute()
  world.context.directory.forget(school.id)
}

export async function signedIn(
  world: World,
  school: TestSchool,
  person: TestPerson,
): Promise<Visitor> {
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), person)
  return visitor
}

export async function anOwner(world: World, school: TestSchool): Promise<Visitor> {
  return await signedIn(world, school, await world.aMember(school, ['owner']))
}

/** Opens a page and sends the form on it that posts to `action`. */
export async function submit(
  visitor: Visitor,
  page: string,
  action: string,
  fields: Record<string, string> | [string, string][] = {},
): Promise<Answer> {
  return await visitor.post(action, [
    ...hiddenPairs((await visitor.get(page)).body, action),
    ...(Array.isArray(fields) ? fields : Object.entries(fields)),
  ])
}

/** All open their page first, and then send its form at the same time. */
export async function submitAtOnce(
  visits: readonly (readonly [Visitor, page: string])[],
  action: string,
  fields: Record<string, string> = {},
): Promise<readonly Answer[]> {
  const opened = await Promise.all(
    visits.map(async ([visitor, page]) => ({
      visitor,
      hidden: hiddenPairs((await visitor.get(page)).body, action),
    })),
  )
  const typed = Object.entries(fields)
  return await Promise.all(
    opened.map(({ visitor, hidden }) => visitor.post(action, [...hidden, ...typed])),
  )
}

/** Switches a client off on the page that asks before it. */
export async function switchOff(visitor: Visitor, clientId: string): Promise<Answer> {
  const action = '/admin/clients/standing'
  return await submit(visitor, `${action}?id=${encodeURIComponent(clientId)}`, action)
}

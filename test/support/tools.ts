import type { z } from 'zod'
import { createTool } from '../../src/domain/clients/tool-operations.ts'
import { outputOf, performByCommandLine } from './performing.ts'
import { CALLBACK, type TestClient, type TestSchool, type World } from './world.ts'

export type NewTool = z.input<typeof createTool.input>

export const TOOL: NewTool = {
  slug: 'reports',
  name: 'Monthly reports',
  redirect_uris: [CALLBACK],
  scopes: ['openid', 'courses:read', 'courses:write'],
}

/** A tool that an operator of the school made, as a client. */
export async function aTool(
  world: World,
  school: TestSchool,
  fresh: Partial<NewTool> = {},
): Promise<TestClient> {
  const made = outputOf(await performByCommandLine(school, createTool, { ...TOOL, ...fresh }))
  world.context.directory.forget(school.id)
  return {
    clientId: made.client_id,
    secret: undefined,
    redirectUri: made.redirect_uris[0] ?? CALLBACK,
  }
}

import { adminAccess } from './requirements/admin-api/access.ts'
import { adminScopes } from './requirements/admin-api/scopes.ts'
import type { Area, Chapter, Source } from './requirements/chapter.ts'
import { demoWorld } from './requirements/house/demo-world.ts'
import { guide } from './requirements/house/guide.ts'
import { jobs } from './requirements/house/jobs.ts'
import { origins } from './requirements/house/origins.ts'
import { setup } from './requirements/house/setup.ts'
import { mcpAccess } from './requirements/mcp/access.ts'
import { mcpProtocol } from './requirements/mcp/protocol.ts'
import { memberAccess } from './requirements/member-api/access.ts'
import { connections } from './requirements/member-api/connections.ts'
import { consulting } from './requirements/member-api/consulting.ts'
import { courses } from './requirements/member-api/courses.ts'
import { notifications } from './requirements/member-api/notifications.ts'
import { payments } from './requirements/member-api/payments.ts'
import { viewer } from './requirements/member-api/viewer.ts'
import { access } from './requirements/oauth/access.ts'
import { authorize } from './requirements/oauth/authorize.ts'
import { clients } from './requirements/oauth/clients.ts'
import { discovery } from './requirements/oauth/discovery.ts'
import { identity } from './requirements/oauth/identity.ts'
import { logout } from './requirements/oauth/logout.ts'
import { metadataDocuments } from './requirements/oauth/metadata-documents.ts'
import { registration } from './requirements/oauth/registration.ts'
import { revoke } from './requirements/oauth/revoke.ts'
import { token } from './requirements/oauth/token.ts'
import { tokenPairs } from './requirements/oauth/token-pairs.ts'
import { tools } from './requirements/oauth/tools.ts'
import { pages } from './requirements/pages/pages.ts'

const chapters = [
  ...discovery,
  ...clients,
  ...registration,
  ...metadataDocuments,
  ...tools,
  ...authorize,
  ...token,
  ...tokenPairs,
  ...revoke,
  ...logout,
  ...identity,
  ...access,
  ...memberAccess,
  ...viewer,
  ...connections,
  ...courses,
  ...consulting,
  ...payments,
  ...notifications,
  ...mcpAccess,
  ...mcpProtocol,
  ...adminAccess,
  ...adminScopes,
  ...pages,
  ...origins,
  ...guide,
  ...demoWorld,
  ...setup,
  ...jobs,
] as const

type IdsOf<C> = C extends Chapter<infer Says> ? keyof Says & string : never

export type RequirementId = IdsOf<(typeof chapters)[number]>

export interface Requirement {
  readonly id: string
  readonly area: Area
  readonly source: Source
  readonly says: string
}

/** Every promise of the product, one row each. */
export const requirements: readonly Requirement[] = chapters.flatMap(({ area, source, says }) =>
  Object.entries(says).map(([id, sentence]) => ({ id, area, source, says: sentence })),
)

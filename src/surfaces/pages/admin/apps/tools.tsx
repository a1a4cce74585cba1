import { findListedTool, type ListedClient } from '../../../../domain/clients/list-clients.ts'
import { findScope, SCOPES } from '../../../../domain/clients/scope-catalogue.ts'
import {
  changeTool,
  createTool,
  DEFAULT_TOOL_SCOPES,
  deleteTool,
  TOOLS_PATH,
} from '../../../../domain/clients/tool-operations.ts'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge } from '../../../../foundation/html/site-components.tsx'
import { adminPaths, toolPath } from '../../frame/paths.ts'
import type { Choice, FormField, InputName } from '../crud/field.ts'
import { type PlannedField, planForm } from '../crud/field-rules.ts'
import { STATUS_NOTICES } from './clients.ts'
import { ClientId, type OwnClients } from './own-clients.tsx'

const OFFERED = [
  ...SCOPES.filter(({ audience }) => audience === 'identity'),
  ...SCOPES.filter(({ audience, access }) => audience === 'operator' && access === 'read'),
  ...SCOPES.filter(({ audience, access }) => audience === 'operator' && access === 'write'),
]

function headingOf(scope: string): string {
  const found = findScope(scope)
  if (found?.audience === 'identity') return 'Scopes: who the person is'
  return found?.access === 'read' ? 'Scopes: what it can see' : 'Scopes: what it can change'
}

/** `address` is the start of the address of every tool. That of an existing one never changes. */
const fieldsAt = (address: string): readonly FormField<InputName<typeof createTool>>[] => [
  {
    name: 'name',
    label: 'Name',
    needed: true,
    hint: 'Owners and admins see it when they are asked for consent.',
  },
  {
    name: 'slug',
    label: 'Address',
    needed: true,
    hint: `A short name in small letters, such as reports. The client_id becomes ${address}reports.json. It cannot be changed, and no other tool ever gets it.`,
  },
  {
    name: 'redirect_uris',
    label: 'Redirect URIs',
    kind: 'lines',
    hint: 'One per line, only on the person’s own computer, such as http://127.0.0.1/callback. The port may differ, the path must match exactly.',
  },
  {
    name: 'scopes',
    label: 'Scopes',
    kind: 'scopes',
    choices: OFFERED.map(({ name, meaning }): Choice => [name, meaning]),
    headingOf,
    hint: 'An assistant asks for all read scopes; take away what it must not see.',
  },
]

const CHANGED_FIELDS = planForm(changeTool, fieldsAt(''), createTool)

export function newToolFields(origin: string): readonly PlannedField[] {
  return planForm(createTool, fieldsAt(origin + TOOLS_PATH))
}

/** Developers, Operator tools: operator clients whose metadata document the school publishes. */
export const tools: OwnClients = {
  kind: 'tool',
  path: adminPaths.tools,
  title: 'Operator tools',
  lead: 'Programs that owners and admins run on their own computers: a script, or an MCP client that is no known platform.',
  newLead:
    'Your school publishes its metadata document. Every owner and admin of your school can connect it.',
  empty: 'Create one, and give its client_id to the person who runs it.',
  create: createTool,
  change: changeTool,
  remove: deleteTool,
  newFields: ({ origin }) => newToolFields(origin),
  fields: () => CHANGED_FIELDS,
  startsAs: { redirect_uris: ['http://127.0.0.1/callback'], scopes: DEFAULT_TOOL_SCOPES },
  rowOf: ({ name, redirectUris, scopes }) => ({ name, redirect_uris: redirectUris, scopes }),
  by: 'slug',
  keyOf: ({ slug }) => slug ?? '',
  find: ({ request }, slug) => findListedTool(request.schoolDb, slug),
  afterCreate: (_visit, { slug }) => `${toolPath(String(slug))}?done=created`,
  listNotices: { deleted: 'The tool is deleted, and its access has ended.' },
  notices: {
    ...STATUS_NOTICES,
    created: 'The tool is ready. Give its client_id to the person who runs it.',
    saved: 'Saved. New authorizations and refreshes follow it.',
  },
  badges: () => <Badge>Your school’s tool</Badge>,
  facts: ({ clientId, createdAt }: ListedClient, timeZone) => [
    ['client_id, and address of its document', <ClientId clientId={clientId} isLink />],
    ['Kind', 'Public: no secret; PKCE protects each sign-in'],
    ['Created', <Moment at={createdAt} timeZone={timeZone} />],
  ],
  loss: 'Withdraws its document.',
}

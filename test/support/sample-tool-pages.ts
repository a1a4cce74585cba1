import type { ListedClient } from '../../src/domain/clients/list-clients.ts'
import {
  deleteOwnClientPage,
  newOwnClientPage,
  ownClientPage,
  ownClientsPage,
} from '../../src/surfaces/pages/admin/apps/own-clients.tsx'
import { newToolFields, tools as own } from '../../src/surfaces/pages/admin/apps/tools.tsx'
import { at, formOf } from './sample-admin-frame.ts'
import { hostileName } from './sample-people.ts'

const TOOLS = '/admin/developers/tools'
const ADDRESS = 'https://demo.example/clients/'

const reports: ListedClient = {
  clientId: `${ADDRESS}reports.json`,
  kind: 'tool',
  slug: 'reports',
  audience: 'operator',
  name: 'Monthly reports',
  confidential: false,
  redirectUris: ['http://127.0.0.1/callback'],
  postLogoutRedirectUris: [],
  scopes: ['openid', 'orders:read', 'analytics:read'],
  reviewed: true,
  disabled: false,
  platformDisabled: false,
  websiteUrl: undefined,
  privacyUrl: undefined,
  logoUrl: undefined,
  assistant: undefined,
  builtIn: false,
  createdAt: new Date('2026-11-02T09:00Z'),
  secretRotatedAt: undefined,
  oldSecretExpiresAt: undefined,
}

const fields = newToolFields('https://demo.example')
const row = { redirect_uris: reports.redirectUris, scopes: reports.scopes }

const tools = {
  own,
  origin: 'https://demo.example',
  ...at(TOOLS),
  clients: [reports, { ...reports, name: hostileName, slug: 'odd', disabled: true }],
  people: new Map([[reports.clientId, 2]]),
}

export const sampleToolPages: Record<string, string> = {
  'admin-tools': ownClientsPage(tools),
  'admin-tools-none': ownClientsPage({ ...tools, clients: [] }),
  'admin-new-tool': newOwnClientPage(at(`${TOOLS}/new`), own, formOf(fields, row)),
  'admin-new-tool-problems': newOwnClientPage(
    at(`${TOOLS}/new`),
    own,
    formOf(
      fields,
      { name: 'Reports', slug: 'reports', redirect_uris: ['https://tool.example/callback'] },
      {
        problems: {
          slug: [
            'This school had a tool reports and deleted it. Its address is never used again. Choose another.',
          ],
          redirect_uris: [
            "https://tool.example/callback: Use an address on the person's own computer.",
          ],
          scopes: ['Choose at least one of courses:read.'],
        },
      },
    ),
  ),
  'admin-tool': ownClientPage({
    own,
    ...at(TOOLS),
    client: reports,
    form: formOf(
      fields.filter(({ name }) => name !== 'slug'),
      { ...row, name: reports.name },
    ),
    people: { people: [], next: undefined },
  }),
  'admin-delete-tool': deleteOwnClientPage({
    own,
    ...at(TOOLS),
    client: reports,
    people: 2,
  }),
}

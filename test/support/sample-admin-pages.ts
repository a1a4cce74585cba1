import type { AuditRecord } from '../../src/domain/audit/read-audit.ts'
import type { ListedClient } from '../../src/domain/clients/list-clients.ts'
import {
  applicationFields,
  applicationRow,
  newApplicationFields,
} from '../../src/surfaces/pages/admin/apps/application-fields.ts'
import { logoPage } from '../../src/surfaces/pages/admin/apps/application-logo.tsx'
import { applications as own } from '../../src/surfaces/pages/admin/apps/applications.tsx'
import {
  clientPage,
  clientsPage,
  documentFieldsWith,
  endAccessPage,
  switchOffPage,
} from '../../src/surfaces/pages/admin/apps/client-pages.tsx'
import {
  deleteOwnClientPage,
  newOwnClientPage,
  ownClientPage,
  ownClientsPage,
} from '../../src/surfaces/pages/admin/apps/own-clients.tsx'
import {
  endOldSecretPage,
  renewSecretPage,
  secretPage,
} from '../../src/surfaces/pages/admin/apps/secret.tsx'
import { aboutEntry, auditPage } from '../../src/surfaces/pages/admin/audit/audit.tsx'
import {
  adminOnlyPage,
  developersOffPage,
} from '../../src/surfaces/pages/admin/frame/question-page.tsx'
import { keysPage, retireKeyPage } from '../../src/surfaces/pages/admin/settings/keys.tsx'
import { settingsPage, settingsPanels } from '../../src/surfaces/pages/admin/settings/settings.tsx'
import { stopAllPage } from '../../src/surfaces/pages/admin/settings/stop-all.tsx'
import { at, formOf, formSchool } from './sample-admin-frame.ts'
import { sampleOverviewPages } from './sample-overview-pages.ts'
import { hostileName, school, student } from './sample-people.ts'

const day = (text: string) => new Date(`${text}Z`)

const planner: ListedClient = {
  clientId: 'app-5f3c09d2e1b7a64c08',
  kind: 'application',
  slug: undefined,
  audience: 'member',
  name: 'Study Planner',
  confidential: false,
  redirectUris: ['https://planner.example/callback', 'http://127.0.0.1/callback'],
  postLogoutRedirectUris: ['https://planner.example/'],
  scopes: ['openid', 'profile', 'account:read'],
  reviewed: false,
  disabled: false,
  platformDisabled: false,
  websiteUrl: undefined,
  privacyUrl: undefined,
  logoUrl: undefined,
  assistant: undefined,
  builtIn: false,
  createdAt: day('2026-09-01T09:00'),
  secretRotatedAt: undefined,
  oldSecretExpiresAt: undefined,
}
const website: ListedClient = {
  ...planner,
  clientId: 'demo-confidential',
  name: 'School website',
  confidential: true,
  disabled: true,
  secretRotatedAt: day('2026-10-11T07:30'),
  oldSecretExpiresAt: day('2026-10-12T07:30'),
}
const explorer: ListedClient = {
  ...planner,
  clientId: 'member-api-explorer',
  name: 'Member API explorer',
  builtIn: true,
}
const platform: ListedClient = {
  ...planner,
  clientId: 'claude',
  name: 'Claude',
  kind: 'vendor',
  audience: 'operator',
  reviewed: true,
}
const document: ListedClient = {
  ...platform,
  clientId: 'https://tool.example/oauth/client.json',
  name: 'Course Tool',
  kind: 'document',
  redirectUris: ['http://127.0.0.1/callback', 'https://tool.example/callback'],
  reviewed: false,
}

const people = {
  people: [
    {
      id: '0198f3c0-0000-7000-8000-000000000001',
      name: 'Ada Lovelace',
      email: 'ada@demo.test',
      authorizations: 2,
      lastAuthorizedAt: day('2026-10-02T08:30'),
      lastUsedAt: day('2026-11-14T21:05'),
    },
    {
      id: '0198f3c0-0000-7000-8000-000000000002',
      name: 'Ben Shaw',
      email: 'ben@demo.test',
      authorizations: 1,
      lastAuthorizedAt: day('2026-11-14T20:00'),
      lastUsedAt: undefined,
    },
  ],
  next: '0198f3c0-0000-7000-8000-000000000002',
}
const noPeople = { people: [], next: undefined }

const applications = {
  own,
  ...at('/admin/developers/applications'),
  clients: [planner, website, explorer],
  people: new Map([[planner.clientId, 12]]),
  origin: 'https://demo.schools.example',
}
const fields = applicationFields(formSchool)
const form = formOf(fields, {
  ...applicationRow(planner),
  website_url: 'https://planner.example',
  scopes: ['openid', 'account:read'],
})
const problems = {
  name: ['Use 1 to 200 characters.'],
  redirect_uris: ['http://planner.example/callback: Use https. Plain http is only for loopback.'],
  scopes: ['Choose at least one of openid, account:read.'],
}
const wrong = { redirect_uris: ['http://planner.example/callback'], confidential: true }
const activity = {
  people: 101,
  activities: [
    {
      ...{ kind: 'courses', readDays: 12, lastReadAt: day('2026-11-03T02:10') },
      ...{ changes: 0, lastChangedAt: undefined },
    },
    {
      ...{ kind: 'bookings', readDays: 1, lastReadAt: day('2026-11-02T09:30') },
      ...{ changes: 3, lastChangedAt: day('2026-11-02T09:31') },
    },
  ],
}
const documentFields = documentFieldsWith(['127.0.0.1', 'localhost'])
const clients = {
  ...at('/admin/clients'),
  clients: [platform, document, { ...document, name: 'Reviewed Tool', reviewed: true }, planner],
  people: new Map([
    ['claude', 1],
    [planner.clientId, 101],
  ]),
  connectedPeople: 1204,
  activity: new Map([[planner.clientId, activity]]),
  documents: formOf(documentFields, { document_hosts: ['tool.example', '*.example.org'] }),
}
const key = {
  kid: 'k4Jd0a9xPq2vLw7ZbN3s',
  stage: 'active' as const,
  publishedAt: day('2026-08-01T00:00'),
  activatedAt: day('2026-08-03T00:00'),
  retiredAt: null,
  readyAt: day('2026-08-02T00:00'),
  ready: true,
}
const fresh = { ...key, kid: 'Zq81mXc5', stage: 'published' as const, activatedAt: null }
const keys = {
  ...at('/admin/keys'),
  leadHours: 24,
  keys: [
    { ...fresh, kid: 'Yn02wRt7', ready: false },
    fresh,
    key,
    { ...key, kid: 'b7Gh3kLm', stage: 'retired' as const, retiredAt: day('2026-08-03T00:00') },
  ],
}
const entry = {
  id: '0198f3c0-0000-7000-8000-00000000000a',
  at: day('2026-11-14T21:05'),
  action: 'client.created',
  outcome: 'ok',
  actor: { id: '1', name: 'Olive Owner', email: 'owner@demo.test' },
  client: { id: planner.clientId, name: planner.name },
  subject: undefined,
  detail: { via: 'admin_area', scopes: ['openid', 'account:read'] },
  requestId: 'req-7f3k2m9q',
}
const audit = {
  ...at('/admin/audit'),
  search: { filter: {} },
  aboutEntry: (entry: AuditRecord) =>
    aboutEntry(
      entry,
      new Map([['0198f3c0-0000-7000-8000-000000000001', { kind: 'courses', name: hostileName }]]),
    ),
  entries: [
    entry,
    { ...entry, action: 'token.refused', outcome: 'invalid_grant', actor: undefined },
    {
      ...entry,
      ...{ action: 'member.roles_changed', client: undefined },
      detail: { before: ['student'], after: ['lecturer', 'student'], via: 'admin_area' },
    },
    {
      ...entry,
      ...{ action: 'operation.done', client: undefined },
      detail: { operation: 'courses.remove', name: 'Still Life', via: 'admin_area' },
    },
    {
      ...entry,
      action: 'operation.done',
      client: undefined,
      subject: '0198f3c0-0000-7000-8000-000000000001',
      detail: {
        operation: 'courses.change',
        changed: {
          title: ['Drawing', hostileName],
          price_amount: [0, 480_000],
          published_at: [null, '2026-11-14T21:05:00.000Z'],
          is_listed: [false, true],
        },
        also_changed: ['description'],
        currency: 'TWD',
        via: 'admin_area',
      },
    },
    {
      ...entry,
      action: 'key.published',
      client: undefined,
      subject: key.kid,
      detail: {},
      requestId: undefined,
    },
  ],
  next: entry.id,
  isFirst: true,
}

/** Every state of the admin pages, by the name of its screenshot. */
export const sampleAdminPages: Record<string, string> = {
  ...sampleOverviewPages,
  'admin-only': adminOnlyPage({ school, here: '/admin', viewer: student, roles: ['student'] }),
  'admin-developers-off': developersOffPage({
    ...at('/admin/developers/applications'),
    developersShown: false,
  }),
  'admin-settings': settingsPage({
    ...at('/admin/settings'),
    panels: settingsPanels(true).map((panel) => ({
      ...panel,
      form: formOf(panel.fields, {
        mcp_connections: true,
        sign_up: true,
        invites_people: true,
        video_hosts: ['player.vimeo.com'],
      }),
    })),
    demand: { from: undefined, daysLeft: undefined, isOwner: true, hasMeans: true },
    notice: 'MCP connections is on. OAuth applications are under Developers now.',
  }),
  'admin-applications': ownClientsPage(applications),
  'admin-applications-none': ownClientsPage({ ...applications, clients: [] }),
  'admin-applications-hostile-name': ownClientsPage({
    ...applications,
    clients: [{ ...planner, name: hostileName }],
  }),
  'admin-new-application': newOwnClientPage(
    at('/admin/developers/applications/new'),
    own,
    formOf(newApplicationFields(formSchool), { scopes: ['openid', 'account:read'] }),
  ),
  'admin-new-application-problems': newOwnClientPage(
    at('/admin/developers/applications/new'),
    own,
    formOf(newApplicationFields(formSchool), wrong, { problems }),
  ),
  'admin-secret': secretPage({
    ...at('/admin/developers/applications'),
    clientId: website.clientId,
    name: website.name,
    secret: 'sg_cs_AZjzwAAAcACAAAAAAAAAAWSampleSampleSampleSampleSampleSampleSample0a1b2c3d',
    rotated: true,
    old_until: '2026-10-12T07:30:00.000Z',
  }),
  'admin-application': ownClientPage({
    own,
    ...at('/admin/developers/applications'),
    form,
    client: planner,
    people,
  }),
  'admin-application-overwrites': ownClientPage({
    own,
    ...at('/admin/developers/applications'),
    client: planner,
    people,
    form: formOf(fields, applicationRow(planner), {
      stored: { redirect_uris: ['https://planner.example/callback'] },
    }),
  }),
  'admin-application-built-in': ownClientPage({
    own,
    ...at('/admin/developers/applications'),
    form,
    client: explorer,
    people: noPeople,
  }),
  'admin-application-confidential': ownClientPage({
    own,
    ...at('/admin/developers/applications'),
    client: website,
    form: formOf(fields, wrong, { problems }),
    people: noPeople,
  }),
  'admin-application-logo': logoPage({
    ...at('/admin/developers/applications'),
    application: { ...planner, logoUrl: '/logo.svg' },
  }),
  'admin-application-logo-refused': logoPage({
    ...at('/admin/developers/applications'),
    application: planner,
    problem: 'too_large',
  }),
  'admin-end-access': endAccessPage({
    ...at('/admin/clients/end-all'),
    client: planner,
    people: 12,
    back: '/admin/developers/applications',
  }),
  'admin-switch-off': switchOffPage({
    ...at('/admin/clients/standing'),
    client: planner,
    people: 12,
    back: '/admin/developers/applications',
  }),
  'admin-renew-secret': renewSecretPage({
    ...at('/admin/developers/applications'),
    application: { ...website, oldSecretExpiresAt: new Date('2027-03-02T09:00:00Z') },
  }),
  'admin-end-old-secret': endOldSecretPage({
    ...at('/admin/developers/applications'),
    application: website,
  }),
  'admin-delete-application': deleteOwnClientPage({
    own,
    ...at('/admin/developers/applications'),
    client: planner,
    people: 12,
  }),
  'admin-clients': clientsPage(clients),
  'admin-clients-none': clientsPage({
    ...clients,
    clients: [],
    people: new Map(),
    connectedPeople: 0,
  }),
  'admin-stop-all': stopAllPage({
    ...at('/admin/clients'),
    apps: 2,
    people: 1204,
    isWrongName: false,
  }),
  'admin-stop-all-wrong-name': stopAllPage({
    ...at('/admin/clients'),
    apps: 1,
    people: 1,
    isWrongName: true,
  }),
  'admin-clients-problem': clientsPage({
    ...clients,
    clients: [],
    documents: formOf(
      documentFields,
      { document_hosts: ['https://tool.example/'], open_registration: true },
      {
        problems: {
          document_hosts: ['"https://tool.example/" is no host. Write app.example.com.'],
        },
      },
    ),
  }),
  'admin-client-awaiting-review': clientPage({
    ...at('/admin/clients/view'),
    client: document,
    people: { ...people, activity },
  }),
  'admin-client-platform': clientPage({
    ...at('/admin/clients/view'),
    client: { ...platform, disabled: true },
    people: noPeople,
  }),
  'admin-client-platform-disabled': clientPage({
    ...at('/admin/clients/view'),
    client: { ...platform, disabled: true, platformDisabled: true },
    people: noPeople,
  }),
  'admin-keys': keysPage(keys),
  'admin-keys-retire': retireKeyPage({ ...at('/admin/keys'), kid: fresh.kid, isWrongName: true }),
  'admin-keys-none': keysPage({ ...keys, keys: [] }),
  'admin-audit': auditPage(audit),
  'admin-audit-filtered': auditPage({
    ...audit,
    search: {
      filter: { action: 'client.created', actorEmail: 'owner@demo.test' },
      from: '2026-11-01',
      to: '2026-11-15',
    },
    entries: [],
    next: undefined,
    isFirst: false,
  }),
}

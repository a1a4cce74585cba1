import { rotateSecret } from '../../src/domain/clients/application-operations.ts'
import { outputOf, performByCommandLine } from './performing.ts'
import { fresh, here, type ProofAct, type ProvenOwner, type Typed } from './proof-act.ts'
import { aTool } from './tools.ts'
import { CALLBACK } from './world.ts'

const APPS = '/admin/developers/applications'
const TOOLS = '/admin/developers/tools'
const CLIENTS = '/admin/clients'

const application = (more: Typed = []): Typed => [
  ['name', 'Planner'],
  ['redirect_uris', 'https://app.example/callback'],
  ['scopes', 'openid'],
  ['scopes', 'profile'],
  ...more,
]

/** The form of a stored application, as its page shows it, with some fields typed anew. */
async function changed({ world, school }: ProvenOwner, typed: Record<string, string>) {
  const scopes = ['openid', 'profile']
  const { clientId } = await world.aPublicClient(school, { name: 'Planner', scopes })
  const fields = { name: 'Planner', redirect_uris: CALLBACK, ...typed }
  const given = 'scopes' in typed ? [] : scopes.map((name): [string, string] => ['scopes', name])
  return here(`${APPS}/${clientId}`, [...Object.entries(fields), ...given])
}

async function aDocument({ school }: ProvenOwner): Promise<string> {
  const client_id = `https://${fresh()}.example/client.json`
  await school.db
    .insert('clients', {
      ...{ client_id, kind: 'document', audience: 'operator', name: 'Reporter' },
      ...{ confidential: false, redirect_uris: [CALLBACK], scopes: ['openid', 'courses:read'] },
    })
    .execute()
  return client_id
}

/** What asks for a recent proof and gives clients access, by what it does. */
export const CLIENT_PROOF_ACTS: Readonly<Record<string, ProofAct>> = {
  'renew a client secret': {
    operation: 'applications.rotate_secret',
    prepare: async ({ world, school }) => {
      const { clientId } = await world.aConfidentialClient(school)
      return { page: `${APPS}/${clientId}/renew`, action: `${APPS}/${clientId}/secret` }
    },
  },
  'end the old secret of an application': {
    operation: 'applications.end_old_secret',
    prepare: async ({ world, school }) => {
      const { clientId } = await world.aConfidentialClient(school)
      outputOf(await performByCommandLine(school, rotateSecret, { client_id: clientId }))
      return here(`${APPS}/${clientId}/old-secret`)
    },
  },
  'make an application with a secret': {
    operation: 'applications.create',
    prepare: async () => ({
      page: `${APPS}/new`,
      action: APPS,
      fields: application([['confidential', 'on']]),
    }),
  },
  'make a public application': {
    operation: 'applications.create',
    prepare: async () => ({ page: `${APPS}/new`, action: APPS, fields: application() }),
  },
  'connect an assistant': {
    operation: 'applications.create',
    prepare: async () => here('/admin/developers/assistants/claude', application()),
  },
  'send the codes of an application to another address': {
    operation: 'applications.change',
    prepare: (owner) =>
      changed(owner, { redirect_uris: `${CALLBACK}\nhttps://thief.example/callback` }),
  },
  'send people to another address after they signed out': {
    operation: 'applications.change',
    prepare: (owner) => changed(owner, { post_logout_redirect_uris: 'https://thief.example/' }),
  },
  'give an application another scope': {
    operation: 'applications.change',
    prepare: (owner) => changed(owner, { scopes: 'account:write' }),
  },
  'make an application look like another one': {
    operation: 'applications.change',
    prepare: (owner) => changed(owner, { name: 'Demo Academy' }),
  },
  'send people from the consent page to another site': {
    operation: 'applications.change',
    prepare: (owner) => changed(owner, { website_url: 'https://thief.example/' }),
  },
  'send people who want to read about privacy to another site': {
    operation: 'applications.change',
    prepare: (owner) => changed(owner, { privacy_url: 'https://thief.example/' }),
  },
  'delete an application': {
    operation: 'applications.delete',
    prepare: async ({ world, school }) => {
      const { clientId } = await world.aPublicClient(school, { name: 'Planner' })
      return here(`${APPS}/${clientId}/delete`, [['confirm_name', 'Planner']])
    },
  },
  'make a tool': {
    operation: 'tools.create',
    prepare: async () => ({
      page: `${TOOLS}/new`,
      action: TOOLS,
      fields: [
        ['slug', fresh()],
        ['name', 'Reports'],
        ['redirect_uris', CALLBACK],
        ['scopes', 'courses:read'],
        ['scopes', 'courses:write'],
      ],
    }),
  },
  'give a tool another scope': {
    operation: 'tools.change',
    prepare: async ({ world, school }) => {
      const slug = fresh()
      await aTool(world, school, { slug, name: 'Reports', scopes: ['openid'] })
      return here(`${TOOLS}/${slug}`, [
        ['name', 'Reports'],
        ['redirect_uris', CALLBACK],
        ['scopes', 'members:write'],
      ])
    },
  },
  'make a tool look like another one': {
    operation: 'tools.change',
    prepare: async ({ world, school }) => {
      const slug = fresh()
      await aTool(world, school, { slug, name: 'Reports', scopes: ['openid'] })
      return here(`${TOOLS}/${slug}`, [
        ['name', 'Planner'],
        ['redirect_uris', CALLBACK],
        ['scopes', 'openid'],
      ])
    },
  },
  'delete a tool': {
    operation: 'tools.delete',
    prepare: async ({ world, school }) => {
      const slug = fresh()
      await aTool(world, school, { slug, name: 'Reports' })
      return here(`${TOOLS}/${slug}/delete`, [['confirm_name', 'Reports']])
    },
  },
  'review a client that may then ask for everything': {
    operation: 'clients.review',
    prepare: async (owner) => {
      const id = encodeURIComponent(await aDocument(owner))
      return { page: `${CLIENTS}/view?id=${id}`, action: `${CLIENTS}/review` }
    },
  },
  'switch a client on again': {
    operation: 'clients.enable',
    prepare: async ({ world, school }) => {
      const { clientId } = await world.aPublicClient(school)
      await school.db
        .update('clients')
        .set({ disabled_at: new Date() })
        .where('client_id', '=', clientId)
        .execute()
      return { page: `${APPS}/${clientId}`, action: `${CLIENTS}/standing` }
    },
  },
}

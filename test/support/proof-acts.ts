import { publishKey } from '../../src/domain/schools/signing-key-operations.ts'
import { CLIENT_PROOF_ACTS } from './client-proof-acts.ts'
import { finishJobs } from './jobs.ts'
import { signedIn } from './operator-like.ts'
import { outputOf, performByCommandLine } from './performing.ts'
import { fresh, here, type ProofAct, type ProvenOwner, type Typed } from './proof-act.ts'
import { uploadTo } from './uploading.ts'

const KEYS = '/admin/keys'
const CLIENTS = '/admin/clients'
const SETTINGS = '/admin/settings'
const SESSIONS = '/account/sessions'

async function aKey({ world, school }: ProvenOwner): Promise<string> {
  const publish = publishKey(world.context.keyring)
  const { kid } = outputOf(await performByCommandLine(school, publish, {}))
  const published_at = new Date(Date.now() - 3 * 86_400_000)
  await school.db.update('signing_keys').set({ published_at }).where('kid', '=', kid).execute()
  return kid
}

async function aCheckedFile({ world, visitor }: ProvenOwner): Promise<string> {
  const sent = await uploadTo(visitor, '/admin/jobs/import', {
    fields: { resource: 'students' },
    name: 'rows.csv',
    type: 'text/csv',
    bytes: Buffer.from('Mail,Name\nkit@example.test,Kit\n'),
  })
  await finishJobs(world)
  return String(sent.headers.location).split('?')[0] ?? ''
}

/** What the school has before, so that the form changes something. */
interface Before {
  readonly mcp_connections?: boolean
  readonly end_authorization_on_replay?: boolean
  readonly operator_factor_from?: Date
}

async function setBefore({ world, school }: ProvenOwner, before: Before): Promise<void> {
  await world.database.db.updateTable('schools').set(before).where('id', '=', school.id).execute()
  world.context.directory.forget(school.id)
}

const setting = (path: string, fields: Typed = [], before?: Before): ProofAct => ({
  operation: 'settings.change',
  prepare: async (owner) => {
    if (before !== undefined) await setBefore(owner, before)
    return { page: SETTINGS, action: `${SETTINGS}/${path}`, fields }
  },
})

const documents = (fields: Typed): ProofAct => ({
  operation: 'settings.change',
  prepare: async () => ({ page: CLIENTS, action: `${CLIENTS}/documents`, fields }),
})

export const EXPORT = here('/admin/jobs/new', [
  ['resource', 'members'],
  ['format', 'csv'],
])

/** What asks for a recent proof, by what it does. */
export const PROOF_ACTS: Readonly<Record<string, ProofAct>> = {
  ...CLIENT_PROOF_ACTS,
  'let clients from another host in': documents([['document_hosts', 'thief.example']]),
  'let any app register itself': documents([['open_registration', 'on']]),
  'let people sign up': setting('sign-up', [['sign_up', 'on']]),
  'let a player of videos from another host in': setting('videos', [
    ['video_hosts', 'thief.example'],
  ]),
  'switch the Developers area on': setting('beta', [['mcp_connections', 'on']], {
    mcp_connections: false,
  }),
  'no longer end an authorization whose old token is used': setting('security', [], {
    end_authorization_on_replay: true,
  }),
  'no longer demand a second factor of operators': {
    operation: 'settings.demand_factor',
    prepare: async (owner) => {
      await setBefore(owner, { operator_factor_from: new Date(Date.now() + 5 * 86_400_000) })
      return { page: SETTINGS, action: `${SETTINGS}/factor` }
    },
  },
  'publish a signing key': {
    operation: 'signing_keys.publish',
    prepare: async () => ({ page: KEYS, action: `${KEYS}/publish` }),
  },
  'activate a signing key': {
    operation: 'signing_keys.activate',
    prepare: async (owner) => {
      await aKey(owner)
      return { page: KEYS, action: `${KEYS}/activate` }
    },
  },
  'retire a signing key': {
    operation: 'signing_keys.retire',
    prepare: async (owner) => {
      const kid = await aKey(owner)
      const fields: Typed = [['confirm_name', kid]]
      return { page: `${KEYS}/retire?kid=${kid}`, action: `${KEYS}/retire`, fields }
    },
  },
  'make a person an admin': {
    operation: 'members.create',
    prepare: async () =>
      here('/admin/members/new', [
        ['email', `${fresh()}@example.test`],
        ['name', 'Kit'],
        ['roles', 'admin'],
      ]),
  },
  'change roles': {
    operation: 'members.change',
    prepare: async ({ world, school }) => {
      const { id } = await world.aMember(school, ['admin'])
      return here(`/admin/members/${id}/edit`, [['roles', 'student']])
    },
  },
  'remove a member': {
    operation: 'members.remove',
    prepare: async ({ world, school }) => {
      const { id } = await world.aMember(school, ['admin'])
      return here(`/admin/members/${id}/remove`)
    },
  },
  'remove a student': {
    operation: 'students.remove',
    prepare: async ({ world, school }) => {
      const { id } = await world.aMember(school)
      return here(`/admin/students/${id}/remove`)
    },
  },
  'export rows': { operation: 'exports.start', prepare: async () => EXPORT },
  'export a list': {
    operation: 'exports.start_list',
    prepare: async () => ({
      page: '/admin/jobs/export?resource=students',
      action: '/admin/jobs/export',
    }),
  },
  'import a file that was checked': {
    operation: 'imports.start',
    prepare: async (owner) => {
      const job = await aCheckedFile(owner)
      return { page: job, action: `${job}/import` }
    },
  },
  'check a file with other columns': {
    operation: 'imports.recheck',
    prepare: async (owner) => {
      const job = await aCheckedFile(owner)
      const fields: Typed = [
        ['column', 'email'],
        ['column', 'name'],
      ]
      return { page: job, action: `${job}/columns`, fields }
    },
  },
  'sign out another browser': {
    operation: undefined,
    prepare: async ({ world, school, person }) => {
      await signedIn(world, school, person)
      return { page: SESSIONS, action: `${SESSIONS}/end` }
    },
  },
  'sign out all other browsers': {
    operation: undefined,
    prepare: async ({ world, school, person }) => {
      await signedIn(world, school, person)
      return { page: SESSIONS, action: `${SESSIONS}/end-others` }
    },
  },
}

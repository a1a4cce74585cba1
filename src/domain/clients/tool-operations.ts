import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { parseUrl } from '../../foundation/net/parse-url.ts'
import { isLoopback } from '../../foundation/protocol/redirect-uri.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { whatChanged } from '../audit/audit.ts'
import { withdrawCodesOfClient } from '../grants/authorizations.ts'
import { endAccessOfClient, endedAccess } from '../grants/end-access.ts'
import { type InputProblem, invalid, notFound, OperationRefused } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/writing.ts'
import { nameProblems, problem, scopeProblems, uriProblems } from './application-details.ts'
import { MAX_CLIENT_NAME_LENGTH } from './client-metadata.ts'
import { UNREVIEWED_SCOPES } from './scope-catalogue.ts'

/** `checkTool` judges the values, so that each surface shows the same sentences. */
const details = z.strictObject({
  name: z.string(),
  redirect_uris: z.array(z.string()),
  scopes: z.array(z.string()),
})
const named = z.strictObject({ slug: z.string() })
const answered = named.extend({ client_id: z.string() })

/**
 * Creates a tool: a public operator client with a document that the school publishes. The school
 * chose its scopes and redirect URIs itself, so it is reviewed from the start.
 */
export const createTool = unscopedWrite({
  name: 'tools.create',
  title: 'Create a tool',
  summary: 'Publishes the metadata document of a tool that owners and admins use.',
  needsProof: () => true,
  kind: 'create',
  changesSchool: true,
  input: named.extend(details.shape),
  output: answered.extend(details.shape),
  async run(tx, actor, { slug, ...given }) {
    checkTool({ slug, ...given })
    const client_id = toolAddress(await lockOrigin(tx), slug)
    const columns = columnsOf(given)
    const by = actor.userId ?? null
    const row = await tx
      .insert('clients', {
        client_id,
        kind: 'tool',
        audience: 'operator',
        slug,
        ...columns,
        created_by: by,
        reviewed_by: by,
        reviewed_at: sql<Date>`now()`,
      })
      .onConflict((conflicting) => conflicting.doNothing())
      .returning('client_id')
      .executeTakeFirst()
    if (row === undefined) throw await slugTaken(tx, slug)
    return { slug, client_id, ...columns }
  },
  audit: ({ slug: _, client_id: clientId, ...detail }) => [
    { action: 'client.created', clientId, detail: { kind: 'tool', ...detail } },
  ],
})

/**
 * The tool keeps its address. What people agreed to stays; a refresh gives the part that the tool
 * still holds.
 */
export const changeTool = unscopedWrite({
  name: 'tools.change',
  title: 'Change a tool',
  summary: 'Changes the given fields of a tool; all others stay unchanged.',
  needsProof: () => true,
  kind: 'change',
  input: named.extend(details.partial().shape),
  output: answered.extend({ before: details, changed: details.partial() }),
  async run(tx, _actor, { slug, ...given }) {
    checkTool(given)
    const { client_id, ...before } = await lockTool(tx, slug)
    const changed = columnsOf(given)
    if (Object.keys(changed).length > 0) {
      await tx.update('clients').set(changed).where('client_id', '=', client_id).execute()
    }
    return { slug, client_id, before, changed }
  },
  audit({ client_id: clientId, before, changed }) {
    const detail = whatChanged(before, changed, Object.keys(details.shape))
    return Object.keys(detail).length === 0
      ? []
      : [{ action: 'client.changed', clientId, detail: { kind: 'tool', ...detail } }]
  },
})

/** The row stays, so that the address never names another tool. */
export const deleteTool = unscopedWrite({
  name: 'tools.delete',
  title: 'Delete a tool',
  summary: 'Withdraws the document of a tool and ends every authorization that people gave it.',
  needsProof: () => true,
  kind: 'remove',
  changesSchool: true,
  input: named,
  output: answered.extend(endedAccess),
  async run(tx, actor, { slug }) {
    const found = await findTool(tx, slug)
    await withdrawCodesOfClient(tx, found)
    const { client_id } = await lockTool(tx, slug)
    await tx
      .update('clients')
      .set({ deleted_at: sql<Date>`now()` })
      .where('client_id', '=', client_id)
      .execute()
    return { slug, client_id, people: await endAccessOfClient(tx, actor, client_id) }
  },
  audit: ({ client_id: clientId, people }) => [
    { action: 'client.deleted', clientId, detail: { kind: 'tool', people } },
  ],
})

/**
 * The stored origin, held until the end of the transaction: a school that moves gives its tools new
 * addresses.
 */
async function lockOrigin(tx: SchoolTx): Promise<string> {
  const { rows } = await tx.run(
    sql<{ origin: string }>`select origin from schools where id = ${tx.schoolId} for share`,
  )
  if (rows[0] === undefined) throw notFound('school')
  return rows[0].origin
}

const selectTool = (tx: SchoolTx, slug: string) =>
  tx
    .from('clients')
    .select(['client_id', 'name', 'redirect_uris', 'scopes'])
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)

async function findTool(tx: SchoolTx, slug: string): Promise<string> {
  const tool = await selectTool(tx, slug).executeTakeFirst()
  if (tool === undefined) throw notFound('tool')
  return tool.client_id
}

async function lockTool(tx: SchoolTx, slug: string) {
  const tool = await selectTool(tx, slug).forUpdate().executeTakeFirst()
  if (tool === undefined) throw notFound('tool')
  return tool
}

async function slugTaken(tx: SchoolTx, slug: string): Promise<OperationRefused> {
  const gone = await tx
    .from('clients')
    .select('client_id')
    .where('slug', '=', slug)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  return invalid(
    'slug',
    'taken',
    gone === undefined
      ? `This school already has a tool ${slug}. Choose another.`
      : `This school had a tool ${slug} and deleted it. Its address is never used again. Choose another.`,
  )
}

function columnsOf(given: ToolDetails): ToolDetails
function columnsOf(given: GivenTool): Partial<ToolDetails>
function columnsOf({ name, redirect_uris, scopes }: GivenTool): Partial<ToolDetails> {
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(redirect_uris === undefined ? {} : { redirect_uris: [...new Set(redirect_uris)] }),
    ...(scopes === undefined ? {} : { scopes: ScopeSet.of(scopes).toArray() }),
  }
}

/** Where a school publishes the metadata documents of its tools. */
export const TOOLS_PATH = '/clients/'

/** The address of a tool's document, which is the client_id of the tool. */
export function toolAddress(origin: string, slug: string): string {
  return `${origin}${TOOLS_PATH}${slug}.json`
}

/**
 * Whether a client_id is an address among the tools of this origin, in any spelling. Such an
 * address is never fetched: the server would call itself.
 */
export function isToolAddress(origin: string, clientId: string): boolean {
  if (!/^https?:/i.test(clientId)) return false
  const url = parseUrl(clientId)
  return url?.origin === origin && decoded(url.pathname).startsWith(TOOLS_PATH)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** An MCP client asks for all of them, and is refused if the tool lacks one. */
export const DEFAULT_TOOL_SCOPES: readonly string[] = UNREVIEWED_SCOPES.toArray()

interface ToolDetails {
  readonly name: string
  readonly redirect_uris: string[]
  readonly scopes: string[]
}

interface GivenTool {
  readonly slug?: string | undefined
  readonly name?: string | undefined
  readonly redirect_uris?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,58}[a-z0-9]$/
/** The admin area has a page of this name beside the pages of the tools. */
const RESERVED = 'new'

/** Refuses wrong details with a sentence for each; a detail that is not given is not judged. */
function checkTool({ slug, name, redirect_uris, scopes }: GivenTool): void {
  const problems = [
    ...(slug === undefined ? [] : slugProblems(slug)),
    ...(name === undefined ? [] : toolNameProblems(name)),
    ...(redirect_uris === undefined ? [] : loopbackProblems(redirect_uris)),
    ...(scopes === undefined ? [] : scopeProblems(scopes, 'operator')),
  ]
  if (problems.length > 0) throw new OperationRefused({ kind: 'invalid', problems })
}

function slugProblems(slug: string): readonly InputProblem[] {
  if (!SLUG.test(slug)) {
    return [
      problem(
        'slug',
        'Use 3 to 60 small letters, digits and hyphens, with a letter or digit at both ends.',
      ),
    ]
  }
  return slug === RESERVED ? [problem('slug', `${RESERVED} is reserved. Choose another.`)] : []
}

/** The name stands in a document that other servers read, so it keeps to their limit. */
function toolNameProblems(name: string): readonly InputProblem[] {
  const problems = nameProblems(name)
  if (problems.length > 0) return problems
  return name.trim().length > MAX_CLIENT_NAME_LENGTH
    ? [problem('name', `Use at most ${MAX_CLIENT_NAME_LENGTH} characters.`)]
    : []
}

/**
 * Anyone who runs the tool gets its codes, so they go only to the computer of the person who
 * started it.
 */
function loopbackProblems(uris: readonly string[]): readonly InputProblem[] {
  const elsewhere = uris.filter((uri) => !isLoopback(uri))
  if (elsewhere.length === 0) return uriProblems(uris, false)
  return elsewhere.map((uri) =>
    problem(
      'redirect_uris',
      `${uri.slice(0, 200)}: Use an address on the person's own computer, such as http://127.0.0.1/callback (any port).`,
    ),
  )
}

import { sql } from 'kysely'
import { KeyedLimiter } from '../../foundation/concurrency/keyed-limiter.ts'
import { Limiter } from '../../foundation/concurrency/limiter.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { School } from '../schools/school.ts'
import type { Client } from './client.ts'
import type { ClientIdUrl } from './metadata/client-id-url.ts'
import type { ClientMetadata } from './metadata/client-metadata.ts'
import { type FetchedMetadata, fetchClientMetadata } from './metadata/fetch-client-metadata.ts'
import { isPermittedHost } from './metadata/permitted-host.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from './scope-catalogue.ts'

export type ResolvedMetadata =
  | { readonly ok: true; readonly document: ClientMetadata }
  | {
      readonly ok: false
      readonly description: string
      /** Set if the metadata was not fetched: it may be valid. */
      readonly retryAfterSeconds?: number
    }

/** A client as this school sees its metadata: read and identity scopes until an operator reviews it. */
export function metadataAsClient(document: ClientMetadata, own: Client | undefined): Client {
  const reviewed = own?.reviewed === true
  return {
    clientId: document.clientId,
    kind: 'document',
    audience: 'operator',
    name: document.name,
    confidential: false,
    redirectUris: document.redirectUris,
    scopes: reviewed ? SCOPES_OF_AUDIENCE.operator : UNREVIEWED_SCOPES,
    reviewed,
    disabled: false,
    secretHash: undefined,
  }
}

export interface MetadataRules {
  /** Hosts that every school of this installation permits. */
  readonly hosts: readonly string[]
  /** The exception of the demo world: plain http from this machine. */
  readonly loopbackHttp: boolean
  /** Whether this address may cause one more fetch. */
  readonly mayFetch: (address: string) => boolean
}

/** More at once would hold the threads that name look-ups share with password hashing. */
const MAX_FETCHES_AT_ONCE = 4
/** Of those, for one address: a client that names slow hosts must not hold up all others. */
const MAX_FETCHES_PER_ADDRESS = 2
/** The window in which an address is counted. */
const BUSY_SECONDS = 60

/**
 * The metadata behind client ids, fetched when a person is about to authorize and kept in the database
 * for every process. Tokens are refreshed without it, so that a vendor's outage ends no session.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5
 */
export class MetadataClients {
  readonly loopbackHttp: boolean
  readonly #rules: MetadataRules
  /** By URL: requests for the same metadata wait for one fetch. */
  readonly #fetching = new Map<string, Promise<ResolvedMetadata>>()
  readonly #fetches = new Limiter({ running: MAX_FETCHES_AT_ONCE, waiting: 0 })
  readonly #fetchesOfAddress = new KeyedLimiter({ running: MAX_FETCHES_PER_ADDRESS, waiting: 0 })

  constructor(rules: MetadataRules) {
    this.#rules = rules
    this.loopbackHttp = rules.loopbackHttp
  }

  /** Whether a URL can be a client_id at this school; discovery announces it. */
  areSupportedAt(school: School): boolean {
    return school.hasTools || this.arePermittedAt(school)
  }

  /** Whether this school could accept client metadata of other hosts. */
  arePermittedAt(school: School): boolean {
    return (
      school.openRegistration || school.documentHosts.length > 0 || this.#rules.hosts.length > 0
    )
  }

  async resolve(
    db: Db,
    school: School,
    url: ClientIdUrl,
    address: string,
  ): Promise<ResolvedMetadata> {
    const permitted =
      school.openRegistration ||
      isPermittedHost(url.host, school.documentHosts) ||
      isPermittedHost(url.host, this.#rules.hosts)
    if (!permitted) {
      return {
        ok: false,
        description: `This school does not permit client metadata documents from ${url.host}. Its operator can permit the host.`,
      }
    }
    const kept = await findKept(db, url.href)
    if (kept !== undefined) return kept
    const running = this.#fetching.get(url.href)
    if (running !== undefined) return await running
    const isBusy = this.#fetches.isFull || this.#fetchesOfAddress.isFull(address)
    if (isBusy || !this.#rules.mayFetch(address)) {
      return {
        ok: false,
        description: 'Too many client metadata documents are being fetched. Try again in a minute.',
        retryAfterSeconds: BUSY_SECONDS,
      }
    }
    const fetching = this.#fetches
      .run(() => this.#fetchesOfAddress.run(address, () => this.#fetch(db, url)))
      .finally(() => this.#fetching.delete(url.href))
    this.#fetching.set(url.href, fetching)
    return await fetching
  }

  async #fetch(db: Db, url: ClientIdUrl): Promise<ResolvedMetadata> {
    const fetched = await fetchClientMetadata(url, { allowLoopbackHttp: this.loopbackHttp })
    await keep(db, url.href, fetched)
    return fetched
  }
}

async function findKept(db: Db, url: string): Promise<ResolvedMetadata | undefined> {
  const row = await db
    .selectFrom('client_documents')
    .select(['document', 'failure'])
    .where('url', '=', url)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.failure !== null) return { ok: false, description: row.failure }
  return { ok: true, document: row.document as ClientMetadata }
}

async function keep(db: Db, url: string, fetched: FetchedMetadata): Promise<void> {
  const outcome = fetched.ok
    ? { document: JSON.stringify(fetched.document), failure: null }
    : { document: null, failure: fetched.description.slice(0, 500) }
  const times = {
    fetched_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + make_interval(secs => ${fetched.lifetimeSeconds})`,
  }
  await db
    .insertInto('client_documents')
    .values({ url, ...outcome, ...times })
    .onConflict((conflict) => conflict.column('url').doUpdateSet({ ...outcome, ...times }))
    .execute()
}

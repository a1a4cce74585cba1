import { sql } from 'kysely'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { KeyedLimiter, Limiter, LimiterFull } from '../../foundation/concurrency/limiter.ts'
import type { Db } from '../../foundation/db/database.ts'
import { addressBucket } from '../../foundation/net/address.ts'
import { type FetchOptions, fetchPublicJson } from '../../foundation/net/fetch-document.ts'
import { type FetchFailureReason, isPermittedHost } from '../../foundation/net/fetch-target.ts'
import type { OutgoingObserver } from '../../foundation/net/outgoing.ts'
import type { School } from '../schools/school.ts'
import type { Client } from './client.ts'
import type { ClientIdUrl } from './client-id-url.ts'
import { type ClientMetadata, type DocumentRefusal, judgeDocument } from './client-metadata.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from './scope-catalogue.ts'

/** Short enough that a vendor can fix a mistake soon, long enough to save requests. */
export const SHORTEST_DOCUMENT_LIFETIME_SECONDS = 5 * 60
export const LONGEST_DOCUMENT_LIFETIME_SECONDS = 24 * 60 * 60

/**
 * How long a copy may be used after it was fetched, if its host fails: real documents have been
 * away for days. A host that removes a redirect URI publishes a new document, which replaces the
 * copy.
 */
export const LAST_GOOD_COPY_DAYS = 7

/**
 * How long a URL that failed is not fetched again. Without this pause, each request of an attacker
 * would make this server send one.
 */
export const FAILURE_LIFETIME_SECONDS = 60

/**
 * How long a valid document may be used: as its headers say, within our limits, or the shortest
 * time if they say nothing.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5.2
 */
export function cacheLifetimeSeconds(maxAgeSeconds: number | undefined): number {
  return Math.min(
    Math.max(maxAgeSeconds ?? 0, SHORTEST_DOCUMENT_LIFETIME_SECONDS),
    LONGEST_DOCUMENT_LIFETIME_SECONDS,
  )
}

/** Far more than the rate limit lets this process fetch in a minute. */
const MAX_FAILURES = 10_000

/**
 * The URLs that failed within the last minute, each with what was wrong, so that an attacker's
 * requests do not each make this server send one. In memory, because errors must not be cached in
 * place of a document (draft-ietf-oauth-client-id-metadata-document §5.2).
 */
export class RecentFailures {
  readonly #failures = new LruCache<{ readonly description: string; readonly until: number }>(
    MAX_FAILURES,
  )
  readonly #now: () => number

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** What was wrong, if the URL failed less than a minute ago. */
  find(url: string): string | undefined {
    const failure = this.#failures.get(url)
    if (failure === undefined || failure.until <= this.#now()) return undefined
    return failure.description
  }

  add(url: string, description: string): void {
    const until = this.#now() + FAILURE_LIFETIME_SECONDS * 1000
    this.#failures.set(url, { description, until }, 1)
  }
}

export type ResolvedMetadata =
  | {
      readonly ok: true
      readonly document: ClientMetadata
      /** Set if this is the last good copy, because the host fails. */
      readonly staleBecause?: string
    }
  | {
      readonly ok: false
      readonly description: string
      /** Set if the metadata was not fetched: it may be valid. */
      readonly retryAfterSeconds?: number
      /** Set if the school has to permit this host first. */
      readonly unpermittedHost?: string
    }

/**
 * A client as this school sees its metadata: read and identity scopes until an operator reviews it.
 */
export function metadataAsClient(document: ClientMetadata, own: Client | undefined): Client {
  const reviewed = own?.reviewed === true
  return {
    clientId: document.clientId,
    kind: 'document',
    audience: 'operator',
    name: document.name,
    confidential: false,
    redirectUris: document.redirectUris,
    websiteUrl: document.websiteUrl,
    privacyUrl: document.privacyUrl,
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
  readonly observe?: OutgoingObserver | undefined
}

/** More at once would hold the threads that name look-ups share with password hashing. */
const MAX_FETCHES_AT_ONCE = 4
/** Of one school. A fetch takes 5 seconds at most. */
const MAX_FETCHES_WAITING = 4
const FETCH_WAIT_MS = 5_000
/**
 * Of those that run or wait, for one network: a client that names slow hosts must not hold up all
 * others.
 */
const MAX_FETCHES_PER_NETWORK = 2
/** The window in which an address is counted. */
const BUSY_SECONDS = 60

const BUSY: ResolvedMetadata = {
  ok: false,
  description: 'Too many client metadata documents are being fetched. Try again in a minute.',
  retryAfterSeconds: BUSY_SECONDS,
}

function refuseBusy(error: unknown): ResolvedMetadata {
  if (error instanceof LimiterFull) return BUSY
  throw error
}

/**
 * The metadata behind client ids, fetched when a person is about to authorize and kept in the
 * database for every process. If a fetch fails, or too many are running, the last good copy is used
 * for a week. Tokens are refreshed without it, so that a vendor's outage ends no session.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5
 */
export class MetadataClients {
  readonly loopbackHttp: boolean
  readonly #rules: MetadataRules
  /** By URL: requests for the same metadata wait for one fetch. */
  readonly #fetching = new Map<string, Promise<ResolvedMetadata>>()
  readonly #failures = new RecentFailures()
  readonly #fetches = new Limiter({
    running: MAX_FETCHES_AT_ONCE,
    waiting: MAX_FETCHES_WAITING,
    waitMs: FETCH_WAIT_MS,
  })
  readonly #fetchesOfNetwork = new KeyedLimiter({ running: MAX_FETCHES_PER_NETWORK, waiting: 0 })

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
        unpermittedHost: url.host,
      }
    }
    const kept = await findKeptDocument(db, url.href)
    if (kept?.fresh === true) return { ok: true, document: kept.document }
    const fetched = await (this.#fetching.get(url.href) ??
      this.#tryToFetch(db, school, url, address))
    if (fetched.ok || kept === undefined) return fetched
    if (kept.usable) {
      return { ok: true, document: kept.document, staleBecause: fetched.description }
    }
    if (fetched.retryAfterSeconds !== undefined) return fetched
    const tooOld = `The last good copy is more than ${LAST_GOOD_COPY_DAYS} days old.`
    return { ok: false, description: `${fetched.description} ${tooOld}` }
  }

  async #tryToFetch(
    db: Db,
    school: School,
    url: ClientIdUrl,
    address: string,
  ): Promise<ResolvedMetadata> {
    const failure = this.#failures.find(url.href)
    if (failure !== undefined) return { ok: false, description: failure }
    const network = addressBucket(address)
    const isBusy = this.#fetches.isFull(school.id) || this.#fetchesOfNetwork.isFull(network)
    if (isBusy || !this.#rules.mayFetch(address)) return BUSY
    const fetching = this.#fetchesOfNetwork
      .run(network, () => this.#fetches.run(() => this.#fetch(db, url), school.id))
      .catch(refuseBusy)
      .finally(() => this.#fetching.delete(url.href))
    this.#fetching.set(url.href, fetching)
    return await fetching
  }

  async #fetch(db: Db, url: ClientIdUrl): Promise<ResolvedMetadata> {
    const fetched = await fetchClientMetadata(url, {
      allowLoopbackHttp: this.loopbackHttp,
      observe: this.#rules.observe,
    })
    if (fetched.ok) {
      await keepDocument(db, url.href, fetched.document, fetched.lifetimeSeconds)
      return { ok: true, document: fetched.document }
    }
    const description = `The client metadata document cannot be used. ${fetched.description}`
    this.#failures.add(url.href, description)
    return { ok: false, description }
  }
}

/** `lifetimeSeconds` is how long the document is used before the URL is fetched again. */
export type FetchedMetadata =
  | { readonly ok: true; readonly document: ClientMetadata; readonly lifetimeSeconds: number }
  | {
      readonly ok: false
      readonly reason: FetchFailureReason | DocumentRefusal
      readonly description: string
    }

/**
 * Fetches and judges the document of a client id. The caller must check first that its host is
 * permitted: an attacker must not be able to make this server send requests.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §5
 */
export async function fetchClientMetadata(
  url: ClientIdUrl,
  options: FetchOptions = {},
): Promise<FetchedMetadata> {
  const fetched = await fetchPublicJson(url.href, options)
  if (!fetched.ok) return fetched
  const verdict = judgeDocument(url, fetched.json)
  if (!verdict.ok) return verdict
  return { ...verdict, lifetimeSeconds: cacheLifetimeSeconds(fetched.maxAgeSeconds) }
}

/** The last good copy of a document. */
export interface KeptDocument {
  readonly document: ClientMetadata
  /** Used without asking its host, as long as its headers allowed. */
  readonly fresh: boolean
  /** Used if its host fails. */
  readonly usable: boolean
}

/** Crosses schools: all of them share the copy. */
async function findKeptDocument(db: Db, url: string): Promise<KeptDocument | undefined> {
  const row = await db
    .selectFrom('client_documents')
    .select([
      'document',
      sql<boolean>`expires_at > now()`.as('fresh'),
      sql<boolean>`fetched_at > now() - make_interval(days => ${LAST_GOOD_COPY_DAYS})`.as('usable'),
    ])
    .where('url', '=', url)
    .where('document', 'is not', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { ...row, document: row.document as ClientMetadata }
}

/** Replaces the copy. Only a document that was accepted gets here, so no failure replaces one. */
async function keepDocument(
  db: Db,
  url: string,
  document: ClientMetadata,
  lifetimeSeconds: number,
): Promise<void> {
  const kept = {
    document: JSON.stringify(document),
    failure: null,
    fetched_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
  }
  await db
    .insertInto('client_documents')
    .values({ url, ...kept })
    .onConflict((conflict) => conflict.column('url').doUpdateSet(kept))
    .execute()
}

import { KeyedLimiter } from '../../../foundation/concurrency/keyed-limiter.ts'
import { Limiter, LimiterFull } from '../../../foundation/concurrency/limiter.ts'
import type { Db } from '../../../foundation/db/database.ts'
import { addressBucket } from '../../../foundation/net/address-buckets.ts'
import type { OutgoingObserver } from '../../../foundation/net/outgoing.ts'
import type { School } from '../../schools/school.ts'
import type { Client } from '../client.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from '../scope-catalogue.ts'
import { LAST_GOOD_COPY_DAYS } from './cache-lifetime.ts'
import type { ClientIdUrl } from './client-id-url.ts'
import type { ClientMetadata } from './client-metadata.ts'
import { fetchClientMetadata } from './fetch-client-metadata.ts'
import { findKeptDocument, keepDocument } from './kept-documents.ts'
import { isPermittedHost } from './permitted-host.ts'
import { RecentFailures } from './recent-failures.ts'

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
/** Of those that run or wait, for one network: a client that names slow hosts must not hold up all others. */
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
 * The metadata behind client ids, fetched when a person is about to authorize and kept in the database
 * for every process. If a fetch fails, or too many are running, the last good copy is used for a week.
 * Tokens are refreshed without it, so that a vendor's outage ends no session.
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

import { sql } from 'kysely'
import type { PublicJwk } from '../../foundation/crypto/es256.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'

export type SchoolVariant = 'newer' | 'older'
export type KeyStage = 'published' | 'active' | 'retired'

export interface SchoolKey {
  readonly kid: string
  readonly stage: KeyStage
  readonly publicJwk: PublicJwk
}

export interface Appearance {
  readonly primaryColor: string
  readonly accentColor: string
  readonly tagline: string
  readonly logoFileId: string | undefined
  readonly version: number
}

/** A tenant. Requests share one cached object, so it is never changed in place. */
export interface School {
  readonly id: string
  readonly subdomain: string
  /**
   * Scheme, host and port, without a trailing slash: the issuer, and the start of every URL we
   * send.
   */
  readonly origin: string
  readonly name: string
  readonly description: string
  /** Public: developers find it in the description of the REST API. */
  readonly contactEmail: string | undefined
  readonly currency: string
  readonly locale: string
  readonly timeZone: string
  readonly variant: SchoolVariant
  /** A feature flag: whether the beta features of the Developers area are on. */
  readonly mcpConnections: boolean
  readonly openRegistration: boolean
  readonly documentHosts: readonly string[]
  /** Whether it publishes the metadata document of a tool of its own. */
  readonly hasTools: boolean
  readonly endAuthorizationOnReplay: boolean
  /**
   * From then on owners and admins need a passkey or a second factor; undefined if it is not
   * demanded.
   */
  readonly operatorFactorFrom: Date | undefined
  /** Whether people may make an account on its pages and become students. */
  readonly signUp: boolean
  /** Whether people whom it adds get a mail that invites them. */
  readonly invitesPeople: boolean
  /** Hosts from which lectures play videos on the page. */
  readonly videoHosts: readonly string[]
  /** Kinds of notifications that it does not send. */
  readonly quietCauses: readonly string[]
  readonly appearance: Appearance
  /**
   * Keys that a verifier may need, newest first. A retired key stays for a day, for ID tokens it
   * signed.
   */
  readonly keys: readonly SchoolKey[]
  /** Every request to it is answered with 503. */
  readonly isSuspended: boolean
  readonly sealedSigningKey: { readonly kid: string; readonly sealed: Buffer } | undefined
}

interface SchoolRow {
  id: string
  subdomain: string
  origin: string
  name: string
  description: string
  contact_email: string | null
  currency: string
  locale: string
  time_zone: string
  variant: SchoolVariant
  mcp_connections: boolean
  open_registration: boolean
  document_hosts: string[]
  has_tools: boolean
  end_authorization_on_replay: boolean
  operator_factor_from: Date | null
  sign_up: boolean
  invites_people: boolean
  video_hosts: string[]
  quiet_causes: string[]
  primary_color: string | null
  accent_color: string | null
  tagline: string | null
  logo_file_id: string | null
  appearance_version: number | null
  keys: { kid: string; stage: KeyStage; jwk: PublicJwk }[]
  active_kid: string | null
  active_key: Buffer | null
  is_suspended: boolean
}

export async function findSchoolByOrigin(db: Db, origin: string): Promise<School | undefined> {
  const { rows } = await sql<SchoolRow>`
    select s.id, s.subdomain, s.origin, s.name, s.description, s.contact_email, s.currency, s.locale, s.time_zone,
      s.variant, s.mcp_connections, s.open_registration, s.document_hosts, s.end_authorization_on_replay,
      s.operator_factor_from, s.suspended_at is not null as is_suspended,
      s.sign_up, s.invites_people, s.video_hosts, s.quiet_causes,
      exists (select from clients
              where school_id = s.id and slug is not null and deleted_at is null) as has_tools,
      a.primary_color, a.accent_color, a.tagline, a.logo_file_id, a.version as appearance_version,
      (select coalesce(json_agg(json_build_object('kid', kid, 'stage', stage, 'jwk', public_jwk)
                                order by published_at desc, kid), '[]')
       from signing_keys
       where school_id = s.id and (stage <> 'retired' or retired_at > now() - interval '1 day')) as keys,
      k.kid as active_kid, k.sealed_private_key as active_key
    from schools s
      left join appearances a on a.school_id = s.id
      left join signing_keys k on k.school_id = s.id and k.stage = 'active'
    where s.origin = ${origin} and s.deleted_at is null`.execute(db)
  const row = rows[0]
  return row === undefined ? undefined : schoolFromRow(row)
}

export const DEFAULT_APPEARANCE: Appearance = {
  primaryColor: '#1f4b99',
  accentColor: '#0f766e',
  tagline: '',
  logoFileId: undefined,
  version: 0,
}

function schoolFromRow(row: SchoolRow): School {
  return {
    id: row.id,
    subdomain: row.subdomain,
    origin: row.origin,
    name: row.name,
    description: row.description,
    contactEmail: row.contact_email ?? undefined,
    currency: row.currency,
    locale: row.locale,
    timeZone: row.time_zone,
    variant: row.variant,
    mcpConnections: row.mcp_connections,
    openRegistration: row.open_registration,
    documentHosts: row.document_hosts,
    hasTools: row.has_tools,
    endAuthorizationOnReplay: row.end_authorization_on_replay,
    operatorFactorFrom: row.operator_factor_from ?? undefined,
    signUp: row.sign_up,
    invitesPeople: row.invites_people,
    videoHosts: row.video_hosts,
    quietCauses: row.quiet_causes,
    appearance: {
      primaryColor: row.primary_color ?? DEFAULT_APPEARANCE.primaryColor,
      accentColor: row.accent_color ?? DEFAULT_APPEARANCE.accentColor,
      tagline: row.tagline ?? DEFAULT_APPEARANCE.tagline,
      logoFileId: row.logo_file_id ?? undefined,
      version: row.appearance_version ?? DEFAULT_APPEARANCE.version,
    },
    isSuspended: row.is_suspended,
    keys: row.keys.map(({ kid, stage, jwk }) => ({ kid, stage, publicJwk: jwk })),
    sealedSigningKey:
      row.active_kid === null || row.active_key === null
        ? undefined
        : { kid: row.active_kid, sealed: row.active_key },
  }
}

/** The currency of a price that states none. */
export async function schoolCurrency(db: SchoolDb): Promise<string> {
  const { rows } = await db.run(
    sql<{ currency: string }>`select currency from schools where id = ${db.schoolId}`,
  )
  const currency = rows[0]?.currency
  if (currency === undefined) throw new Error(`school ${db.schoolId} is gone`)
  return currency
}

export async function schoolTimeZone(tx: SchoolTx): Promise<string> {
  const { rows } = await tx.run(
    sql<{ time_zone: string }>`select time_zone from schools where id = ${tx.schoolId}`,
  )
  return rows[0]?.time_zone ?? 'UTC'
}

/**
 * A time in the words of a notification, such as "Tuesday, March 2, 2027 at 9:30 AM (Asia/Taipei)".
 */
export function timeInWords(at: Date, timeZone: string): string {
  const when = at.toLocaleString('en', { timeZone, dateStyle: 'full', timeStyle: 'short' })
  return `${when} (${timeZone})`
}

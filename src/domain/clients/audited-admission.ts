import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { auditInsert } from '../audit/audit.ts'
import { changeEntry } from '../audit/record-change.ts'
import type { ClientKind } from './client.ts'

/** What `whatChanged` says of two objects, for two rows of one statement. A document of an app may have long lists. */
const WHAT_CHANGED = sql`(
  select jsonb_strip_nulls(jsonb_build_object(
    'changed', jsonb_object_agg(member, jsonb_build_array(was, became)) filter (where is_short),
    'also_changed', jsonb_agg(member) filter (where not is_short)))
  from (
    select o.member, was, became, length(was::text) <= 200 and length(became::text) <= 200 as is_short
    from before, admitted, jsonb_each(to_jsonb(before)) o (member, was), jsonb_each(to_jsonb(admitted)) n (member, became)
    where o.member = n.member and was <> became) c)`

/**
 * Runs the INSERT that gives a school its own row of a client, or brings it up to date, and writes
 * the audit entry in the same statement. `upsert` touches the row only if something is different;
 * a row that was deleted before counts as created.
 */
export async function admitAudited(
  at: SchoolDb,
  client: { readonly clientId: string; readonly kind: ClientKind },
  by: AuditedActor,
  upsert: RawBuilder<unknown>,
): Promise<void> {
  const { clientId, kind } = client
  const entry = (action: 'client.created' | 'client.changed', when: RawBuilder<unknown>) => {
    const change = changeEntry(by, { action, clientId, detail: { kind } })
    const stated = sql`${JSON.stringify(change.detail)}::jsonb`
    const detail = action === 'client.changed' ? sql`(${stated} || ${WHAT_CHANGED})` : stated
    return auditInsert({ ...change, schoolId: at.schoolId, detail }, sql`where ${when}`)
  }
  const written = sql`exists (select from admitted)`
  await at.run(sql`
    with before as (
      select name, redirect_uris, scopes from clients
      where school_id = ${at.schoolId} and client_id = ${clientId} and deleted_at is null),
    admitted as (${upsert} returning name, redirect_uris, scopes),
    created as (${entry('client.created', sql`${written} and not exists (select from before)`)}),
    changed as (${entry('client.changed', sql`${written} and exists (select from before)`)})
    select`)
}

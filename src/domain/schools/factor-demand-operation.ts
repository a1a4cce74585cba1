import { sql } from 'kysely'
import { z } from 'zod'
import { conflict, OperationRefused } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import { findMeans } from '../people/factors/demand.ts'
import { recordSchoolChange } from './write-school.ts'

export const MOST_GRACE_DAYS = 30

const graceDays = z
  .int('Write whole days.')
  .min(0, 'Write 0 to 30 days.')
  .max(MOST_GRACE_DAYS, 'Write 0 to 30 days.')

/** Only for owners, and only for one who can meet the demand: an owner does not lock themselves out. */
export const demandFactor = unscopedWrite({
  name: 'settings.demand_factor',
  title: 'Demand a passkey or a second factor of owners and admins',
  summary:
    'After the days of grace, owners and admins reach the admin area and authorize operator apps only if they sign in with a passkey or a second factor.',
  needsProof: () => true,
  kind: 'change',
  input: z.strictObject({ demanded: z.boolean(), grace_days: graceDays.default(14) }),
  output: z.strictObject({ from: z.iso.datetime().nullable() }),
  run: async (tx, actor, { demanded, grace_days }) => {
    if (!actor.roles.includes('owner')) {
      const detail = 'Only an owner decides what owners and admins sign in with.'
      throw new OperationRefused({ kind: 'forbidden', code: 'owners_only', detail })
    }
    if (demanded && actor.userId !== undefined) {
      const { hasSecondFactor, hasPasskey } = await findMeans(tx, actor.userId)
      if (!hasSecondFactor && !hasPasskey) {
        throw conflict('factor_missing', 'Set up a passkey or a second factor for yourself first.')
      }
    }
    const { rows } = await tx.run(sql<{ from: Date | null; before: Date | null }>`
      update schools s
      set operator_factor_from = case when ${demanded}::boolean then now() + make_interval(days => ${grace_days}) end
      from (select id, operator_factor_from from schools where id = ${tx.schoolId} for no key update) old
      where s.id = old.id
      returning s.operator_factor_from as "from", old.operator_factor_from as before`)
    const [from = null, before = null] = [
      rows[0]?.from?.toISOString(),
      rows[0]?.before?.toISOString(),
    ]
    const told = (time: string | null) => ({ operator_factor_from: time })
    await recordSchoolChange(tx, actor, told(before), told(from))
    return { from }
  },
  audit: () => [],
})

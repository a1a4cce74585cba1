import { sql } from 'kysely'
import { type Sweep, sweepOf } from '../../foundation/db/sweep.ts'

/** A month: what a client's document said is worth reading back when somebody asks what happened. */
const DOCUMENT_MEMORY_DAYS = 30

/** Crosses schools: kept client metadata documents that nobody has authorized with for long. */
export const clientSweeps: readonly Sweep[] = [
  sweepOf({
    table: 'client_documents',
    key: { column: 'url', type: 'text' },
    dead: sql`t.expires_at < now() - make_interval(days => ${DOCUMENT_MEMORY_DAYS})`,
  }),
]

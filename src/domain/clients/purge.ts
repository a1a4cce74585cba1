import { sql } from 'kysely'
import { type Sweep, sweepOf } from '../../foundation/db/sweep.ts'

/** A month: operators may want to read back what the metadata of a client said. */
const DOCUMENT_MEMORY_DAYS = 30

/** Crosses schools: kept client metadata that no authorization has used for long. */
export const clientSweeps: readonly Sweep[] = [
  sweepOf({
    table: 'client_documents',
    key: { column: 'url', type: 'text' },
    dead: sql`t.expires_at < now() - make_interval(days => ${DOCUMENT_MEMORY_DAYS})`,
  }),
]

import { sql } from 'kysely'
import { type Sweep, sweepOf } from '../../foundation/db/sweep.ts'

/** A month: operators may want to read back what the metadata of a client said. */
const DOCUMENT_MEMORY_DAYS = 30

/** Longer than a person may take to sign in and agree. */
const UNUSED_DOCUMENT_MINUTES = 60

/**
 * Crosses schools: kept client metadata that no authorization has used for long. Metadata to which no operator ever
 * agreed goes soon, because a stranger can publish any number of documents and have them fetched.
 */
export const clientSweeps: readonly Sweep[] = [
  sweepOf({
    table: 'client_documents',
    key: { column: 'url', type: 'text' },
    dead: sql`t.failure is not null
      or t.expires_at < now() - make_interval(days => ${DOCUMENT_MEMORY_DAYS})
      or (t.fetched_at < now() - make_interval(mins => ${UNUSED_DOCUMENT_MINUTES})
        -- Not "not exists": that would read the clients once for each document.
        and t.url not in (select client_id from clients where kind = 'document'))`,
  }),
]

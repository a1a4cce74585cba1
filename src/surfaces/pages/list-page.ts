import type { FastifyRequest } from 'fastify'
import {
  cutPage,
  encodeKey,
  type Keyed,
  type KeysetRange,
  parseKey,
} from '../../foundation/db/keyset.ts'
import { queryOf } from './site-frame.ts'
import type { ListPage } from './views/list-body.tsx'

/** How many rows a page shows. */
const SHOWN = 20

/** The page of a list that the address asks for. A cursor that is not ours shows the first page. */
export async function readListPage<R extends Keyed>(
  request: FastifyRequest,
  list: string,
  read: (range: KeysetRange) => Promise<R[]>,
): Promise<ListPage<R>> {
  const after = parseKey(list, queryOf(request).get('after') ?? '')
  const rows = await read({ after, limit: SHOWN + 1, fromEnd: false })
  const { shown, last } = cutPage(rows, SHOWN)
  return {
    rows: shown,
    next: last && encodeKey(list, last.key),
    isFirst: after === undefined,
  }
}

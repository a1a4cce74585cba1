import type { FastifyRequest } from 'fastify'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import { NOTHING, type OperatorVisit } from '../frame/operator.ts'
import type { AdminResource } from './resource.ts'
import type { Row } from './row.ts'

/** The object whose id is in the path. */
export async function loadNamed(visit: OperatorVisit, resource: AdminResource): Promise<Row> {
  const { request } = visit
  return await visit.ask(resource.read, { id: idIn(request), ...expanding(resource) })
}

export function idIn(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw new RequestRefusedError(404, NOTHING)
  return id
}

export function expanding({ expand }: { readonly expand?: readonly string[] }): Row {
  return expand === undefined ? {} : { expand }
}

/** The status of a page that shows a refusal. */
export function statusOf(outcome: Exclude<Outcome, { kind: 'done' | 'not_found' }>): number {
  return { invalid: 422, conflict: 409, stale: 409, forbidden: 403 }[outcome.kind]
}

import type { FastifyInstance } from 'fastify'
import {
  adjustmentsOfPayments,
  findPaymentOf,
  linesOfPayments,
  type MemberPayment,
  paymentsOf,
  paymentsToPay,
} from '../../../domain/commerce/payments-of-member.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { COPY_SCRIPT } from '../../../foundation/html/copyable.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadMemberSession } from '../browser-session.ts'
import { readListPage } from '../list-page.ts'
import { sendScriptedPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { MEMBER_PATHS } from '../views/member/member-page.tsx'
import { MOST_DUE, type ShownPayment } from '../views/member/payment-due.tsx'
import { paymentPage, paymentsPage } from '../views/member/payments.tsx'

/** What a member paid, has to pay, and how. */
export function addPaymentRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(MEMBER_PATHS.payments, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { at } = request
    const { id } = session.person
    const [found, due] = await Promise.all([
      readListPage(request, 'payments', (range) => paymentsOf(at, id, range)),
      paymentsToPay(at, id, MOST_DUE + 1),
    ])
    const all = await withLines(at, [...due, ...found.rows])
    const page = paymentsPage({
      ...frameFor(context, request, reply, session),
      page: { ...found, rows: all.slice(due.length) },
      toPay: all.slice(0, due.length),
      timeZone: request.school.timeZone,
      now: session.readAt,
    })
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })

  app.get(`${MEMBER_PATHS.payments}/:id`, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { at } = request
    const { id } = request.params as { id: string }
    const found = isUuid(id) ? await findPaymentOf(at, session.person.id, id) : undefined
    if (found === undefined) throw new RequestRefusedError(404, 'You have no such payment.')
    const [[payment], adjustments] = await Promise.all([
      withLines(at, [found]),
      adjustmentsOfPayments(at, [found.id]),
    ])
    const page = paymentPage({
      ...frameFor(context, request, reply, session),
      payment: payment ?? { ...found, lines: [] },
      adjustments: adjustments.get(found.id) ?? [],
      timeZone: request.school.timeZone,
      now: session.readAt,
    })
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })
}

/** The payments of a member with what each is for. */
export async function withLines(
  at: SchoolDb,
  payments: readonly MemberPayment[],
): Promise<ShownPayment[]> {
  if (payments.length === 0) return []
  const ids = payments.map(({ id }) => id)
  const lines = await linesOfPayments(at, ids)
  return payments.map((payment) => ({ ...payment, lines: lines.get(payment.id) ?? [] }))
}

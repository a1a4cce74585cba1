import { countPaymentsOf, paymentsOf } from '../../../domain/commerce/payments-of-member.ts'
import type { Builder, Ref } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import type { Viewer } from '../member-context.ts'
import { definePayment, paymentNodes } from './payment.ts'

const MAXIMUM = 50

export function addPayments(builder: Builder, viewer: Ref<Viewer>, pageInfo: Ref<PageInfo>): void {
  const payment = definePayment(builder)
  const connection = defineConnection(builder, pageInfo, 'Payment', payment, 'payments')
  builder.objectField(viewer, 'payments', (t) =>
    t.field({
      type: connection,
      description:
        'The billing history of the viewer, newest attempt first, whatever was bought. Unpaid and expired payments are in it on purpose, so that buyers find their payment instructions again; only a checkout that was left before a method was chosen is missing until it expires.',
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, context) =>
        openConnection(
          {
            name: 'payments',
            maximum: MAXIMUM,
            read: async (range) => paymentNodes(context, await paymentsOf(context.at, id, range)),
            count: () => countPaymentsOf(context.at, id),
          },
          args,
        ),
    }),
  )
}

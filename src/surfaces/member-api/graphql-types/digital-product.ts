import type { OwnedProduct } from '../../../domain/commerce/products-of-member.ts'
import type { Builder, Ref } from '../builder.ts'

export function defineDigitalProduct(builder: Builder): Ref<OwnedProduct> {
  return builder.objectRef<OwnedProduct>('DigitalProduct').implement({
    description:
      'Something to download that the viewer may have, bought or not. It carries no order, coupon, refund or invoice: those are told by payments.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the product.' }),
      slug: t.exposeString('slug', {
        description: 'Short name of the product, unique at its school.',
      }),
      title: t.exposeString('title', { description: 'Title of the product.' }),
      description: t.exposeString('description', {
        description: 'What it is, in Markdown without HTML.',
      }),
      grantedAt: t.expose('grantedAt', {
        type: 'UnixTime',
        description: 'Since when the viewer may have it.',
      }),
    }),
  })
}

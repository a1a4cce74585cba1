import type { OwnedProduct } from '../../../domain/commerce/bought-access.ts'
import type { Builder, Ref } from '../builder.ts'
import { LONG_TEXT } from '../documents/prices.ts'
import type { Signposts } from './signposts.ts'

export function defineDigitalProduct(builder: Builder, signposts: Signposts): Ref<OwnedProduct> {
  return builder.objectRef<OwnedProduct>('DigitalProduct').implement({
    description: `Something to download that the viewer may have, bought or not. This tells that they may; the file itself is handed out by the school and not by this API. ${signposts.billing}`,
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the product.' }),
      slug: t.exposeString('slug', {
        description: 'Short name of the product, unique at its school.',
      }),
      title: t.exposeString('title', { description: 'Title of the product.' }),
      description: t.exposeString('description', {
        description: 'What it is, in Markdown without HTML.',
        extensions: LONG_TEXT,
      }),
      grantedAt: t.expose('grantedAt', {
        type: 'UnixTime',
        description: 'Since when the viewer may have it.',
      }),
    }),
  })
}

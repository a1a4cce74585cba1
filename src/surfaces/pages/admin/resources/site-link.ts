import type { FormField } from '../crud/field.ts'
import type { Link } from '../crud/resource.ts'

interface Shown {
  readonly slug: string
  readonly state: string
  /** One in the future is not reached yet. */
  readonly published_at?: string | null
}

/**
 * The page of an object on the site; before it is public, as it will look, for owners and admins
 * alone.
 */
export function siteLink(path: string, object: Shown): Link {
  const url = `/${path}/${object.slug}`
  return isPublic(object)
    ? { url, label: 'See it on the site' }
    : { url: `${url}?preview=1`, label: 'Preview' }
}

function isPublic({ state, published_at }: Shown): boolean {
  if (state !== 'published' && state !== 'open') return false
  return typeof published_at !== 'string' || Date.parse(published_at) <= Date.now()
}

/**
 * The last part of an object's web address. If it is empty, a new object gets it from its title.
 */
export function slugFrom<N extends string>(title: N): FormField<'slug' | N, unknown> {
  return {
    name: 'slug',
    label: 'Address',
    hint: `The last part of its web address: lower-case letters, digits and hyphens. If you leave it empty, a new one gets a free one from its ${title}.`,
    suggest: { from: title, make: slugOf },
  }
}

/**
 * Empty if the text has no letter or digit that an address can have; the form then makes one up.
 */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-|-$/g, '')
}

import type { Link } from '../resource.ts'

interface Shown {
  readonly slug: string
  readonly state: string
  /** One in the future is not reached yet. */
  readonly published_at?: string | null
}

/** The page of an object on the site; before it is public, as it will look, for owners and admins alone. */
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

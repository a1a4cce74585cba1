import type { Link } from '../resource.ts'

/** The page of an object on the site; before it is published, as it will look, for owners and admins alone. */
export function siteLink(path: string, object: { slug: string; state: string }): Link {
  const url = `/${path}/${object.slug}`
  return object.state === 'published'
    ? { url, label: 'See it on the site' }
    : { url: `${url}?preview=1`, label: 'Preview' }
}

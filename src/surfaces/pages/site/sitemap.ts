import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSitemaps, parseSitemap, readSitemap } from '../../../domain/catalogue/sitemap.ts'
import { sendDocument, textDocument } from '../../../foundation/http/conditional.ts'
import { DOCUMENTS } from '../../../foundation/protocol/endpoints.ts'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'

const XML = { maxAgeSeconds: 300, contentType: 'application/xml; charset=utf-8' }

/** Pages of a school that are always there. */
const ALWAYS = 'site'

/**
 * The public pages of a school. The files stand beside the index: one may list only what is in its
 * own folder and below.
 *
 * @see https://www.sitemaps.org/protocol.html
 */
export function addSitemapRoutes(app: FastifyInstance): void {
  app.get(DOCUMENTS.sitemap, async (request, reply) => {
    const kinds = await findSitemaps(request.schoolDb)
    const names = kinds.flatMap(({ kind, digits }) =>
      digits === 0 ? [kind] : endsOf(digits).map((end) => `${kind}-${end}`),
    )
    const paths = [ALWAYS, ...names].map((name) => ({ path: `/sitemap-${name}.xml` }))
    return send(request, reply, 'sitemapindex', 'sitemap', paths)
  })

  app.get('/sitemap-:name.xml', async (request, reply) => {
    const { name } = request.params as { name: string }
    if (name === ALWAYS) {
      const paths = ['/', DOCUMENTS.guide].map((path) => ({ path }))
      return send(request, reply, 'urlset', 'url', paths)
    }
    const part = parseSitemap(name)
    if (part === undefined) return reply.callNotFound()
    const rows = await readSitemap(request.schoolDb, part.kind, part.end)
    if (rows.length === 0) return reply.callNotFound()
    const { path } = PUBLIC_LISTS[part.kind]
    const pages = rows.map(({ slug, changedAt }) => ({ path: `${path}/${slug}`, changedAt }))
    const isFirst = Number.parseInt(`0${part.end}`, 16) === 0
    return send(request, reply, 'urlset', 'url', isFirst ? [{ path }, ...pages] : pages)
  })
}

function endsOf(digits: number): string[] {
  return Array.from({ length: 16 ** digits }, (_, number) =>
    number.toString(16).padStart(digits, '0'),
  )
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  element: string,
  entries: readonly { readonly path: string; readonly changedAt?: Date }[],
): FastifyReply {
  const { origin } = request.school
  const lines = entries.map(({ path, changedAt }) => {
    const changed = changedAt === undefined ? '' : `<lastmod>${changedAt.toISOString()}</lastmod>`
    return `<${element}><loc>${escaped(origin + path)}</loc>${changed}</${element}>\n`
  })
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${lines.join('')}</${root}>
`
  return sendDocument(request, reply, textDocument(xml, XML))
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? '')
}

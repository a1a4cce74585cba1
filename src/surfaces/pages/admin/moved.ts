import type { FastifyInstance } from 'fastify'
import { redirectTo } from '../page-request.ts'
import { queryOf } from '../site-frame.ts'
import { paths } from '../views/admin/admin-page.tsx'

/** Pages that once stood in the Developers area, for bookmarks and links in mails. */
const MOVED: Readonly<Record<string, string>> = {
  '/admin/developers/clients': paths.clients,
  '/admin/developers/clients/view': paths.client,
  '/admin/developers/keys': paths.keys,
}

export function addMovedRoutes(app: FastifyInstance): void {
  for (const [from, to] of Object.entries(MOVED)) {
    app.get(from, (request, reply) => {
      const query = queryOf(request).toString()
      return redirectTo(reply, request, 'site', query === '' ? to : `${to}?${query}`)
    })
  }
}

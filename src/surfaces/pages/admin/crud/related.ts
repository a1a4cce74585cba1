import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../../../gate/context.ts'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { addCreateFormRoutes, type FormBody } from './form.tsx'
import { showList } from './list.tsx'
import { loadNamed } from './named.ts'
import { withArticle } from './object-table.tsx'
import { type AdminResource, listPath, objectPath, type Related, rowsOf } from './resource.ts'

/** The whole list of the objects that belong to one object, and the form that creates one. */
export function addRelatedRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  body: FormBody,
): void {
  for (const related of resource.related ?? [])
    addRelatedRoute(app, context, resource, related, body)
}

function addRelatedRoute(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
  related: Related,
  body: FormBody,
): void {
  const { by } = related.rows
  const route = `${listPath(resource)}/:id/${related.path}`
  const whole = async (visit: OperatorVisit) => {
    const object = await loadNamed(visit, resource)
    const url = objectPath(resource, object)
    return {
      object,
      path: `${url}/${related.path}`,
      up: { url, label: resource.name(object) || withArticle(resource.one) },
    }
  }

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const { object, path, up } = await whole(visit)
    const { list, fixed } = rowsOf(related, object)
    const mayAdd = related.add !== undefined && (related.mayAdd?.(object) ?? true)
    return await showList(visit, {
      resource: related.of,
      plan: list,
      path,
      up,
      heading: related.title,
      add: mayAdd ? { url: `${path}/new`, label: related.add ?? '' } : undefined,
      empty: related.empty,
      fixed,
    })
  })

  if (related.add === undefined) return
  const title = related.add
  if (!(by in (related.of.create?.input.shape ?? {}))) {
    throw new Error(`${related.of.create?.name ?? related.of.path} takes no ${by}`)
  }
  addCreateFormRoutes(app, context, related.of, {
    route: `${route}/new`,
    body,
    find: async (visit) => {
      const { object, path, up } = await whole(visit)
      return { path: `${path}/new`, up, fixed: { [by]: object.id }, title }
    },
  })
}

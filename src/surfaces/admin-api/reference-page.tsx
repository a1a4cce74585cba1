import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { z } from 'zod'
import { API_ROOT } from '../../domain/operation/operation.ts'
import { Address, Facts } from '../../foundation/html/components.tsx'
import {
  type Branding,
  Document,
  Footer,
  renderPage,
  SchoolMark,
} from '../../foundation/html/layout.tsx'
import { Badge, Code, PageHead, Panel } from '../../foundation/html/site-components.tsx'
import { setPageHeaders } from '../../foundation/http/security-headers.ts'
import { brandingOf } from '../../gate/branding.ts'
import { type JsonSchema, jsonSchema, RESOURCE_NOTES } from './openapi-conventions.ts'
import { type DescribedRoute, planOf, resourceOf } from './route.ts'

interface ReferenceProps {
  readonly school: Branding
  readonly origin: string
  readonly routes: readonly DescribedRoute[]
}

/** The first page of the reference: the rules of all calls, and the list of resources. */
function referenceIndex({ school, origin, routes }: ReferenceProps): string {
  return frame(
    school,
    'Admin API',
    <>
      <PageHead
        title="Admin API"
        up={{ url: '/docs', label: 'For developers' }}
        lead={
          <>
            Run the school at <Address text={origin} /> from a program. The same, for machines:{' '}
            <a href="/openapi.json">/openapi.json</a>, with the addresses of this origin.
          </>
        }
      />
      <Conventions />
      <Panel id="resources" title="Resources">
        <ul class="rows">
          {sortedResources(routes).map(({ name, title, note, count }) => (
            <li key={name}>
              <p class="row-title">
                <a href={`/docs/api/${name}`}>{title}</a>
              </p>
              <p class="row-note">{`${note} ${count} operation${count === 1 ? '' : 's'}.`}</p>
            </li>
          ))}
        </ul>
      </Panel>
    </>,
  )
}

/** All operations of one resource. */
function referenceOf(resource: string, { school, origin, routes }: ReferenceProps): string {
  const shown = routes.filter((route) => resourceOf(route) === resource)
  const [{ title, note } = { title: resource, note: '' }] = sortedResources(shown)
  return frame(
    school,
    `${title} · Admin API`,
    <>
      <PageHead title={title} up={{ url: '/docs/api', label: 'Admin API' }} lead={note} />
      {shown.map((route) => (
        <Operation key={route.operation.name} route={route} origin={origin} />
      ))}
    </>,
  )
}

function Operation({ route, origin }: { route: DescribedRoute; origin: string }) {
  const { operation, method, path } = route
  const fields = describeInput(route)
  return (
    <Panel id={operation.name} title={operation.title} lead={operation.summary}>
      <div class="prose">
        <p>
          <code>{`${method} ${API_ROOT}${path}`}</code>
        </p>
        <p>
          Needs{' '}
          {operation.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </p>
      </div>
      {fields.length > 0 && (
        <Facts
          rows={fields.map(({ name, place, type, note, required }) => [
            <code>{name}</code>,
            [place, type, required ? 'required' : '', note].filter(Boolean).join('; '),
          ])}
        />
      )}
      <Code>{exampleCall(route, origin)}</Code>
    </Panel>
  )
}

function Conventions() {
  return (
    <Panel id="conventions" title="Rules for all calls">
      <div class="prose">
        <ul>
          <li>
            Send <code>Authorization: Bearer</code> with the access token of an operator client. The
            person who authorized it must be an owner or admin of the school.
          </li>
          <li>
            A missing scope is <code>403</code>, and <code class="whole">WWW-Authenticate</code>{' '}
            names every scope of the call. A write scope does not let you read. A write answers with
            the written object.
          </li>
          <li>
            Lists take <code>limit</code>, <code>sort</code> and filters. While{' '}
            <code>has_more</code> is true, pass <code>next</code> as <code>after</code>.
          </li>
          <li>
            Give every write an <code class="whole">Idempotency-Key</code>, and repeat the write if
            its answer is lost: within a day you get the first answer again, marked{' '}
            <code>Idempotent-Replayed</code>.
          </li>
          <li>
            Send the <code>ETag</code> of what you read as <code class="whole">If-Match</code> with
            a change: it is refused with <code>412</code> if the object was changed in the meantime.
          </li>
          <li>
            Refusals are <code>application/problem+json</code>. <code>code</code> is for programs,{' '}
            <code>detail</code> says what to do next, <code>errors</code> points at fields.
          </li>
          <li>Times are RFC 3339 in UTC. Amounts are in minor units, next to their currency.</li>
        </ul>
      </div>
    </Panel>
  )
}

function frame(school: Branding, title: string, children: ComponentChildren): string {
  return renderPage(
    <Document title={title} school={school} stylesheets={['site.css']}>
      <header class="top-bar">
        <a class="top-bar-school" href="/">
          <SchoolMark school={school} />
        </a>
      </header>
      <div class="site">
        <main id="main">{children}</main>
      </div>
      <Footer branded />
    </Document>,
  )
}

/** The reference of the API for people, in the colours of the school. */
export function addReferenceRoutes(app: FastifyInstance, routes: readonly DescribedRoute[]): void {
  const resources = new Set(routes.map(resourceOf))
  const props = ({ school }: FastifyRequest) => ({
    school: brandingOf(school),
    origin: school.origin,
    routes,
  })
  app.get('/docs/api', (request, reply) => send(request, reply, referenceIndex(props(request))))
  app.get('/docs/api/:resource', (request, reply) => {
    const { resource } = request.params as { resource: string }
    if (!resources.has(resource)) return reply.callNotFound()
    return send(request, reply, referenceOf(resource, props(request)))
  })
}

function send(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
  return setPageHeaders(reply, request.school.origin, 'site')
    .type('text/html; charset=utf-8')
    .send(html)
}

/** Describes routes for the pages of the reference. */

export interface DescribedField {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  readonly type: string
  readonly note: string
  readonly required: boolean
}

export function sortedResources(
  routes: readonly DescribedRoute[],
): readonly { name: string; title: string; note: string; count: number }[] {
  const names = [...new Set(routes.map(resourceOf))].sort()
  return names.map((name) => ({
    name,
    title: `${name[0]?.toUpperCase() ?? ''}${name.slice(1).replaceAll('_', ' ')}`,
    note: RESOURCE_NOTES[name] ?? '',
    count: routes.filter((route) => resourceOf(route) === name).length,
  }))
}

function describeInput(route: DescribedRoute): readonly DescribedField[] {
  const plan = planOf(route)
  const places = [
    ...plan.path.map((name) => ({ name, place: 'path' as const })),
    ...Object.keys(plan.query).map((name) => ({ name, place: 'query' as const })),
    ...plan.body.map((name) => ({ name, place: 'body' as const })),
  ]
  return places.map(({ name, place }) => {
    const field = route.operation.input.shape[name] as z.ZodType
    const schema = jsonSchema(field, 'input', new Map())
    return {
      name,
      place,
      type: typeOf(schema),
      note: typeof schema.description === 'string' ? schema.description.replaceAll('`', '') : '',
      required: !field.safeParse(undefined).success,
    }
  })
}

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.join(' or ')
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  if (schema.type === 'string' && schema.format !== undefined) return String(schema.format)
  return String(schema.type ?? 'object')
}

/** The operation's first example as a command line. */
function exampleCall(route: DescribedRoute, origin: string): string {
  const example = route.operation.examples[0]?.input ?? {}
  const plan = planOf(route)
  const path = route.path.replace(/\{([a-z_]+)\}/g, (_match, name) => String(example[name] ?? ''))
  const query = new URLSearchParams(
    Object.keys(plan.query)
      .filter((name) => example[name] !== undefined)
      .map((name) => [name, String(example[name])]),
  )
  const address = `${origin}${API_ROOT}${path}${query.size === 0 ? '' : `?${query}`}`
  const body = Object.fromEntries(
    Object.entries(example).filter(([name]) => plan.body.includes(name)),
  )
  const parts = [
    `curl ${route.method === 'GET' ? '' : `-X ${route.method} `}'${address}'`,
    `  -H "Authorization: Bearer $ACCESS_TOKEN"`,
    ...(route.fileWith === undefined ? [] : sentFile(route, example)),
    ...(route.rows !== undefined && route.method === 'GET' ? [`  -o ${route.rows.file}`] : []),
    ...(Object.keys(body).length === 0
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(body)}'`]),
  ]
  return parts.join(' \\\n')
}

function sentFile(
  { rows }: DescribedRoute,
  example: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (rows === undefined) return [`  --data-binary @${example.name}`]
  return [`  -H 'Content-Type: text/csv'`, `  --data-binary @${rows.file}`]
}

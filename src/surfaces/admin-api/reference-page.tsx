import type { ComponentChildren } from 'preact'
import { API_ROOT } from '../../domain/operation/operation.ts'
import { Address } from '../../foundation/html/components.tsx'
import {
  type Branding,
  Document,
  Footer,
  renderPage,
  SchoolMark,
} from '../../foundation/html/layout.tsx'
import { Badge, Code, PageHead, Panel } from '../../foundation/html/site-components.tsx'
import { describeInput, exampleCall, sortedResources } from './reference.ts'
import { type DescribedRoute, resourceOf } from './route.ts'

interface ReferenceProps {
  readonly school: Branding
  readonly origin: string
  readonly routes: readonly DescribedRoute[]
}

/** The first page of the reference: the rules of all calls, and the list of resources. */
export function referenceIndex({ school, origin, routes }: ReferenceProps): string {
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
export function referenceOf(resource: string, { school, origin, routes }: ReferenceProps): string {
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
        <dl class="facts">
          {fields.map(({ name, place, type, note, required }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{[place, type, required ? 'required' : '', note].filter(Boolean).join('; ')}</dd>
            </div>
          ))}
        </dl>
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

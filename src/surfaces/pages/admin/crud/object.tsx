import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { findFile } from '../../../../domain/content/file-operations.ts'
import { findHtml } from '../../../../domain/content/rendered-texts.ts'
import { Address, Facts, Name, Prose } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { ButtonLink, Empty, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { renderInThread } from '../../../../foundation/markdown/render-in-thread.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit, type Place } from '../frame/operator.ts'
import { askedBy } from './action.tsx'
import type { ListPlan } from './list-plan.ts'
import { expanding, loadNamed } from './named.ts'
import { ObjectTable } from './object-table.tsx'
import {
  type Action,
  type AdminResource,
  type Link,
  labelled,
  listPath,
  objectPath,
  placeInMenu,
  type Related,
  rowsOf,
  type Upload,
  upFrom,
} from './resource.ts'
import type { Row } from './row.ts'
import { noticesOf } from './submit.ts'
import { type CurrentFile, FileLine, fileIdIn } from './upload.tsx'

const RELATED_ROWS = 10
const LOOK_AGAIN_SECONDS = 3

export function addObjectRoute(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  app.get(`${listPath(resource)}/:id`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const object = await loadNamed(visit, resource)
    const { place, ask } = visit
    const frame = visit.frame(noticesOf(resource))
    const page = objectPage({
      ...frame,
      resource,
      object,
      text: await shownText(request, resource, object),
      place,
      actions: await judgedActions(visit, resource, object),
      related: await Promise.all(
        (resource.related ?? []).map((related) => readRelated(visit, related, object)),
      ),
      uploads: await shownUploads(context, request, resource, object),
      panels: await resource.panels?.(object, place, ask, frame.viewer?.formToken ?? ''),
    })
    // Not by the script: the page works without.
    if (resource.isChanging?.(object) === true) reply.header('refresh', LOOK_AGAIN_SECONDS)
    return visit.scriptedPage(COPY_SCRIPT, page)
  })
}

/**
 * The actions that the state of an object allows. One that other rows prevent comes with the
 * reason.
 */
async function judgedActions(
  visit: OperatorVisit,
  { actions }: AdminResource,
  object: Row,
): Promise<readonly JudgedAction[]> {
  const possible = actions.filter(({ when }) => when?.(object) ?? true)
  return await Promise.all(
    possible.map(async (action) => ({
      action: labelled(action, object),
      whyNot: await visit.whyNot(askedBy(action).operation, String(object.id)),
    })),
  )
}

async function shownText(
  { schoolDb: db }: FastifyRequest,
  { markdown }: AdminResource,
  object: Row,
): Promise<string> {
  if (markdown === undefined) return ''
  const text = String(object[markdown.member])
  if (text.trim() === '') return ''
  const kept = markdown.isKept === true ? await findHtml(db, String(object.id)) : undefined
  return kept ?? (await renderInThread(text, db.schoolId))
}

async function shownUploads(
  { files }: AppContext,
  request: FastifyRequest,
  { uploads = [] }: AdminResource,
  object: Row,
): Promise<readonly ShownUpload[]> {
  if (files === undefined) return []
  return await Promise.all(
    uploads.map(async (upload) => {
      const id = fileIdIn(object, upload)
      const file = id === null ? undefined : await findFile(request.schoolDb, id)
      return { upload, current: file && { ...file, url: `/files/${id}` } }
    }),
  )
}

async function readRelated(
  visit: OperatorVisit,
  related: Related,
  object: Row,
): Promise<ShownRelated> {
  const { list, fixed } = rowsOf(related, object)
  const page = await visit.ask(list.operation, {
    ...fixed,
    ...expanding(list),
    sort: list.sorts[0]?.[0],
    limit: RELATED_ROWS,
  })
  return { related, list, rows: page.data, hasMore: page.has_more }
}

interface ShownRelated {
  readonly related: Related
  readonly list: ListPlan
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

interface ShownUpload {
  readonly upload: Upload
  readonly current: CurrentFile | undefined
}

/** An action, and why it cannot be done now if other rows prevent it. */
interface JudgedAction {
  readonly action: Action
  readonly whyNot: string | undefined
}

export interface ObjectPageProps extends AdminFrame {
  readonly resource: AdminResource
  readonly object: Row
  /** The HTML of its text in Markdown, if it has one. */
  readonly text: string
  readonly actions: readonly JudgedAction[]
  readonly related: readonly ShownRelated[]
  readonly uploads: readonly ShownUpload[]
  readonly panels: ComponentChildren
  readonly place: Place
}

export function objectPage(props: ObjectPageProps): string {
  const { resource, object, place } = props
  const name = plainText(resource.name(object)) || `Unnamed ${resource.one}`
  const links = resource.links?.(object, place) ?? []
  return adminPage({
    ...props,
    here: placeInMenu(resource, props.here),
    title: name,
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead title={<Name text={name} fallback="" />} up={upFrom(resource, object)}>
          {resource.badges && <p class="badges">{resource.badges(object, place)}</p>}
        </PageHead>
        <Tools {...props} links={links} />
        <ObjectFacts resource={resource} object={object} place={place} />
        {resource.markdown !== undefined && (
          <Panel title={resource.markdown.title}>
            <Text html={props.text} />
          </Panel>
        )}
        {props.related.map((shown) => (
          <RelatedPanel shown={shown} resource={resource} object={object} place={place} />
        ))}
        {props.uploads.map((shown) => (
          <UploadPanel shown={shown} url={objectPath(resource, object, `/${shown.upload.path}`)} />
        ))}
        {props.panels}
      </>
    ),
  })
}

/** The actions of an object, and links to other pages about it. */
function Tools(props: ObjectPageProps & { links: readonly Link[] }) {
  const { resource, object, links } = props
  const actions = props.actions.filter(({ whyNot }) => whyNot === undefined)
  if (resource.change === undefined && actions.length === 0 && links.length === 0) return null
  return (
    <>
      <div class="tools">
        {resource.change !== undefined && (
          <ButtonLink look="primary" href={objectPath(resource, object, '/edit')}>
            {resource.changeLabel ?? 'Edit'}
          </ButtonLink>
        )}
        {links
          .filter(({ button }) => button === true)
          .map(({ url, label }) => (
            <ButtonLink look="plain" href={url}>
              {label}
            </ButtonLink>
          ))}
        {actions.map(({ action }) => (
          <a class={lookOf(action)} href={objectPath(resource, object, `/${action.path}`)}>
            {action.label}
          </a>
        ))}
        {links
          .filter(({ button }) => button !== true)
          .map(({ url, label }) => (
            <a class="tools-link" href={url}>
              {label}
            </a>
          ))}
      </div>
      <Prevented actions={props.actions} />
    </>
  )
}

/** What is not offered, and why, so that people do not look for it. */
function Prevented({ actions }: Pick<ObjectPageProps, 'actions'>) {
  const prevented = actions.filter(({ whyNot }) => whyNot !== undefined)
  return prevented.map(({ action, whyNot }) => (
    <p class="tools-note">{`${action.label}: not possible now. ${whyNot}`}</p>
  ))
}

function lookOf({ tone }: Action): string {
  return tone === 'danger' ? 'button button-danger' : 'button button-plain'
}

function ObjectFacts({
  resource,
  object,
  place,
}: Pick<ObjectPageProps, 'resource' | 'object' | 'place'>) {
  const facts = resource.facts
    .map(({ label, show, wide }) => {
      const row = { class: wide === true ? 'wide' : undefined }
      return [label, show(object, place), row] as const
    })
    .filter(([, shown]) => shown !== undefined && shown !== null && shown !== '')
  return (
    <section class="panel" aria-label={`About this ${resource.one}`}>
      <Facts
        rows={[
          ...facts,
          [
            'Id',
            <>
              <CopyText id="object-id" what="the id">
                <Address text={String(object.id)} />
              </CopyText>
              <CopyStatus />
            </>,
          ],
        ]}
      />
    </section>
  )
}

function Text({ html }: { html: string }) {
  return html === '' ? (
    <Empty>
      <p>Nothing is written here yet.</p>
    </Empty>
  ) : (
    <Prose html={html} />
  )
}

function UploadPanel({ shown, url }: { shown: ShownUpload; url: string }) {
  const { upload, current } = shown
  return (
    <Panel title={upload.title}>
      {current === undefined ? (
        <Empty>
          <p>There is no file yet.</p>
        </Empty>
      ) : (
        <FileLine file={current} />
      )}
      <p class="actions">
        <ButtonLink look="plain" href={url}>
          {current === undefined ? 'Upload a file' : 'Replace or remove'}
        </ButtonLink>
      </p>
    </Panel>
  )
}

function RelatedPanel(props: {
  shown: ShownRelated
  resource: AdminResource
  object: Row
  place: Place
}) {
  const { shown, resource, object, place } = props
  const { related, list, rows, hasMore } = shown
  const url = objectPath(resource, object, `/${related.path}`)
  const mayAdd = related.mayAdd?.(object) ?? true
  return (
    <Panel id={related.path} title={related.title}>
      {rows.length === 0 ? (
        <Empty>
          <p>{related.empty}</p>
        </Empty>
      ) : (
        <ObjectTable
          caption={related.title}
          columns={list.columns}
          rows={rows}
          place={place}
          urlOf={(row) => objectPath(related.of, row)}
        />
      )}
      {(hasMore || (related.add !== undefined && mayAdd)) && (
        <p class="actions">
          {related.add !== undefined && mayAdd && (
            <ButtonLink look="plain" href={`${url}/new`}>
              {related.add}
            </ButtonLink>
          )}
          {hasMore && <a href={url}>{`All ${related.title.toLowerCase()}`}</a>}
        </p>
      )}
    </Panel>
  )
}

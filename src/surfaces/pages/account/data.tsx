import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { renderToString } from 'preact-render-to-string'
import { type Copy, findCopy, findCopyFiles, startCopy } from '../../../domain/leaving/copy-job.ts'
import {
  type CopyLine,
  type CopyRow,
  copyAsJson,
  readCopy,
} from '../../../domain/leaving/read-copy.ts'
import { Button, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { setPageHeaders } from '../../../foundation/http/security-headers.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { requireRecentProof } from '../frame/recent-proof.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'
import { capitalized } from '../frame/words.ts'

const PATH = '/account/data'

const NOTICES = {
  started: 'Your copy is being made. Come back in a minute.',
  open: { warning: 'A copy is being made already.' },
  too_soon: { warning: 'You have asked for a copy today. You can ask for another one tomorrow.' },
  busy: { warning: 'Many people ask for copies right now. Try again in an hour.' },
}

const TYPES = { html: 'text/html; charset=utf-8', json: 'application/json; charset=utf-8' }

/** A person asks for a copy of what this school holds about them, and downloads it. */
export function addDataRoutes(app: FastifyInstance, context: AppContext): void {
  const { files } = context

  app.get(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const page = dataPage({
      ...visit.frame(NOTICES),
      copy: await findCopy(request.schoolDb, session.person.id),
      timeZone: request.school.timeZone,
      storesFiles: files !== undefined,
    })
    return visit.page(page)
  })

  if (files === undefined) return

  app.post(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    visit.form()
    requireRecentProof(request, session, PATH)
    const { person, roles } = session
    const done = await request.schoolDb.transaction((tx) =>
      startCopy(tx, {
        ...{ via: 'account', userId: person.id, roles },
        ...{ origin: request.school.origin, requestId: request.id },
      }),
    )
    return visit.goTo(`${PATH}?done=${done}`)
  })

  for (const format of ['html', 'json'] as const) {
    app.get(`${PATH}/:id/copy.${format}`, async (request, reply) =>
      download(await signedInVisit(context, request, reply, PATH), files, format),
    )
  }
}

async function download(
  visit: SignedInVisit,
  files: FileStore,
  format: 'html' | 'json',
): Promise<FastifyReply> {
  const { request, reply, session } = visit
  requireRecentProof(request, session, PATH)
  const { id } = request.params as { id: string }
  const copy = isUuid(id) ? await findCopyFiles(request.schoolDb, session.person.id, id) : undefined
  if (copy === undefined) return visit.goTo(PATH)
  const { name, origin, subdomain } = request.school
  const lines = readCopy(files, copy.keys)
  const text =
    format === 'html'
      ? copyAsHtml(lines, { schoolName: name, madeAt: copy.madeAt })
      : copyAsJson(lines, { school: name, origin, made_at: copy.madeAt })
  return setPageHeaders(reply, origin, 'site')
    .header('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
    .header('content-disposition', `attachment; filename="${subdomain}-my-data.${format}"`)
    .type(TYPES[format])
    .send(Readable.from(text))
}

interface DataProps extends SiteFrame {
  copy: Copy | undefined
  timeZone: string
  /** False on a server without a place for files. */
  storesFiles: boolean
}

export function dataPage(props: DataProps): string {
  const { copy, timeZone, viewer } = props
  const mayAsk = props.storesFiles && copy?.nextAt == null
  return sitePage({
    ...props,
    title: 'A copy of your data',
    children: (
      <>
        <PageHead title="A copy of your data" up={TO_SETTINGS} />
        <Panel
          title="What is in it"
          lead="All that this school holds about you: your account, courses and progress, bookings, payments, comments, answers, notifications, apps, browsers, and what was recorded of what you did. Another school makes its own copy."
        >
          {props.storesFiles ? (
            <p>
              It is made in the background, once a day at most. You alone can download it, as a page
              to read and as JSON for programs, for three days.
            </p>
          ) : (
            <p>This server stores no files. Ask the school for a copy.</p>
          )}
          {mayAsk && (
            <Form action="/account/data" formToken={viewer?.formToken ?? ''}>
              <Button look="primary">Make a copy</Button>
            </Form>
          )}
        </Panel>
        {copy !== undefined && (
          <Panel title="Your copy">
            <State copy={copy} timeZone={timeZone} />
          </Panel>
        )}
      </>
    ),
  })
}

function State({ copy, timeZone }: { copy: Copy; timeZone: string }) {
  switch (copy.state) {
    case 'waiting':
    case 'running':
      return (
        <>
          <p>
            You asked for it on <Moment at={copy.askedAt} timeZone={timeZone} />. It is being made.
          </p>
          <div class="actions">
            <ButtonLink look="plain" href="/account/data">
              Look again
            </ButtonLink>
          </div>
        </>
      )
    case 'done':
      return <Ready copy={copy} timeZone={timeZone} />
    default:
      return <p>It could not be made. Choose “Make a copy” again.</p>
  }
}

function Ready({ copy, timeZone }: { copy: Copy; timeZone: string }) {
  return (
    <>
      <p>
        {copy.finishedAt !== null && (
          <>
            Made on <Moment at={copy.finishedAt} timeZone={timeZone} />.{' '}
          </>
        )}
        {copy.expiresAt !== null && (
          <>
            Kept until <Moment at={copy.expiresAt} timeZone={timeZone} />.{' '}
          </>
        )}
        {copy.nextAt !== null && (
          <>
            You can ask for another one from <Moment at={copy.nextAt} timeZone={timeZone} />.
          </>
        )}
      </p>
      <div class="actions">
        <ButtonLink look="primary" href={`/account/data/${copy.id}/copy.html`}>
          Download to read
        </ButtonLink>
        <ButtonLink look="plain" href={`/account/data/${copy.id}/copy.json`}>
          Download as JSON
        </ButtonLink>
      </div>
    </>
  )
}

/**
 * A file that is opened from the disk, so it brings its own look; its policy lets nothing else in.
 */
const HEAD = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #888; padding: .25rem .5rem; text-align: start; vertical-align: top; white-space: pre-wrap }
</style>`

export interface CopyFacts {
  readonly schoolName: string
  readonly madeAt: Date
}

/**
 * The copy as a document for people. Members and schools wrote its values, so all go through
 * Preact.
 */
async function* copyAsHtml(
  lines: AsyncIterable<CopyLine>,
  { schoolName, madeAt }: CopyFacts,
): AsyncGenerator<string, void, void> {
  const name = plainText(schoolName) || 'your school'
  yield HEAD +
    renderToString(<title>{`What ${name} holds about you`}</title>) +
    '</head><body>' +
    renderToString(
      <>
        <h1>
          What <bdi>{name}</bdi> holds about you
        </h1>
        <p>Made on {timeInWords(madeAt.toISOString())}.</p>
      </>,
    )
  let open: 'none' | 'section' | 'table' = 'none'
  for await (const line of lines) {
    if (line.kind === 'section') {
      yield endOf(open) + renderToString(<h2>{line.title}</h2>)
      open = 'section'
    } else {
      if (open !== 'table') yield `<table>${renderToString(<HeadRow row={line.row} />)}<tbody>`
      yield renderToString(<Row row={line.row} />)
      open = 'table'
    }
  }
  yield `${endOf(open)}</body></html>\n`
}

function endOf(open: 'none' | 'section' | 'table'): string {
  if (open === 'none') return ''
  return open === 'table' ? '</tbody></table>' : '<p>Nothing.</p>'
}

/** All rows of a section have the same columns. */
function HeadRow({ row }: { row: CopyRow }) {
  return (
    <thead>
      <tr>
        {Object.keys(row).map((name) => (
          <th scope="col">{nameInWords(name)}</th>
        ))}
      </tr>
    </thead>
  )
}

function Row({ row }: { row: CopyRow }) {
  return (
    <tr>
      {Object.values(row).map((value) => (
        <td>{inWords(value)}</td>
      ))}
    </tr>
  )
}

function nameInWords(name: string): string {
  return capitalized(name.replaceAll('_', ' '))
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function inWords(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return TIME.test(value) ? timeInWords(value) : value
  if (Array.isArray(value)) return value.map(inWords).join('\n')
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value).map(
    ([name, part]) => `${nameInWords(name)}: ${inWords(part)}`,
  )
  return parts.join(', ')
}

function timeInWords(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return text
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

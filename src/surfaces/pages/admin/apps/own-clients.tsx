import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { type ListedClient, listClients } from '../../../../domain/clients/list-clients.ts'
import {
  countPeopleOfApp,
  MOST_PEOPLE,
  peoplePerApp,
} from '../../../../domain/grants/people-of-app.ts'
import type { WriteOperation } from '../../../../domain/operation/operation.ts'
import type { School } from '../../../../domain/schools/school.ts'
import { Address, Facts, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { type Notices, withoutNul } from '../../frame/layout.tsx'
import { countUpTo } from '../../frame/words.ts'
import type { PlannedField } from '../crud/field-rules.ts'
import {
  formPage,
  isWrong,
  newForm,
  ObjectForm,
  refusedForm,
  type ShownForm,
  savedForm,
} from '../crud/form.tsx'
import { draftOf } from '../crud/read-form.ts'
import type { Link } from '../crud/resource.ts'
import type { Row } from '../crud/row.ts'
import { submitChange, submitForm } from '../crud/submit.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { FeatureOff, type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'
import { PeoplePanel, type PeopleProps, PeopleWithAccess } from './activity.tsx'
import { StatusPanel } from './client-status.tsx'
import { readPeople } from './clients.ts'

/** Clients that a school makes itself: its applications, or its tools. */
export interface OwnClients {
  readonly kind: 'application' | 'tool'
  /** The page of the list. */
  readonly path: string
  readonly title: string
  readonly lead: string
  readonly newLead: string
  /** What to do with a client that does not exist yet. */
  readonly empty: string
  /** Other pages that the list leads to. */
  readonly links?: readonly Link[]
  readonly create: WriteOperation
  readonly change: WriteOperation
  readonly remove: WriteOperation
  readonly newFields: (school: School) => readonly PlannedField[]
  readonly fields: (school: School) => readonly PlannedField[]
  readonly startsAs: Row
  readonly rowOf: (client: ListedClient) => Row
  /** The part of its address that names a client. */
  readonly keyOf: (client: ListedClient) => string
  /** The member of the inputs that takes it. */
  readonly by: string
  readonly find: (visit: OperatorVisit, key: string) => Promise<ListedClient | undefined>
  /** The page after a creation. */
  readonly afterCreate: (visit: OperatorVisit, output: Row) => string
  readonly listNotices: Notices
  readonly notices: Notices
  readonly badges: (client: ListedClient) => ComponentChildren
  readonly facts: (client: ListedClient, timeZone: string) => FactRows
  /** Texts to copy, below the list. */
  readonly listPanel?: (origin: string) => ComponentChildren
  readonly panels?: (props: OwnClientProps) => ComponentChildren
  /** What deleting one does besides ending its access. */
  readonly loss: string
}

export type FactRows = Parameters<typeof Facts>[0]['rows']

export function pathOf(own: OwnClients, client: ListedClient, rest = ''): string {
  return `${own.path}/${encodeURIComponent(own.keyOf(client))}${rest}`
}

export function routeOf({ path, by }: OwnClients, rest = ''): string {
  return `${path}/:${by}${rest}`
}

/**
 * Every route of the Developers area begins here. Without the beta feature the area is absent;
 * its clients go on working.
 */
export async function developersVisit(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo?: string,
): Promise<OperatorVisit> {
  const visit = await operatorVisit(context, request, reply, returnTo)
  if (!request.school.mcpConnections) throw new FeatureOff(visit.session)
  return visit
}

export interface OwnClientVisit {
  readonly visit: OperatorVisit
  readonly client: ListedClient
}

/** Every route of one client begins here. That of another school is not found. */
export async function enterOwn(
  own: OwnClients,
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  /** The page of the form that was sent, below that of the client. */
  rest = '',
): Promise<OwnClientVisit> {
  const key = (request.params as Record<string, string>)[own.by] ?? ''
  const page = `${own.path}/${encodeURIComponent(key)}${rest}`
  const returnTo = request.method === 'POST' ? page : undefined
  const visit = await developersVisit(context, request, reply, returnTo)
  const client = await own.find(visit, withoutNul(key))
  if (client !== undefined) return { visit, client }
  throw new RequestRefusedError(404, `There is no ${own.kind} at this address.`)
}

/**
 * Every route begins here that changes a client: the explorer, which is built in, is not changed.
 */
export async function enterToChange(
  ...asked: Parameters<typeof enterOwn>
): Promise<OwnClientVisit> {
  const entered = await enterOwn(...asked)
  if (!entered.client.builtIn) return entered
  throw new RequestRefusedError(
    409,
    'The explorer is built in. You can end its access and switch it off, but not change or delete it.',
  )
}

/** The list of the clients, the form for a new one, and the page of each. */
export function addOwnClientRoutes(
  app: FastifyInstance,
  context: AppContext,
  own: OwnClients,
): void {
  const NEW = `${own.path}/new`

  app.get(own.path, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const [clients, people] = await Promise.all([
      listClients(request.schoolDb, own.kind),
      peoplePerApp(request.schoolDb, own.kind),
    ])
    const { origin } = request.school
    const page = ownClientsPage({ ...visit.frame(own.listNotices), own, clients, people, origin })
    return own.listPanel === undefined ? visit.page(page) : visit.scriptedPage(COPY_SCRIPT, page)
  })

  app.get(NEW, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const fields = own.newFields(request.school)
    const form = await newForm(visit, fields, draftOf(fields, own.startsAs, visit.place))
    return visit.page(newOwnClientPage(visit.frame(), own, form))
  })

  app.post(own.path, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, NEW)
    const fields = own.newFields(request.school)
    const submission = { operation: own.create, fields, fixed: {} }
    const made = await submitForm(visit, visit.form(), submission)
    if (made.kind === 'refused') {
      const form = await refusedForm(visit, fields, made)
      return visit.page(newOwnClientPage(visit.frame(), own, form), made.status)
    }
    if (made.kind !== 'done') throw new Error(`a new ${own.kind} was not found`)
    return visit.goTo(own.afterCreate(visit, made.output))
  })

  app.get(routeOf(own), async (request, reply) => {
    const entered = await enterOwn(own, context, request, reply)
    const fields = own.fields(request.school)
    return await show(entered, await savedForm(entered.visit, fields, own.rowOf(entered.client)))
  })

  app.post(routeOf(own), async (request, reply) => {
    const entered = await enterToChange(own, context, request, reply)
    const { visit, client } = entered
    const fields = own.fields(request.school)
    const load = async () => own.rowOf(client)
    const { before, outcome } = await submitChange(visit, visit.form(), load, {
      operation: own.change,
      fields,
      fixed: { [own.by]: own.keyOf(client) },
    })
    if (outcome.kind === 'refused') {
      const form = await refusedForm(visit, fields, outcome, before)
      return await show(entered, form, outcome.status)
    }
    return visit.goTo(`${pathOf(own, client)}?done=saved`)
  })

  app.get(routeOf(own, '/delete'), async (request, reply) => {
    const { visit, client } = await enterToChange(own, context, request, reply)
    return visit.page(await askToDelete(visit, client))
  })

  app.post(routeOf(own, '/delete'), async (request, reply) => {
    const { visit, client } = await enterToChange(own, context, request, reply)
    if (!isNameTyped(visit.form(), client.name || client.clientId)) {
      return visit.page(await askToDelete(visit, client, true), 422)
    }
    await visit.perform(own.remove, { [own.by]: own.keyOf(client) })
    return visit.goTo(`${own.path}?done=deleted`)
  })

  async function show({ visit, client }: OwnClientVisit, form: ShownForm, status = 200) {
    const people = await readPeople(visit.request, client.clientId)
    const page = ownClientPage({ ...visit.frame(own.notices), own, client, form, people })
    return visit.scriptedPage(COPY_SCRIPT, page, status)
  }

  async function askToDelete(visit: OperatorVisit, client: ListedClient, isWrongName = false) {
    const people = await countPeopleOfApp(visit.request.schoolDb, client.clientId)
    return deleteOwnClientPage({ ...visit.frame(), own, client, people, isWrongName })
  }
}

interface OwnClientsProps extends AdminFrame {
  readonly own: OwnClients
  readonly clients: readonly ListedClient[]
  /** By client_id. */
  readonly people: ReadonlyMap<string, number>
  /** Of the school. */
  readonly origin: string
}

export function ownClientsPage(props: OwnClientsProps): string {
  const { own, clients, people } = props
  return adminPage({
    ...props,
    title: own.title,
    script: own.listPanel && COPY_SCRIPT,
    children: (
      <>
        <PageHead title={own.title} lead={own.lead}>
          <div class="actions">
            {own.links?.map(({ url, label }) => (
              <ButtonLink look="plain" href={url}>
                {label}
              </ButtonLink>
            ))}
            <ButtonLink look="primary" href={`${own.path}/new`}>
              {`New ${own.kind}`}
            </ButtonLink>
          </div>
        </PageHead>
        <section class="panel" aria-label={own.title}>
          {clients.every(({ builtIn }) => builtIn) && (
            <Empty>
              <p>{`You created no ${own.kind}s yet.`}</p>
              <p>{own.empty}</p>
            </Empty>
          )}
          {clients.length > 0 && (
            <ul class="rows">
              {clients.map((client) => (
                <li>
                  <div>
                    <p class="row-title">
                      <a href={pathOf(own, client)}>
                        <Name text={client.name} fallback={client.clientId} />
                      </a>
                      <Badges own={own} client={client} />
                    </p>
                    <p class="row-note">
                      <Address text={client.clientId} />
                    </p>
                  </div>
                  <p class="row-note">
                    {countUpTo(people.get(client.clientId) ?? 0, 'person', 'people', MOST_PEOPLE)}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
        {own.listPanel?.(props.origin)}
      </>
    ),
  })
}

function Badges({ own, client }: { own: OwnClients; client: ListedClient }) {
  return (
    <>
      {own.badges(client)}
      {client.disabled && <Badge tone="over">Switched off</Badge>}
    </>
  )
}

export function newOwnClientPage(frame: AdminFrame, own: OwnClients, form: ShownForm): string {
  return formPage({
    ...frame,
    ...form,
    here: `${own.path}/new`,
    title: `New ${own.kind}`,
    lead: own.newLead,
    up: { url: own.path, label: own.title },
    action: own.path,
    submit: `Create ${own.kind}`,
  })
}

export interface OwnClientProps extends AdminFrame {
  readonly own: OwnClients
  readonly client: ListedClient
  readonly form: ShownForm
  readonly people: PeopleProps
}

const BUILT_IN =
  'People sign in with it at /member/explorer. You can end its access and switch it off, but not change or delete it.'

export function ownClientPage(props: OwnClientProps): string {
  const { own, client, people, form } = props
  const { clientId, disabled, builtIn } = client
  const path = pathOf(own, client)
  const name = plainText(client.name) || clientId
  return adminPage({
    ...props,
    here: path,
    title: isWrong(form) ? `Error: ${name}` : name,
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={client.name} fallback={clientId} />}
          up={{ url: own.path, label: own.title }}
          lead={builtIn && BUILT_IN}
        >
          <p class="badges">
            <Badges own={own} client={client} />
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <Facts rows={own.facts(client, props.timeZone)} />
        </section>
        {!builtIn && (
          <Panel title="Details">
            <ObjectForm {...props} {...form} action={path} submit="Save details" />
          </Panel>
        )}
        <PeoplePanel
          {...props}
          clientId={clientId}
          canLoseScopes={!builtIn}
          page={people}
          nextUrl={people.next && `${path}?after=${people.next}#people`}
        />
        {own.panels?.(props)}
        <StatusPanel {...props} clientId={clientId} disabled={disabled} />
        {!builtIn && (
          <Panel
            title="Delete"
            tone="danger"
            lead={`Ends all access that people gave it. ${own.loss} This cannot be undone.`}
          >
            <div class="actions">
              <ButtonLink look="plain" href={`${path}/delete`}>
                {`Delete this ${own.kind}…`}
              </ButtonLink>
            </div>
          </Panel>
        )}
      </>
    ),
  })
}

/** The client_id, to copy; a tool's is the address of its document. */
export function ClientId({ clientId, isLink }: { clientId: string; isLink?: boolean }) {
  const text = <Address text={clientId} />
  return (
    <>
      <CopyText id="client-id" what="the client_id">
        {isLink ? <a href={clientId}>{text}</a> : text}
      </CopyText>
      <CopyStatus />
    </>
  )
}

interface DeleteProps extends AdminFrame {
  readonly own: OwnClients
  readonly client: ListedClient
  /** With a live authorization. */
  readonly people: number
  /** Whether another name was typed. */
  readonly isWrongName?: boolean
}

export function deleteOwnClientPage(props: DeleteProps): string {
  const { own, client, people } = props
  const { clientId, name } = client
  const back = pathOf(own, client)
  return questionPage({
    ...props,
    here: back,
    title: `Delete ${own.kind}`,
    question: (
      <>
        Delete <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: `Back to the ${own.kind}` },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="Their access ends at once." />
        <p>
          <Address text={clientId} /> stops working. The same id cannot be used again.
        </p>
      </>
    ),
    form: {
      path: `${back}/delete`,
      typed: { name: name || clientId, isWrong: props.isWrongName === true },
      button: 'Delete',
    },
  })
}

import type { FastifyInstance } from 'fastify'
import {
  type ConnectedApp,
  connectedApps,
  endConnectedApp,
  type LiveAuthorization,
} from '../../../domain/grants/connected-apps.ts'
import { wordsOfKind } from '../../../domain/grants/count-activity.ts'
import {
  ACTIVITY_DAYS,
  type Activity,
  activityOfPerson,
} from '../../../domain/grants/read-activity.ts'
import type { SchoolVariant } from '../../../domain/schools/school.ts'
import { Address, AppTile, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, type SiteFrame, sitePage, withoutNul } from '../frame/layout.tsx'
import { Pager } from '../frame/list-parts.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { ScopeList } from '../frame/scope-list.tsx'
import { signedInVisit } from '../frame/visit.ts'

const PATH = '/account/apps'
/** How many authorizations a page shows. */
const SHOWN = 50

const NOTICES = {
  ended: 'Ended. The app can no longer use your account from that device.',
  'all-ended': 'Ended. The app can no longer use your account at this school.',
  nothing: { warning: 'That access had already ended.' },
}

export function addConnectedAppRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const before = queryOf(request).get('before') ?? ''
    const { id } = session.person
    const { apps, next } = await connectedApps(request.schoolDb, id, {
      before: isUuid(before) ? before : undefined,
      limit: SHOWN,
    })
    const clientIds = apps.map(({ clientId }) => clientId)
    const page = connectedAppsPage({
      ...visit.frame(NOTICES),
      apps,
      next,
      activity: await activityOfPerson(request.schoolDb, id, clientIds),
      isFirst: before === '',
      timeZone: request.school.timeZone,
      variant: request.school.variant,
      assistantsCanBeOffered: request.school.mcpConnections,
    })
    return visit.page(page)
  })

  app.post(`${PATH}/end`, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    const form = visit.form()
    const authorizationId = form.get('authorization') ?? ''
    const clientId = form.get('client')
    const what = clientId !== null ? { clientId: withoutNul(clientId) } : { authorizationId }
    const { id } = session.person
    const by = { userId: id, requestId: request.id }
    const ended =
      clientId !== null || isUuid(authorizationId)
        ? await endConnectedApp(request.schoolDb, id, what, by)
        : 0
    const all = clientId === null ? 'ended' : 'all-ended'
    return visit.goTo(`${PATH}?done=${ended === 0 ? 'nothing' : all}`)
  })
}

interface ConnectedAppsProps extends SiteFrame {
  apps: readonly ConnectedApp[]
  /** What each of them read and changed lately, by its client. */
  activity: ReadonlyMap<string, readonly Activity[]>
  /** Continues with older authorizations. */
  next: string | undefined
  isFirst: boolean
  timeZone: string
  variant: SchoolVariant
  /** Whether the school can offer its members assistants. */
  assistantsCanBeOffered: boolean
}

const nameless = 'An app without a name'

export function connectedAppsPage(props: ConnectedAppsProps): string {
  const { apps } = props
  return sitePage({
    ...props,
    title: 'Connected apps',
    children: (
      <>
        <PageHead
          title="Connected apps"
          lead="Apps that have access to your account at this school, and what they did with it. If you end access, it stops at once."
          up={TO_SETTINGS}
        />
        {apps.length === 0 ? (
          <section class="panel">
            <Empty>
              <p>No app has access to your account here.</p>
              <p>
                After you allow an app and it connects, it appears here. You can end its access at
                any time.
              </p>
            </Empty>
          </section>
        ) : (
          apps.map((app) => <App {...props} app={app} />)
        )}
        <Pager
          first="/account/apps"
          isFirst={props.isFirst}
          next={props.next && `/account/apps?before=${props.next}`}
          label="Older"
        >
          The latest access is on the first page.
        </Pager>
        {props.assistantsCanBeOffered && (
          <p>
            To connect an assistant, see <a href="/account/assistants">Use with an assistant</a>.
          </p>
        )}
      </>
    ),
  })
}

function App(props: ConnectedAppsProps & { app: ConnectedApp }) {
  const { app, timeZone } = props
  const formToken = props.viewer?.formToken ?? ''
  // An app that is on this page may have more on another one.
  const many = app.authorizations.length > 1 || props.next !== undefined || !props.isFirst
  return (
    <section class="panel">
      <div class="page-head-line">
        <div class="app-head">
          <AppTile name={app.name} logoUrl={app.logoUrl} />
          <div>
            <h2>
              <Name text={app.name} fallback={nameless} />
            </h2>
            {app.kind === 'document' && (
              <p class="row-note">
                published at <Address text={hostOf(app.clientId)} />
              </p>
            )}
            {app.kind === 'tool' && <p class="row-note">made by this school</p>}
            <p class="badges">
              {app.kind === 'document' && !app.reviewed && (
                <Badge tone="warning">Not reviewed by this school</Badge>
              )}
              {app.disabled && <Badge tone="warning">Switched off at this school</Badge>}
            </p>
          </div>
        </div>
        {many && (
          <Form action="/account/apps/end" formToken={formToken} hidden={{ client: app.clientId }}>
            <Button look="danger">
              {app.authorizations.length > 1 && props.next === undefined && props.isFirst
                ? `End all ${app.authorizations.length}`
                : 'End all access of this app'}
            </Button>
          </Form>
        )}
      </div>
      {app.disabled && (
        <p class="row-note">
          This app is switched off at this school, so it cannot use your account now. What you
          allowed works again if the app is switched on, unless you end it.
        </p>
      )}
      <ul class="rows">
        {app.authorizations.map((one) => (
          <Session {...{ one, formToken, timeZone }} appName={app.name} />
        ))}
      </ul>
      <ActivityList
        activities={props.activity.get(app.clientId) ?? []}
        isOwn={app.audience === 'member'}
        wasUsed={app.wasUsed}
        timeZone={timeZone}
      />
      <details>
        <summary>What it may do</summary>
        <ScopeList scopes={app.scopes} variant={props.variant} />
      </details>
    </section>
  )
}

interface SessionProps {
  one: LiveAuthorization
  appName: string
  formToken: string
  timeZone: string
}

function Session({ one, appName, formToken, timeZone }: SessionProps) {
  const device = plainText(one.device) || 'An unknown device'
  return (
    <li>
      <div>
        <p class="row-title">{device}</p>
        <p class="row-note">
          Allowed <Moment at={one.authorizedAt} timeZone={timeZone} />
          {' · '}
          {one.lastUsedAt === undefined ? (
            'not used yet'
          ) : (
            <>
              last used around <Moment at={one.lastUsedAt} timeZone={timeZone} />
            </>
          )}
        </p>
      </div>
      <Form action="/account/apps/end" formToken={formToken} hidden={{ authorization: one.id }}>
        <Button look="plain">
          End
          <span class="visually-hidden">
            {' '}
            {plainText(appName) || nameless}, {device}
          </span>
        </Button>
      </Form>
    </li>
  )
}

function hostOf(url: string): string {
  return parseUrl(url)?.host ?? url
}

interface ActivityListProps {
  activities: readonly Activity[]
  /** Whether the data is the viewer's own. */
  isOwn: boolean
  /**
   * Whether the app was used, or told who they are, since the person allowed it. Of access that
   * ended before, the purge leaves no mark.
   */
  wasUsed: boolean
  timeZone: string
}

/** What an app read and changed lately, a line for each kind of data. */
function ActivityList({ activities, isOwn, wasUsed, timeZone }: ActivityListProps) {
  return (
    <section class="app-activity">
      <h3>In the last {ACTIVITY_DAYS} days</h3>
      {activities.length === 0 ? (
        <p class="row-note">
          {wasUsed
            ? 'There is no record that it read or changed anything. New use appears here within a minute or two.'
            : 'It has read and changed nothing since you allowed it.'}
        </p>
      ) : (
        <ul>
          {activities.map((one) => (
            <Line
              one={one}
              whose={isOwn || one.kind === 'profile' ? 'your ' : ''}
              timeZone={timeZone}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function Line({ one, whose, timeZone }: { one: Activity; whose: string; timeZone: string }) {
  const what = whose + wordsOfKind(one.kind)
  return (
    <li>
      {one.lastReadAt !== undefined && (
        <>
          Read {what} on {one.readDays === 1 ? '1 day' : `${one.readDays} days`}, last{' '}
          <Moment at={one.lastReadAt} timeZone={timeZone} />
        </>
      )}
      {one.lastReadAt !== undefined && one.lastChangedAt !== undefined && '; '}
      {one.lastChangedAt !== undefined && (
        <>
          {one.lastReadAt === undefined ? `Changed ${what}` : 'changed them'}{' '}
          {one.changes === 1 ? 'once' : `${one.changes} times`}, last{' '}
          <Moment at={one.lastChangedAt} timeZone={timeZone} />
        </>
      )}
    </li>
  )
}

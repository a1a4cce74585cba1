import type { FastifyInstance } from 'fastify'
import {
  endBrowser,
  endOtherBrowsers,
  type SignedInBrowser,
  type SignedInBrowsers,
  signedInBrowsers,
} from '../../../domain/people/signed-in-browsers.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Checkbox } from '../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { requireRecentProof } from '../frame/recent-proof.ts'
import { signedInVisit } from '../frame/visit.ts'
import { count } from '../frame/words.ts'

const SESSIONS_PATH = '/account/sessions'

interface SessionsProps extends SiteFrame, SignedInBrowsers {
  /** The session of this browser. */
  current: string
  timeZone: string
}

export function sessionsPage(props: SessionsProps): string {
  const { browsers, elsewhere, current } = props
  const formToken = props.viewer?.formToken ?? ''
  const others = browsers.filter(({ id }) => id !== current)
  return sitePage({
    ...props,
    title: 'Signed-in browsers',
    children: (
      <>
        <PageHead
          title="Signed-in browsers"
          lead="Browsers in which you are signed in. We keep the kind of browser and the times, no IP address and no location."
          up={TO_SETTINGS}
        />
        <Panel title="At this school">
          <ul class="rows">
            {browsers.map((one) => (
              <Browser {...props} {...{ one, formToken }} />
            ))}
          </ul>
        </Panel>
        {elsewhere.length > 0 && (
          <Panel title="At your other schools">
            <ul class="rows">
              {elsewhere.map(({ name, origin, count: many }) => (
                <li>
                  <div>
                    <p class="row-title">
                      <a href={`${origin}${SESSIONS_PATH}`}>
                        <Name text={name} fallback={origin} />
                      </a>
                    </p>
                    <p class="row-note">{count(many, 'browser', 'browsers')}</p>
                  </div>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {others.length + elsewhere.length > 0 && (
          <>
            <Panel
              title="Sign out everywhere else"
              lead="At every school. Only this browser stays signed in. Addresses for your calendar end, too."
            >
              <Form action={`${SESSIONS_PATH}/end-others`} formToken={formToken}>
                <Checkbox
                  id="apps"
                  name="apps"
                  value="yes"
                  label="End the access of all connected apps too"
                  hint="Choose this if another person used your account: they may have connected an app."
                  checked={false}
                />
                <Button look="danger">Sign out all other browsers</Button>
              </Form>
            </Panel>
            <p>
              Is one of them not yours? Sign it out, then{' '}
              <a href="/account/password">change your password</a>.
            </p>
          </>
        )}
      </>
    ),
  })
}

interface BrowserProps extends SessionsProps {
  one: SignedInBrowser
  formToken: string
}

function Browser({ one, current, formToken, timeZone }: BrowserProps) {
  const device = plainText(one.device) || 'An unknown browser'
  return (
    <li>
      <div>
        <p class="row-title">
          {device} {one.id === current && <Badge tone="good">This browser</Badge>}
        </p>
        <p class="row-note">
          Since <Moment at={one.since} timeZone={timeZone} />
          {' · '}last seen around <Moment at={one.lastSeenAt} timeZone={timeZone} />
        </p>
      </div>
      {one.id !== current && (
        <Form action={`${SESSIONS_PATH}/end`} formToken={formToken} hidden={{ session: one.id }}>
          <Button look="plain">
            Sign out<span class="visually-hidden"> {device}</span>
          </Button>
        </Form>
      )}
    </li>
  )
}

const NOTICES = {
  ended: 'That browser was signed out.',
  'others-ended': 'All other browsers were signed out, at every school.',
  'all-ended':
    'All other browsers were signed out, and all apps have lost their access, at every school.',
  nothing: { warning: 'That browser had already been signed out.' },
}

/** The browsers in which the person is signed in. */
export function addSessionRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(SESSIONS_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const db = acrossSchools(request.schoolDb)
    const page = sessionsPage({
      ...visit.frame(NOTICES),
      ...(await signedInBrowsers(db, request.school.id, session.person.id)),
      current: session.id,
      timeZone: request.school.timeZone,
    })
    return visit.page(page)
  })

  app.post(`${SESSIONS_PATH}/end`, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, SESSIONS_PATH)
    const { session } = visit
    const id = visit.form().get('session') ?? ''
    // Otherwise who stole one session could sign the person out everywhere else.
    requireRecentProof(request, session)
    const ended = isUuid(id) && (await endBrowser(request.schoolDb, session, id, request.id))
    return visit.goTo(`${SESSIONS_PATH}?done=${ended ? 'ended' : 'nothing'}`)
  })

  app.post(`${SESSIONS_PATH}/end-others`, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, SESSIONS_PATH)
    const { session } = visit
    const endsApps = visit.form().get('apps') === 'yes'
    requireRecentProof(request, session)
    await endOtherBrowsers(request.schoolDb, session, { endsApps, requestId: request.id })
    const done = endsApps ? 'all-ended' : 'others-ended'
    return visit.goTo(`${SESSIONS_PATH}?done=${done}`)
  })
}

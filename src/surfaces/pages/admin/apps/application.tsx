import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  changeApplication,
  deleteApplication,
  endOldSecret,
  rotateSecret,
} from '../../../../domain/clients/application-operations.ts'
import { templateOf } from '../../../../domain/clients/assistants.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { countPeopleOfApp } from '../../../../domain/grants/people-of-app.ts'
import { Address, Facts, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import { isWrong, ObjectForm, refusedForm, type ShownForm, savedForm } from '../crud/form.tsx'
import { submitChange } from '../crud/submit.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import type { OperatorVisit } from '../frame/operator.ts'
import { PeoplePanel, type PeopleProps } from './activity.tsx'
import { applicationFields, applicationRow } from './application-fields.ts'
import { addLogoRoutes, LogoPanel } from './application-logo.tsx'
import {
  deleteApplicationPage,
  developersVisit,
  KindBadges,
  loadApplication,
} from './applications.tsx'
import { StatusPanel } from './client-status.tsx'
import { readPeople, STATUS_NOTICES } from './clients.ts'
import {
  carrySecret,
  endOldSecretPage,
  renewSecretPage,
  SecretPanel,
  secretPage,
  takeSecret,
} from './secret.tsx'

const ONE = `${adminPaths.applications}/:clientId`

const NOTICES = {
  ...STATUS_NOTICES,
  created: 'The application is ready. Give its client_id to the developer of the app.',
  connected:
    'Connected. Members find it, with the steps, at “Use with an assistant” in their account.',
  saved: 'Saved. New authorizations and refreshes follow it.',
  'no-secret': { warning: 'A public application has no secret.' },
  'old-secret-ended': 'Ended. The app can use only the newest secret.',
  logo: 'The logo was changed.',
  'no-logo': 'The logo was removed.',
  'secret-shown': { warning: 'A secret is shown once. If you did not copy it, renew it.' },
}

export function addOneApplicationRoutes(app: FastifyInstance, context: AppContext): void {
  /** Every route of one application begins here. */
  const enter = async (request: FastifyRequest, reply: FastifyReply, returnTo?: string) => {
    const visit = await developersVisit(context, request, reply, returnTo)
    return { visit, application: await loadApplication(request) }
  }
  /**
   * Every route begins here that changes an application: the explorer, which is built in, is not
   * changed.
   */
  const enterToChange = async (request: FastifyRequest, reply: FastifyReply, returnTo?: string) => {
    const entered = await enter(request, reply, returnTo)
    if (!entered.application.builtIn) return entered
    throw new RequestRefusedError(
      409,
      'The explorer is built in. You can end its access and switch it off, but not change or delete it.',
    )
  }

  app.get(ONE, async (request, reply) => {
    const { visit, application } = await enter(request, reply)
    const form = await savedForm(
      visit,
      applicationFields(request.school),
      applicationRow(application),
    )
    return await show(visit, application, form)
  })

  app.post(ONE, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply, pathOf(request))
    const { clientId } = application
    const fields = applicationFields(request.school)
    const load = async () => applicationRow(application)
    const { before, outcome } = await submitChange(visit, visit.form(), load, {
      operation: changeApplication,
      fields,
      fixed: { client_id: clientId },
    })
    if (outcome.kind === 'refused') {
      const form = await refusedForm(visit, fields, outcome, before)
      return await show(visit, application, form, outcome.status)
    }
    return visit.goTo(`${applicationPath(clientId)}?done=saved`)
  })

  addLogoRoutes(app, ONE, enterToChange)

  app.get(`${ONE}/renew`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply)
    if (!application.confidential) {
      const page = applicationPath(application.clientId)
      return visit.goTo(`${page}?done=no-secret`)
    }
    const frame = visit.frame()
    return visit.page(renewSecretPage({ ...frame, application }))
  })

  app.post(`${ONE}/secret`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply, pathOf(request))
    const end_old = visit.form().get('end_old') === 'yes'
    const { clientId } = application
    const input = { client_id: clientId, end_old }
    const made = await visit.perform(rotateSecret, input)
    if (made.kind !== 'done') {
      return visit.goTo(`${applicationPath(clientId)}?done=no-secret`)
    }
    const { client_secret: secret, old_secret_expires_at: old_until } = made.output
    const carried = { secret, rotated: true, old_until }
    carrySecret(visit, clientId, carried)
    return visit.goTo(applicationPath(clientId, '/secret'))
  })

  app.get(`${ONE}/secret`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply)
    const { clientId, name } = application
    const taken = takeSecret(visit, clientId)
    if (taken === undefined) {
      return visit.goTo(`${applicationPath(clientId)}?done=secret-shown`)
    }
    const frame = visit.frame()
    const page = secretPage({ ...frame, clientId, name, ...taken })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })

  app.get(`${ONE}/old-secret`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply)
    if (application.oldSecretExpiresAt === undefined) {
      const page = applicationPath(application.clientId)
      return visit.goTo(`${page}?done=old-secret-ended`)
    }
    const frame = visit.frame()
    return visit.page(endOldSecretPage({ ...frame, application }))
  })

  app.post(`${ONE}/old-secret`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply, pathOf(request))
    visit.form()
    const { clientId } = application
    await visit.perform(endOldSecret, { client_id: clientId })
    return visit.goTo(`${applicationPath(clientId)}?done=old-secret-ended`)
  })

  app.get(`${ONE}/delete`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply)
    const people = await countPeopleOfApp(request.schoolDb, application.clientId)
    const frame = visit.frame()
    const page = deleteApplicationPage({ ...frame, application, people })
    return visit.page(page)
  })

  app.post(`${ONE}/delete`, async (request, reply) => {
    const { visit, application } = await enterToChange(request, reply, pathOf(request))
    const form = visit.form()
    if (!isNameTyped(form, application.name || application.clientId)) {
      const people = await countPeopleOfApp(request.schoolDb, application.clientId)
      const frame = visit.frame()
      const page = deleteApplicationPage({ ...frame, application, people, isWrongName: true })
      return visit.page(page, 422)
    }
    const input = { client_id: application.clientId }
    await visit.perform(deleteApplication, input)
    return visit.goTo(`${adminPaths.applications}?done=deleted`)
  })
}

/** The page with the forms of an application. */
function pathOf(request: FastifyRequest): string {
  return applicationPath((request.params as { clientId: string }).clientId)
}

async function show(
  visit: OperatorVisit,
  application: ListedClient,
  form: ShownForm,
  status = 200,
): Promise<FastifyReply> {
  const page = applicationPage({
    ...visit.frame(NOTICES),
    application,
    form,
    people: await readPeople(visit.request, application.clientId),
  })
  return visit.scriptedPage(COPY_SCRIPT, page, status)
}

interface ApplicationProps extends AdminFrame {
  application: ListedClient
  form: ShownForm
  people: PeopleProps
}

const BUILT_IN =
  'People sign in with it at /member/explorer. You can end its access and switch it off, but not change or delete it.'

export function applicationPage(props: ApplicationProps): string {
  const { application, people, form } = props
  const { clientId, confidential, disabled, builtIn } = application
  const name = plainText(application.name) || clientId
  return adminPage({
    ...props,
    here: applicationPath(clientId),
    title: isWrong(form) ? `Error: ${name}` : name,
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={application.name} fallback={clientId} />}
          up={{ url: adminPaths.applications, label: 'OAuth applications' }}
          lead={builtIn && BUILT_IN}
        >
          <p class="badges">
            <KindBadges client={application} />
            {disabled && <Badge tone="over">Switched off</Badge>}
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <ApplicationFacts application={application} timeZone={props.timeZone} />
        </section>
        {!builtIn && (
          <Panel title="Details">
            <ObjectForm
              {...props}
              {...form}
              action={applicationPath(clientId)}
              submit="Save details"
            />
          </Panel>
        )}
        {!builtIn && <LogoPanel {...application} />}
        <PeoplePanel
          {...props}
          clientId={clientId}
          canLoseScopes={!builtIn}
          page={people}
          nextUrl={people.next && `${applicationPath(clientId)}?after=${people.next}#people`}
        />
        {confidential && <SecretPanel {...props} />}
        <StatusPanel {...props} clientId={clientId} disabled={disabled} />
        {!builtIn && (
          <Panel
            title="Delete"
            tone="danger"
            lead="Ends all access that people gave it. This cannot be undone."
          >
            <div class="actions">
              <ButtonLink look="plain" href={applicationPath(clientId, '/delete')}>
                Delete this application…
              </ButtonLink>
            </div>
          </Panel>
        )}
      </>
    ),
  })
}

function ApplicationFacts({
  application,
  timeZone,
}: {
  application: ListedClient
  timeZone: string
}) {
  const { clientId, confidential, builtIn, assistant, createdAt, secretRotatedAt } = application
  return (
    <Facts
      rows={[
        [
          'client_id',
          <>
            <CopyText id="client-id" what="the client_id">
              <Address text={clientId} />
            </CopyText>
            <CopyStatus />
          </>,
        ],
        [
          'Kind',
          confidential
            ? 'Confidential: sends its secret in the form body (client_secret_post)'
            : 'Public: no secret; PKCE protects each sign-in',
        ],
        assistant !== undefined && [
          'Assistant',
          <>
            {templateOf(assistant).name}. Members find it, with the steps, at{' '}
            <a href="/account/assistants">Use with an assistant</a>
            {application.disabled && ', once it is switched on again'}.
          </>,
        ],
        !builtIn && ['Created', <Moment at={createdAt} timeZone={timeZone} />],
        confidential && [
          'Secret issued',
          <Moment at={secretRotatedAt ?? createdAt} timeZone={timeZone} />,
        ],
      ]}
    />
  )
}

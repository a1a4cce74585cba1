import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  cancelDeletion,
  type DeletedPart,
  findDeletions,
  requestDeletion,
  WAITING_DAYS,
} from '../../../domain/people/deletion/deletion-requests.ts'
import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import { Alert, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../gate/context.ts'
import { ConfirmName, isEmailTyped, typedIn } from '../frame/confirm-name.tsx'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { DeletionNotice, type WaitingDeletion } from '../frame/parts.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { requireOwnFactor } from '../frame/recent-proof.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'

const PATH = '/account/delete'

/** A person asks to be forgotten here or deleted as a whole, and may change their mind. */
export function addDeletionRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    return await show(visit)
  })

  app.post(PATH, async (request, reply) => {
    request.queuedMail = true
    const visit = await signedInVisit(context, request, reply, PATH)
    const { session } = visit
    const form = visit.form()
    const part = partIn(form)
    if (part === undefined) {
      return await show(visit, { kind: 'nothing_chosen' }, 400)
    }
    // Leaving a school takes the passkeys there, and the school whose mails tell the person.
    await requireOwnFactor(request, session, PATH)
    if (part === 'account' && !isEmailTyped(form, session.person.email)) {
      return await show(visit, { kind: 'wrong_email', typed: typedIn(form) }, 422)
    }
    const asking = { userId: session.person.id, part, requestId: request.id }
    const asked = await request.schoolDb.transaction((tx) => requestDeletion(tx, asking))
    if (asked.kind !== 'waiting') return await show(visit, asked, 409)
    return visit.goTo(`${SETTINGS_PATH}?done=deletion`)
  })

  app.post(`${PATH}/cancel`, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, SETTINGS_PATH)
    const { session } = visit
    const part = partIn(visit.form())
    const asking = { userId: session.person.id, requestId: request.id }
    const isCancelled =
      part !== undefined &&
      (await request.schoolDb.transaction((tx) => cancelDeletion(tx, { ...asking, part })))
    const done = isCancelled ? 'kept' : 'nothing-to-keep'
    return visit.goTo(`${SETTINGS_PATH}?done=${done}`)
  })
}

function partIn(form: URLSearchParams): DeletedPart | undefined {
  const part = form.get('part')
  return part === 'school' || part === 'account' ? part : undefined
}

async function show(
  visit: SignedInVisit,
  problem?: DeletionProblem,
  status = 200,
): Promise<FastifyReply> {
  const { request, session } = visit
  const page = deleteAccountPage({
    ...visit.frame(),
    waiting: await findDeletions(request.schoolDb, session.person.id),
    timeZone: request.school.timeZone,
    email: session.person.email,
    problem,
  })
  return visit.page(page, status)
}

type DeletionProblem =
  | { kind: 'last_owner'; schools: readonly string[] }
  | { kind: 'no_member' }
  | { kind: 'nothing_chosen' }
  | { kind: 'wrong_email'; typed: string }

interface DeleteAccountProps extends SiteFrame {
  waiting: readonly WaitingDeletion[]
  timeZone: string
  email: string
  problem?: DeletionProblem | undefined
}

export function deleteAccountPage(props: DeleteAccountProps): string {
  const { problem, viewer, waiting } = props
  const formToken = viewer?.formToken ?? ''
  const here = <Name text={props.school.name} fallback="this school" />
  const title = 'Delete your account'
  const wrong = problem?.kind === 'wrong_email' ? problem : undefined
  const isWaiting = (part: WaitingDeletion['part']) => waiting.some((one) => one.part === part)
  return sitePage({
    ...props,
    title: problem === undefined ? title : `Error: ${title}`,
    children: (
      <>
        <PageHead
          title={title}
          lead={`It is done ${WAITING_DAYS} days after you ask. Until then you can change your mind.`}
          up={TO_SETTINGS}
        />
        {problem !== undefined && <ProblemAlert problem={problem} />}
        <DeletionNotice waiting={waiting} formToken={formToken} timeZone={props.timeZone} />
        <Panel title="What goes" lead="You cannot get it back.">
          <ul>
            <li>your roles, sessions and connected apps</li>
            <li>courses, progress, bookings, registrations and memberships</li>
            <li>comments, answers to forms, notifications and what the school says of you</li>
          </ul>
          <p>A comment that others answered stays without its text, so that their answers stay.</p>
        </Panel>
        <Panel
          title="What must be kept"
          lead="Orders, payments and invoices stay in the books of the school, and its record of changes is kept for a limited time. They no longer show your name or email."
        >
          <div class="actions">
            <ButtonLink look="plain" href="/account/data">
              Get a copy of your data first
            </ButtonLink>
          </div>
        </Panel>
        {!isWaiting('school') && !isWaiting('account') && (
          <Panel title={<>Leave {here}</>} tone="danger">
            <p>Only {here} forgets you. Your account and your other schools stay.</p>
            <Form action="/account/delete" formToken={formToken} hidden={{ part: 'school' }}>
              <Button look="danger">Delete my data at this school</Button>
            </Form>
          </Panel>
        )}
        {!isWaiting('account') && (
          <Panel title="Delete the whole account" tone="danger">
            <p>
              Every school on this server forgets you. Your name, email, picture and password are
              erased, and you can no longer sign in.
            </p>
            <Form action="/account/delete" formToken={formToken} hidden={{ part: 'account' }}>
              <ConfirmName
                name={props.email}
                kind="email address"
                isWrong={wrong !== undefined}
                typed={wrong?.typed}
              />
              <Button look="danger">Delete my whole account</Button>
            </Form>
          </Panel>
        )}
      </>
    ),
  })
}

function ProblemAlert({ problem }: { problem: DeletionProblem }) {
  switch (problem.kind) {
    case 'last_owner':
      return (
        <Alert tone="error" title="A school needs an owner">
          <p>
            You are the only owner of{' '}
            {problem.schools.map((name, place) => (
              <>
                {place > 0 && ', '}
                <Name text={name} fallback="a school" />
              </>
            ))}
            . Make another member an owner there first.
          </p>
        </Alert>
      )
    case 'no_member':
      return (
        <Alert tone="error" title="You do not belong to this school, so it knows nothing of you." />
      )
    case 'nothing_chosen':
      return <Alert tone="error" title="Choose what is to be deleted." />
    case 'wrong_email':
      return null
  }
}

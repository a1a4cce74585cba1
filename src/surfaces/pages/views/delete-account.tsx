import { WAITING_DAYS } from '../../../domain/people/deletion/deletion-requests.ts'
import { Alert, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { DeletionNotice, type WaitingDeletion } from './deletion-notice.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'

export type DeletionProblem =
  | { kind: 'last_owner'; schools: readonly string[] }
  | { kind: 'no_member' }
  | { kind: 'nothing_chosen' }

interface DeleteAccountProps extends SiteFrame {
  waiting: readonly WaitingDeletion[]
  timeZone: string
  problem?: DeletionProblem | undefined
}

export function deleteAccountPage(props: DeleteAccountProps): string {
  const { problem, viewer, waiting } = props
  const formToken = viewer?.formToken ?? ''
  const here = <Name text={props.school.name} fallback="this school" />
  const title = 'Delete your account'
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
  }
}

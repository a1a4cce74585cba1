import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'

export interface WaitingDeletion {
  part: 'school' | 'account'
  dueAt: Date
  /** Present if it was due, and a school would have had no owner. */
  blockedAt: Date | null
}

const WORDS = {
  school: { what: 'This school will forget you', keep: 'Stay at this school' },
  account: { what: 'Your whole account will be deleted', keep: 'Keep my account' },
} as const

/** Shown while the person can change their mind. */
export function DeletionNotice(props: {
  waiting: readonly WaitingDeletion[]
  formToken: string
  timeZone: string
}) {
  return (
    <>
      {props.waiting.map(({ part, dueAt, blockedAt }) => (
        <Alert tone="warning" title={WORDS[part].what}>
          <p>
            {blockedAt === null ? (
              <>
                On <Moment at={dueAt} timeZone={props.timeZone} />. Until then you can change your
                mind.
              </>
            ) : (
              'It could not be done yet, because you are the only owner of a school. Make another member an owner there.'
            )}
          </p>
          <Form action="/account/delete/cancel" formToken={props.formToken} hidden={{ part }}>
            <Button look="primary">{WORDS[part].keep}</Button>
          </Form>
        </Alert>
      ))}
    </>
  )
}
